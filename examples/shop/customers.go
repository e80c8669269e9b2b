package main

import (
	"context"
	"fmt"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/address"
	"github.com/shopapi/shopapi/users"
)

// customersPerPart is how many customers each part of the demo has.
const customersPerPart = 120

// addCustomers creates customers with addresses.
func (f *filler) addCustomers(ctx context.Context) error {
	list := make([]users.User, customersPerPart)
	for n := range list {
		home := f.anAddress()
		u := &list[n]
		u.Email = fmt.Sprintf("%s.%s%d@example.net", ascii(home.FirstName), ascii(home.LastName), f.part*customersPerPart+n)
		u.UserType, u.CompanyID = shopapi.Customer, f.company
		u.FirstName, u.LastName, u.Phone = home.FirstName, home.LastName, home.Phone
		u.Billing, u.Shipping = home, home
		if f.random.IntN(8) == 0 { // gifts go to another address
			u.Shipping = f.anAddress()
		}
	}
	var err error
	f.customers, err = f.shop.Users.CreateAll(ctx, list)
	return err
}

// anAddress returns the address of a person in a town.
func (f *filler) anAddress() address.Address {
	town := towns[f.random.IntN(len(towns))]
	return address.Address{
		FirstName: f.pick(people), LastName: f.pick(families),
		Street: fmt.Sprintf("%s %d", town.street, 1+f.random.IntN(120)),
		City:   town.city, Country: town.country, Zipcode: fmt.Sprintf(town.zipcode, f.random.IntN(90)),
		Phone: fmt.Sprintf("+1000000%04d", f.random.IntN(10_000)),
	}
}

// ascii returns a name in the form of an e-mail address.
func ascii(name string) string {
	var b []byte
	for _, r := range name {
		switch {
		case r >= 'A' && r <= 'Z':
			b = append(b, byte(r)+'a'-'A')
		case r >= 'a' && r <= 'z':
			b = append(b, byte(r))
		case r == 'ö' || r == 'Ö' || r == 'ø':
			b = append(b, 'o')
		case r == 'é' || r == 'è':
			b = append(b, 'e')
		case r == 'ü':
			b = append(b, 'u')
		}
	}
	return string(b)
}

var (
	families = []string{"Novak", "Lindqvist", "Moreau", "Okafor", "Schmidt", "Rossi", "Tamm", "Garcia", "Nakamura", "Kowalski", "Jensen", "O'Brien", "Müller", "Ferreira", "Yılmaz", "Clarke"}
	towns    = []struct{ city, country, zipcode, street string }{
		{"London", "GB", "N%d 4AB", "Harbour Road"}, {"Leeds", "GB", "LS%d 2CD", "Mill Lane"},
		{"Berlin", "DE", "101%02d", "Lindenallee"}, {"Hamburg", "DE", "203%02d", "Kirchweg"},
		{"Paris", "FR", "750%02d", "Rue des Potiers"}, {"Lyon", "FR", "690%02d", "Quai du Rhône"},
		{"Oslo", "NO", "01%02d", "Storgata"}, {"Malmö", "SE", "211 %02d", "Hamngatan"},
		{"Riga", "LV", "LV-10%02d", "Rīgas iela"}, {"Madrid", "ES", "280%02d", "Calle Mayor"},
		{"Torino", "IT", "101%02d", "Via Roma"}, {"Wien", "AT", "10%02d", "Töpfergasse"},
	}
)
