package orders

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"slices"

	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/payments"
	"github.com/shopapi/shopapi/shippings"
	"github.com/shopapi/shopapi/store"
)

// A quoteAnswer is the response to POST orders?quote=Y.
type quoteAnswer struct {
	Order     any              `json:"order"`
	Payments  []quotedPayment  `json:"payments"`
	Shippings []quotedShipping `json:"shippings"`
}

type quotedPayment struct {
	PaymentID int64           `json:"payment_id,string"`
	Payment   string          `json:"payment"`
	Surcharge decimal.Decimal `json:"payment_surcharge"`
}

type quotedShipping struct {
	CompanyID  int64           `json:"company_id,string"`
	ShippingID int64           `json:"shipping_id,string"`
	Shipping   string          `json:"shipping"`
	Cost       decimal.Decimal `json:"shipping_cost"`
}

// quoteOf returns the order that a POST would store, and the methods that fit it.
func (o *Orders) quoteOf(ctx context.Context, r *shopapi.Request) (*quoteAnswer, error) {
	var asked Order // as the payload says
	order, err := o.rows.Draft(ctx, r, func(v *Order) {
		if v.Change != nil {
			v.Change.draft = true
		}
		asked = *v
	})
	if err != nil {
		return nil, err
	}
	ctx = o.api.Confine(inLanguage(ctx, &order))
	answer := &quoteAnswer{Order: answerOf(ctx, o.api, &order), Payments: []quotedPayment{}, Shippings: []quotedShipping{}}
	err = o.st.View(ctx, func(ctx context.Context, tx store.Tx) error {
		if err := o.quotePayments(ctx, tx, &asked, answer); err != nil {
			return err
		}
		return o.quoteShippings(ctx, tx, &asked, &order, answer)
	})
	return answer, err
}

// quotePayments adds the methods of payment that fit.
func (o *Orders) quotePayments(ctx context.Context, tx store.Tx, asked *Order, answer *quoteAnswer) error {
	if o.from.Payments == nil {
		return nil
	}
	list, _, err := o.from.Payments.Find(ctx, payments.Filter{Status: payments.Active + "," + payments.Hidden})
	for i := 0; err == nil && i < len(list); i++ {
		with := asked.quoted()
		with.PaymentID = list[i].PaymentID
		var fits bool
		if fits, err = o.fits(ctx, tx, &with); fits {
			answer.Payments = append(answer.Payments, quotedPayment{with.PaymentID, list[i].Name, money(with.PaymentSurcharge)})
		}
	}
	return err
}

// quoteShippings adds the methods of shipping that fit the order of each company.
func (o *Orders) quoteShippings(ctx context.Context, tx store.Tx, asked, order *Order, answer *quoteAnswer) error {
	if o.from.Shippings == nil {
		return nil
	}
	parts := order.parts
	if len(parts) == 0 {
		parts = []Order{*order}
	}
	list, _, err := o.from.Shippings.Find(ctx, shippings.Filter{Status: shippings.Active + "," + shippings.Hidden})
	if err != nil {
		return err
	}
	asked.Change.nameCompanies(parts)
	for i := range parts {
		if !parts[i].ships() {
			continue
		}
		for j := range list {
			with := asked.quoted()
			with.Change.ShippingIDs[parts[i].CompanyID] = list[j].ShippingID
			fits, err := o.fits(ctx, tx, &with)
			if err != nil {
				return err
			}
			if fits {
				answer.Shippings = append(answer.Shippings, quotedShipping{
					parts[i].CompanyID, list[j].ShippingID, list[j].Name, money(with.costOf(parts[i].CompanyID)),
				})
			}
		}
	}
	return nil
}

// nameCompanies replaces methods that name the product groups by ones that name their companies.
func (e *Change) nameCompanies(parts []Order) {
	if !namesGroups(e.ShippingIDs, len(parts)) {
		return
	}
	by := map[int64]int64{}
	for i := range parts {
		by[parts[i].CompanyID] = e.ShippingIDs[int64(i)]
	}
	e.ShippingIDs = by
}

// quoted returns a copy of an order that was asked for, whose methods can be changed.
func (o *Order) quoted() Order {
	with := *o
	change := *o.Change
	change.ShippingIDs = map[int64]int64{}
	maps.Copy(change.ShippingIDs, o.Change.ShippingIDs)
	change.Lines = slices.Clone(change.Lines)
	with.Change = &change
	return with
}

// costOf returns the shipping cost of the order of a company.
func (o *Order) costOf(company int64) decimal.Decimal {
	for i := range o.parts {
		if o.parts[i].CompanyID == company {
			return o.parts[i].ShippingCost
		}
	}
	return o.ShippingCost
}

// fits fills in an order, and reports whether its methods fit. What else is wrong with it was
// found before.
func (o *Orders) fits(ctx context.Context, tx store.Tx, order *Order) (bool, error) {
	err := o.quote(ctx, tx, order)
	if refused, ok := errors.AsType[*shopapi.Error](err); ok && refused.Status == http.StatusBadRequest {
		return false, nil
	}
	return err == nil, err
}
