package orders

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/address"
	"github.com/shopapi/shopapi/pricing"
)

// An Address is where an order is billed or shipped to: the address of profiles.
type Address = address.Address

// placeOf is where an address lies, as taxes ask.
func placeOf(a *Address) pricing.Place {
	return pricing.Place{Country: a.Country, State: a.State, Zipcode: a.Zipcode}
}

// A Customer is the customer of an order: the profile of a registered user, or a guest's
// data.
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

// addressFields are the fields of both addresses.
var addressFields = []struct {
	billing, shipping string // names
	of                func(*Address) *string
}{
	{"b_firstname", "s_firstname", func(a *Address) *string { return &a.FirstName }},
	{"b_lastname", "s_lastname", func(a *Address) *string { return &a.LastName }},
	{"b_address", "s_address", func(a *Address) *string { return &a.Street }},
	{"b_address_2", "s_address_2", func(a *Address) *string { return &a.Street2 }},
	{"b_city", "s_city", func(a *Address) *string { return &a.City }},
	{"b_county", "s_county", func(a *Address) *string { return &a.County }},
	{"b_state", "s_state", func(a *Address) *string { return &a.State }},
	{"b_country", "s_country", func(a *Address) *string { return &a.Country }},
	{"b_zipcode", "s_zipcode", func(a *Address) *string { return &a.Zipcode }},
	{"b_phone", "s_phone", func(a *Address) *string { return &a.Phone }},
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
		fn(f.billing, f.of(&c.Billing))
	}
	for _, f := range addressFields {
		fn(f.shipping, f.of(&c.Shipping))
	}
}

// complete copies an address of which nothing is known from the other one.
func (c *Customer) complete() {
	switch {
	case c.Billing == Address{}:
		c.Billing = c.Shipping
	case c.Shipping == Address{}:
		c.Shipping = c.Billing
	}
}

// replaceBy takes the texts and addresses of other that are not empty. One address alone
// becomes both.
func (c *Customer) replaceBy(other *Customer) {
	for _, text := range []struct{ to, by *string }{
		{&c.FirstName, &other.FirstName}, {&c.LastName, &other.LastName}, {&c.Email, &other.Email}, {&c.Phone, &other.Phone},
		{&c.Company, &other.Company}, {&c.Fax, &other.Fax}, {&c.URL, &other.URL}, {&c.LangCode, &other.LangCode},
	} {
		if *text.by != "" {
			*text.to = *text.by
		}
	}
	if other.Billing != (Address{}) {
		c.Billing = other.Billing
	}
	if other.Shipping != (Address{}) {
		c.Shipping = other.Shipping
	}
	c.TaxExempt = c.TaxExempt || other.TaxExempt
	c.complete()
}

// normalize brings the texts into their one form, and gives a customer without a name
// that of the billing address.
func (c *Customer) normalize() {
	c.Email = strings.TrimSpace(c.Email)
	c.Billing = c.Billing.Normalize()
	c.Shipping = c.Shipping.Normalize()
	if c.FirstName == "" && c.LastName == "" {
		c.FirstName, c.LastName = c.Billing.FirstName, c.Billing.LastName
	}
	if c.Phone == "" {
		c.Phone = c.Billing.Phone
	}
}

// missing returns the names of the empty texts. A change does not miss what the order lacked
// before it; before is nil for a new order.
func (c *Customer) missing(before *Customer) (names []string) {
	lacked := map[string]bool{}
	if before != nil {
		before.fields(func(name string, text *string) { lacked[name] = strings.TrimSpace(*text) == "" })
	}
	c.fields(func(name string, text *string) {
		if !lacked[name] && strings.TrimSpace(*text) == "" {
			names = append(names, name)
		}
	})
	return names
}

// checkGuest notes the missing texts that the order of a guest needs: the e-mail address, and in
// both addresses the required fields.
func (o *Orders) checkGuest(ctx context.Context, company int64, missing []string, problems *shopapi.Problems) error {
	if len(missing) == 0 {
		return nil
	}
	required, err := o.requiredFields(ctx, company)
	if err != nil {
		return err
	}
	for _, name := range missing {
		prefix, field, _ := strings.Cut(name, "_")
		if name == "email" || (prefix == "b" || prefix == "s") && slices.Contains(required, field) {
			problems.Add(inUserData(name), "is required of a guest")
		}
	}
	return nil
}

// requiredFields returns the fields of addresses that the orders of guests need, as the
// setting order_required_fields says (decisions §27).
func (o *Orders) requiredFields(ctx context.Context, company int64) ([]string, error) {
	if o.api.Edition() != shopapi.MultiStorefront {
		company = 0
	}
	text, known, err := o.api.SettingOf(ctx, company, shopapi.SettingOrderRequiredFields)
	if err != nil {
		return nil, err
	}
	if !known {
		text = address.DefaultRequired
	}
	return address.ParseRequired(text)
}

// check reports texts of a customer that cannot be stored. before is the order's copy
// before the change: unchanged fields are not checked again.
func (c *Customer) check(before *Customer, problems *shopapi.Problems) {
	var own shopapi.Problems
	own.Bytes("email", c.Email, maxEmail)
	if at := strings.LastIndexByte(c.Email, '@'); c.Email != "" && (at < 1 || at == len(c.Email)-1) {
		own.Add("email", "must be an e-mail address such as name@example.org")
	}
	for name, text := range map[string]string{"firstname": c.FirstName, "lastname": c.LastName, "company": c.Company, "url": c.URL} {
		own.Bytes(name, text, address.MaxText)
	}
	own.Bytes("phone", c.Phone, address.MaxPhone)
	own.Bytes("fax", c.Fax, address.MaxPhone)
	c.Billing.Check(&own, "b_")
	c.Shipping.Check(&own, "s_")
	var found *shopapi.Error
	if !errors.As(own.Err(), &found) {
		return
	}
	had := map[string]string{}
	before.fields(func(name string, text *string) { had[name] = *text })
	c.fields(func(name string, text *string) {
		if problem, wrong := found.Fields[name]; wrong && (had[name] != *text || *text == "") {
			problems.Add(inUserData(name), "%s", problem)
		}
	})
}

// inUserData names a field of user_data.
func inUserData(name string) string { return "user_data[" + name + "]" }
