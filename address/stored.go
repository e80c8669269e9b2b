package address

import (
	"encoding/json"

	"github.com/shopapi/shopapi/internal/jsonenc"
)

// A stored is an Address as a document in a column, without its empty fields.
type stored struct {
	FirstName    string `json:"firstname,omitempty"`
	LastName     string `json:"lastname,omitempty"`
	Street       string `json:"address,omitempty"`
	Street2      string `json:"address_2,omitempty"`
	City         string `json:"city,omitempty"`
	County       string `json:"county,omitempty"`
	State        string `json:"state,omitempty"`
	StateDescr   string `json:"-"`
	Country      string `json:"country,omitempty"`
	CountryDescr string `json:"-"`
	Zipcode      string `json:"zipcode,omitempty"`
	Phone        string `json:"phone,omitempty"`
}

// MarshalText returns the form in which a column stores the address as one text, a JSON
// object.
func (a Address) MarshalText() ([]byte, error) { return a.AppendText(nil) }

// AppendText appends what [Address.MarshalText] returns.
func (a *Address) AppendText(dst []byte) ([]byte, error) { return jsonenc.Append(dst, (*stored)(a)) }

// UnmarshalText reads the form of [Address.MarshalText]. The empty text is the empty
// address.
func (a *Address) UnmarshalText(text []byte) error {
	var s stored
	if len(text) > 0 && string(text) != "[]" {
		if err := json.Unmarshal(text, &s); err != nil {
			return err
		}
	}
	*a = Address(s)
	return nil
}
