package orders

import (
	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi"
)

// A past is what only an order of the past says when it is placed: one with a time of its
// own (decisions §26).
type past struct {
	status                                string
	shippingCost, paymentSurcharge, total *decimal.Decimal // written amounts, nil for computed ones
}

// maxFuture is how far in the future an order may be placed, in seconds: clocks differ.
const maxFuture = 5 * 60

// choosePast takes over what an order of the past says of itself.
func (p *placing) choosePast() error {
	if now := p.api.Now(p.ctx).Unix(); p.order.Timestamp > now+maxFuture {
		p.problems.Add("timestamp", "must be at most five minutes in the future: seconds since 1970, not %d", p.order.Timestamp)
	}
	if p.asked.past == nil || p.asked.past.status == "" {
		return nil
	}
	p.order.Status = p.asked.past.status
	return checkLetter(p.tx, "status", p.order.Status, p.problems)
}

// chooseCurrency notes the shop's currency, which the order keeps.
func (p *placing) chooseCurrency() (err error) {
	p.order.Currency, err = p.setting(p.ctx, p.order.CompanyID, shopapi.SettingCurrency)
	return err
}

// writeAmounts sets the written shipping cost and surcharge of an order of the past. It
// returns the name of the first one.
func (p *placing) writeAmounts(order *Order) (sent string) {
	w := p.asked.past
	if w == nil {
		return ""
	}
	if w.paymentSurcharge != nil {
		order.PaymentSurcharge, order.PaymentSurchargeSet, sent = *w.paymentSurcharge, true, "payment_surcharge"
	}
	if w.shippingCost != nil {
		order.ShippingCost, order.ShippingCostSet, sent = *w.shippingCost, true, "shipping_cost"
	}
	return sent
}

// writeTotal sets the written total of an order of the past, once it is priced.
func (p *placing) writeTotal(order *Order) {
	if w := p.asked.past; w != nil && w.total != nil {
		order.TotalAdjustment = minus(*w.total, order.Total)
		order.Total, order.TotalSet = *w.total, true
	}
}

// checkSeveral refuses written amounts of an order of several vendors.
func (w *past) checkSeveral(problems *shopapi.Problems) {
	if w == nil {
		return
	}
	for _, a := range []struct {
		name  string
		value *decimal.Decimal
	}{{"shipping_cost", w.shippingCost}, {"payment_surcharge", w.paymentSurcharge}, {"total", w.total}} {
		if a.value != nil {
			problems.Add(a.name, "cannot be written for products of several vendors")
		}
	}
}
