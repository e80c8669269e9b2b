package orders

import (
	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi"
)

// repaid is the amount that was paid back, 0 until one is written.
func (o *Order) repaid() decimal.Decimal {
	if o.Repaid == nil {
		return zero
	}
	return *o.Repaid
}

// repaidText is repaid on the wire, with two decimals once it was written.
func (o *Order) repaidText() string {
	if o.Repaid == nil {
		return "0"
	}
	return money(*o.Repaid).String()
}

// bindRepaid reads repaid. An amount that the order shows already is not written.
func bindRepaid(p *shopapi.Payload, o *Order, problems *shopapi.Problems) {
	if sent := amountOf(p.Raw("repaid"), "repaid", problems); sent != nil && !sent.Equal(o.repaid()) {
		o.Repaid = sent
	}
}

// checkRepaid refuses an amount that is more than the total, whichever of them changed.
func (o *Order) checkRepaid(before *Order, problems *shopapi.Problems) {
	changed := !o.repaid().Equal(before.repaid())
	if !changed && o.Total.Equal(before.Total) || problems.Err() != nil {
		return
	}
	switch {
	case changed && bool(o.IsParent):
		problems.Add("repaid", "cannot be written for products of several vendors")
	case changed && (o.repaid().IsNeg() || o.repaid().Cmp(o.Total) > 0):
		problems.Add("repaid", "must be from 0 to the total, %s", money(o.Total))
	case o.repaid().Cmp(o.Total) > 0:
		problems.Add("total", "must be at least %s, which is repaid", money(o.repaid()))
	}
}
