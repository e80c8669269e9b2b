package orders

import (
	"encoding/json"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/orders/pricing"
)

// An Address is where an order is billed or shipped to.
type Address struct {
	FirstName string `json:"firstname,omitempty"`
	LastName  string `json:"lastname,omitempty"`
	Address   string `json:"address,omitempty"`
	Address2  string `json:"address_2,omitempty"`
	City      string `json:"city,omitempty"`
	County    string `json:"county,omitempty"`
	State     string `json:"state,omitempty"`
	Country   string `json:"country,omitempty"` // two letters
	Zipcode   string `json:"zipcode,omitempty"`
	Phone     string `json:"phone,omitempty"`
}

// MarshalText returns the stored form.
func (a Address) MarshalText() ([]byte, error) { return json.Marshal(address(a)) }

// UnmarshalText reads the stored form.
func (a *Address) UnmarshalText(text []byte) error { return readDocument(text, (*address)(a)) }

// An address is an Address that is no text.
type address Address

// place is where the address lies, as taxes ask.
func (a *Address) place() pricing.Place {
	return pricing.Place{Country: a.Country, State: a.State, Zipcode: a.Zipcode}
}

// A Customer is who orders: the profile of a registered user, or what a guest says.
type Customer struct {
	FirstName string
	LastName  string
	Email     string
	Phone     string
	Company   string
	Fax       string
	URL       string
	LangCode  string
	TaxExempt bool // no tax is added
	Billing   Address
	Shipping  Address
}

// An addressField is a field of both addresses, as b_… and s_….
type addressField struct {
	name     string
	of       func(*Address) *string
	required bool // of guests
}

var addressFields = []addressField{
	{"firstname", func(a *Address) *string { return &a.FirstName }, true},
	{"lastname", func(a *Address) *string { return &a.LastName }, true},
	{"address", func(a *Address) *string { return &a.Address }, true},
	{"address_2", func(a *Address) *string { return &a.Address2 }, false},
	{"city", func(a *Address) *string { return &a.City }, true},
	{"county", func(a *Address) *string { return &a.County }, false},
	{"state", func(a *Address) *string { return &a.State }, false},
	{"country", func(a *Address) *string { return &a.Country }, true},
	{"zipcode", func(a *Address) *string { return &a.Zipcode }, true},
	{"phone", func(a *Address) *string { return &a.Phone }, false},
}

// fields calls fn for each text of a customer, by its name in the interface.
func (c *Customer) fields(fn func(name string, text *string)) {
	fn("email", &c.Email)
	fn("firstname", &c.FirstName)
	fn("lastname", &c.LastName)
	fn("phone", &c.Phone)
	fn("company", &c.Company)
	fn("fax", &c.Fax)
	fn("url", &c.URL)
	for _, f := range addressFields {
		fn("b_"+f.name, f.of(&c.Billing))
	}
	for _, f := range addressFields {
		fn("s_"+f.name, f.of(&c.Shipping))
	}
}

// complete takes what one address lacks from the other, and the name from them.
func (c *Customer) complete() {
	for _, f := range addressFields {
		b, s := f.of(&c.Billing), f.of(&c.Shipping)
		if *b == "" {
			*b = *s
		}
		if *s == "" {
			*s = *b
		}
	}
}

// named gives a customer without a name that of the billing address.
func (c *Customer) named() {
	if c.FirstName == "" && c.LastName == "" {
		c.FirstName, c.LastName = c.Billing.FirstName, c.Billing.LastName
	}
	if c.Phone == "" {
		c.Phone = c.Billing.Phone
	}
}

// checkGuest notes what a guest does not say and has to.
func (c *Customer) checkGuest(problems *shopapi.Problems) {
	missing := func(name, text string) {
		if text == "" {
			problems.Add(inUserData(name), "is required of a guest")
		}
	}
	missing("email", c.Email)
	for _, f := range addressFields {
		if f.required {
			missing("b_"+f.name, *f.of(&c.Billing))
		}
	}
	for _, f := range addressFields {
		if f.required {
			missing("s_"+f.name, *f.of(&c.Shipping))
		}
	}
}

// inUserData names a field of user_data.
func inUserData(name string) string { return "user_data[" + name + "]" }
