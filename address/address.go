// Package address has the postal addresses of users and orders (decisions §18, §23). It is
// not an entity: users have a billing and a shipping address in their profiles, and orders
// keep a copy of both.
package address

// An Address is a postal address of a person. The country is two letters of ISO 3166, or
// empty; the state is a code or a name. The names of both, StateDescr and CountryDescr, are
// read only: see [Address.Describe].
//
// An object that has addresses on the wire has them as fields with the tag prefix, which
// begins the names of their fields and columns, such as b_city:
//
//	Billing address.Address `json:"billing" prefix:"b_"`
type Address struct {
	FirstName    string `json:"firstname" rule:"bytes=255"`
	LastName     string `json:"lastname" rule:"bytes=255"`
	Street       string `json:"address" store:"fold" rule:"bytes=255"`
	Street2      string `json:"address_2" rule:"bytes=255"`
	City         string `json:"city" store:"fold" rule:"bytes=255"`
	County       string `json:"county" rule:"bytes=255"`
	State        string `json:"state" store:"fold" rule:"bytes=64"`
	StateDescr   string `json:"state_descr" store:"-" bind:"-"`
	Country      string `json:"country"`
	CountryDescr string `json:"country_descr" store:"-" bind:"-"`
	Zipcode      string `json:"zipcode" store:"fold" rule:"bytes=32"`
	Phone        string `json:"phone" rule:"bytes=64"`
}
