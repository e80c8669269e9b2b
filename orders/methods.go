package orders

import (
	"context"
	"errors"
	"slices"

	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/payments"
	"github.com/shopapi/shopapi/shippings"
)

// paymentMethod reads the payment method for an order, and notes why the order cannot
// have it.
func (o *Orders) paymentMethod(ctx context.Context, id, company int64, problems *shopapi.Problems) (*payments.Payment, error) {
	if o.from.Payments == nil {
		return &payments.Payment{PaymentID: id}, nil
	}
	v, err := o.from.Payments.Get(ctx, id)
	var none *shopapi.Error
	switch {
	case errors.As(err, &none) && none.Status == 404 || err == nil && !o.offers(v.CompanyID, company):
		problems.Add("payment_id", "must be the id of a payment method that exists, not %d", id)
		return nil, nil
	case err != nil:
		return nil, err
	case v.Status != payments.Active && v.Status != payments.Hidden:
		problems.Add("payment_id", "cannot be %d: the payment method is disabled", id)
	}
	v.ProcessorParams = ""
	return &v, nil
}

// shippingMethod reads the shipping method for an order, and notes why the order cannot
// have it.
func (o *Orders) shippingMethod(ctx context.Context, id, company int64, problems *shopapi.Problems) (*shippings.Shipping, error) {
	if o.from.Shippings == nil {
		s := &shippings.Shipping{}
		s.ShippingID = id
		return s, nil
	}
	v, err := o.from.Shippings.Get(ctx, id)
	var none *shopapi.Error
	switch {
	case errors.As(err, &none) && none.Status == 404 || err == nil && !o.offers(v.CompanyID, company):
		problems.Add("shipping_id", "must be the id of a shipping method that exists, not %d", id)
		return nil, nil
	case err != nil:
		return nil, err
	}
	return &v, nil
}

// offers reports whether orders of a company can use a method of another: in the edition
// with several storefronts each has its own methods, and vendors may also use the methods
// of the whole shop.
func (o *Orders) offers(of, company int64) bool {
	switch o.api.Edition() {
	case shopapi.MultiStorefront:
		return of == company
	case shopapi.MultiVendor:
		return of == company || of == o.api.DefaultCompany()
	}
	return true
}

// checkMethodStatus notes that a shipping method is disabled.
func checkMethodStatus(m *shippings.Shipping, problems *shopapi.Problems) {
	if !slices.Contains([]string{"", shippings.Active, shippings.Hidden}, m.Status) {
		problems.Add("shipping_id", "cannot be %d: the shipping method is disabled", m.ShippingID)
	}
}

// checkWeight notes that an order is too light or too heavy for a shipping method.
func checkWeight(o *Order, m *shippings.Summary, problems *shopapi.Problems) {
	if weight := o.weight(); o.ships() && !m.Available(weight) {
		problems.Add("shipping_id", "cannot be %d: the shipping method is not available for a weight of %s", m.ShippingID, weight.Trim(0))
	}
}

// setMethod gives an order a shipping method, as it is called and offered now.
func (o *Orders) setMethod(ctx context.Context, order *Order, m *shippings.Shipping) error {
	group, err := o.companyName(ctx, order.CompanyID)
	order.ShippingIDs = shopapi.IDList(shopapi.FormatID(m.ShippingID))
	order.Methods = Methods{{
		ShippingID: m.ShippingID, CompanyID: order.CompanyID, GroupName: group, Name: m.Name, DeliveryTime: m.DeliveryTime,
		RateCalculation: m.RateCalculation, Destination: m.Destination,
		MinWeight: m.MinWeight, MaxWeight: m.MaxWeight, ServiceID: m.ServiceID, TaxIDs: m.TaxIDs.IDs(),
	}}
	return err
}

// companyName is the name of the vendor or storefront that sends an order; in a single
// store the setting's. It is "" for a company that does not exist.
func (o *Orders) companyName(ctx context.Context, company int64) (string, error) {
	if o.api.Edition() == shopapi.SingleStore {
		name, _, err := o.api.Setting(ctx, settingCompanyName)
		return name, err
	}
	entity := "stores"
	if o.api.Edition() == shopapi.MultiVendor {
		entity = "vendors"
	}
	v, err := o.api.Lookup(ctx, entity, shopapi.FormatID(company))
	if errors.Is(err, shopapi.ErrNotRegistered) || errors.Is(err, shopapi.ErrNotFound) {
		return "", nil
	}
	name, _ := shopapi.Field(v, "company")
	return name, err
}

const settingCompanyName = "Company.company_name"

// shippingFor returns the requested shipping method for the orders of a company, or 0.
// single means that no other company is involved.
func (e *Change) shippingFor(company int64, single bool) int64 {
	if id, ok := e.ShippingIDs[company]; ok {
		return id
	}
	if single && len(e.ShippingIDs) == 1 {
		for _, id := range e.ShippingIDs {
			return id
		}
	}
	return e.ShippingID
}

// zeroSurcharge is the fixed surcharge of all parts of an order but the first.
var zeroSurcharge = decimal.MustNew(0, 3)
