// Package address has the billing and shipping addresses of users and orders (decisions
// §18, §23). It is not an entity: users have both addresses in their profiles, and
// orders keep a copy of both.
//
// The wire form and the columns of the two differ by a prefix, b_city and s_city, so
// that [Billing] and [Shipping] are types of their own, for embedding in the struct of
// an object. [Address] is the one type for Go code, which orders and carts use; the three
// convert into each other:
//
//	user.Shipping = address.Shipping(user.Billing)
//	label := address.Address(user.Shipping)
//	user.Billing = address.Billing(address.Address{City: "Riga", Country: "LV"})
package address

// An Address is a postal address of a person.
type Address struct {
	FirstName    string `json:"firstname"`
	LastName     string `json:"lastname"`
	Street       string `json:"address"`
	Street2      string `json:"address_2"`
	City         string `json:"city"`
	County       string `json:"county"`
	State        string `json:"state"` // code or name
	StateDescr   string `json:"state_descr" store:"-" bind:"-"`
	Country      string `json:"country"` // two letters of ISO 3166, or ""
	CountryDescr string `json:"country_descr" store:"-" bind:"-"`
	Zipcode      string `json:"zipcode"`
	Phone        string `json:"phone"`
}

// Billing is an [Address] for bills, for embedding in objects: fields and columns begin
// with b_. The two fields that end in _descr are read only: see [Address.Describe].
type Billing struct {
	FirstName    string `json:"b_firstname" rule:"bytes=255"`
	LastName     string `json:"b_lastname" rule:"bytes=255"`
	Street       string `json:"b_address" store:"fold" rule:"bytes=255"`
	Street2      string `json:"b_address_2" rule:"bytes=255"`
	City         string `json:"b_city" store:"fold" rule:"bytes=255"`
	County       string `json:"b_county" rule:"bytes=255"`
	State        string `json:"b_state" store:"fold" rule:"bytes=64"`
	StateDescr   string `json:"b_state_descr" store:"-" bind:"-"`
	Country      string `json:"b_country"`
	CountryDescr string `json:"b_country_descr" store:"-" bind:"-"`
	Zipcode      string `json:"b_zipcode" store:"fold" rule:"bytes=32"`
	Phone        string `json:"b_phone" rule:"bytes=64"`
}

// Shipping is an [Address] for goods, for embedding in objects: fields and columns begin
// with s_. The two fields that end in _descr are read only: see [Address.Describe].
type Shipping struct {
	FirstName    string `json:"s_firstname" rule:"bytes=255"`
	LastName     string `json:"s_lastname" rule:"bytes=255"`
	Street       string `json:"s_address" store:"fold" rule:"bytes=255"`
	Street2      string `json:"s_address_2" rule:"bytes=255"`
	City         string `json:"s_city" store:"fold" rule:"bytes=255"`
	County       string `json:"s_county" rule:"bytes=255"`
	State        string `json:"s_state" store:"fold" rule:"bytes=64"`
	StateDescr   string `json:"s_state_descr" store:"-" bind:"-"`
	Country      string `json:"s_country"`
	CountryDescr string `json:"s_country_descr" store:"-" bind:"-"`
	Zipcode      string `json:"s_zipcode" store:"fold" rule:"bytes=32"`
	Phone        string `json:"s_phone" rule:"bytes=64"`
}
