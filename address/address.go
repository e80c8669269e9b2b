// Package address is where people live and where goods go: users have an address of
// each kind in their profiles, and orders keep a copy of both (decisions §18, §23).
//
// The wire form and the columns tell the two apart by a prefix, b_city and s_city, so
// that [Billing] and [Shipping] are types of their own, to be embedded in the struct of
// an object. Go code has one type for both, [Address]; the three convert into each
// other:
//
//	user.Shipping = address.Shipping(user.Billing)
//	label := address.Address(order.Shipping)
//	user.Billing = address.Billing(address.Address{City: "Riga", Country: "LV"})
package address

// An Address is where a person lives, or where goods go.
type Address struct {
	FirstName    string `json:"firstname"`
	LastName     string `json:"lastname"`
	Street       string `json:"address"`
	Street2      string `json:"address_2"`
	City         string `json:"city"`
	County       string `json:"county"`
	State        string `json:"state"` // its code, or its name
	StateDescr   string `json:"state_descr" store:"-" bind:"-"`
	Country      string `json:"country"` // two letters of ISO 3166, or ""
	CountryDescr string `json:"country_descr" store:"-" bind:"-"`
	Zipcode      string `json:"zipcode"`
	Phone        string `json:"phone"`
}

// Billing is an [Address] that bills go to, as objects hold it: fields and columns
// begin with b_. The two that end in _descr are read only: see [Address.Describe].
type Billing struct {
	FirstName    string `json:"b_firstname"`
	LastName     string `json:"b_lastname"`
	Street       string `json:"b_address" store:"fold"`
	Street2      string `json:"b_address_2"`
	City         string `json:"b_city" store:"fold"`
	County       string `json:"b_county"`
	State        string `json:"b_state" store:"fold"`
	StateDescr   string `json:"b_state_descr" store:"-" bind:"-"`
	Country      string `json:"b_country"`
	CountryDescr string `json:"b_country_descr" store:"-" bind:"-"`
	Zipcode      string `json:"b_zipcode" store:"fold"`
	Phone        string `json:"b_phone"`
}

// Shipping is an [Address] that goods go to, as objects hold it: fields and columns
// begin with s_. The two that end in _descr are read only: see [Address.Describe].
type Shipping struct {
	FirstName    string `json:"s_firstname"`
	LastName     string `json:"s_lastname"`
	Street       string `json:"s_address" store:"fold"`
	Street2      string `json:"s_address_2"`
	City         string `json:"s_city" store:"fold"`
	County       string `json:"s_county"`
	State        string `json:"s_state" store:"fold"`
	StateDescr   string `json:"s_state_descr" store:"-" bind:"-"`
	Country      string `json:"s_country"`
	CountryDescr string `json:"s_country_descr" store:"-" bind:"-"`
	Zipcode      string `json:"s_zipcode" store:"fold"`
	Phone        string `json:"s_phone"`
}
