package orders

import (
	"cmp"
	"context"
	"errors"

	"github.com/shopapi/shopapi"
)

// seller is the company of an order, as a document names it: the vendor, else what the
// settings of the shop or of the storefront say.
func (o *Orders) seller(ctx context.Context, company int64) (Seller, error) {
	if o.api.Edition() == shopapi.MultiVendor {
		v, err := o.api.Lookup(shopapi.AsHost(ctx), "vendors", shopapi.FormatID(company))
		if err == nil {
			of := shopapi.FieldsOf(v)
			return sellerOf(func(name string) (text string, err error) {
				text, _ = of(name)
				return text, nil
			}, "company", "address", "city", "state", "country", "zipcode", "phone", "email", "url")
		}
		if !errors.Is(err, shopapi.ErrNotRegistered) && !errors.Is(err, shopapi.ErrNotFound) {
			return Seller{}, err
		}
	}
	return sellerOf(func(name string) (string, error) { return o.setting(ctx, company, "Company."+name) },
		"company_name", "company_address", "company_city", "company_state", "company_country", "company_zipcode", "company_phone",
		"company_orders_department", "company_website")
}

// sellerOf reads the fields of a seller by their names.
func sellerOf(text func(name string) (string, error), names ...string) (s Seller, err error) {
	for i, to := range []*string{&s.Company, &s.Address, &s.City, &s.State, &s.Country, &s.Zipcode, &s.Phone, &s.Email, &s.URL} {
		if *to, err = text(names[i]); err != nil {
			return s, err
		}
	}
	return s, nil
}

// buyer is the customer of an order, as a document names it.
func (o *Order) buyer() Buyer {
	a := &o.Billing
	return Buyer{
		FirstName: cmp.Or(a.FirstName, o.FirstName), LastName: cmp.Or(a.LastName, o.LastName), Company: o.Company, Email: o.Email,
		Phone: cmp.Or(a.Phone, o.Phone), Address: a.Street, Address2: a.Street2, City: a.City, County: a.County,
		State: a.State, Country: a.Country, Zipcode: a.Zipcode,
	}
}
