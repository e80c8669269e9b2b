package address

import (
	"context"
	"strings"

	"github.com/shopapi/shopapi"
)

// Bounds of the fields, in bytes.
const (
	MaxText    = 255
	MaxZipcode = 32
	MaxState   = 64
	MaxPhone   = 64
)

// IsEmpty reports whether the address has no value in any field.
func (a Address) IsEmpty() bool {
	a.StateDescr, a.CountryDescr = "", ""
	return a == Address{}
}

// Or returns the address with its empty fields taken from another one.
func (a Address) Or(other Address) Address {
	mine, others := a.fields(), other.fields()
	for i, f := range mine {
		if *f == "" {
			*f = *others[i]
		}
	}
	return a
}

func (a *Address) fields() []*string {
	return []*string{
		&a.FirstName, &a.LastName, &a.Street, &a.Street2, &a.City, &a.County,
		&a.State, &a.Country, &a.Zipcode, &a.Phone,
	}
}

// Normalize returns the address in its stored form: the country in upper case, without
// the names of country and state, which are not stored.
func (a Address) Normalize() Address {
	a.Country = strings.ToUpper(a.Country)
	a.StateDescr, a.CountryDescr = "", ""
	return a
}

// Check adds the problems of the address, for fields with the prefix, such as "b_".
func (a Address) Check(problems *shopapi.Problems, prefix string) {
	for _, f := range []struct {
		name, text string
		most       int
	}{
		{"firstname", a.FirstName, MaxText}, {"lastname", a.LastName, MaxText},
		{"address", a.Street, MaxText}, {"address_2", a.Street2, MaxText},
		{"city", a.City, MaxText}, {"county", a.County, MaxText},
		{"state", a.State, MaxState}, {"zipcode", a.Zipcode, MaxZipcode}, {"phone", a.Phone, MaxPhone},
	} {
		if len(f.text) > f.most {
			problems.Bytes(prefix+f.name, f.text, f.most)
		}
	}
	a.CheckCountry(problems, prefix)
}

// CheckCountry adds the problem of a country that is not a code, for a field with the
// prefix.
func (a Address) CheckCountry(problems *shopapi.Problems, prefix string) {
	if field := prefix + "country"; !problems.Skips(field) && a.Country != "" && !IsCountry(a.Country) {
		problems.Add(field, "must be the two letters of a country, such as NO, or empty")
	}
}

// IsCountry reports whether a text can be the code of a country: two letters.
func IsCountry(code string) bool {
	return len(code) == 2 && !strings.ContainsFunc(code, func(r rune) bool {
		return (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	})
}

// Describe returns the address with the names of its country and state from the option
// PlaceName of the API.
func (a Address) Describe(ctx context.Context, api *shopapi.API) Address {
	a.CountryDescr = api.PlaceName(ctx, a.Country, "")
	a.StateDescr = api.PlaceName(ctx, a.Country, a.State)
	if a.State == "" {
		a.StateDescr = ""
	}
	return a
}
