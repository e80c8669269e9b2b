package orders_test

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"
	"testing"

	"github.com/shopapi/shopapi/orders"
)

// The amounts of orders in a world, computed a second time, in fractions.

func rat(d fmt.Stringer) *big.Rat {
	r, ok := new(big.Rat).SetString(d.String())
	if !ok {
		panic(d.String())
	}
	return r
}

func plus(sum *big.Rat, d fmt.Stringer) { sum.Add(sum, rat(d)) }

// cents is r rounded to two places, half away from zero.
func cents(r *big.Rat) *big.Rat {
	rounded, _ := new(big.Rat).SetString(r.FloatString(2))
	return rounded
}

func percent(p int64, r *big.Rat) *big.Rat {
	return cents(new(big.Rat).Mul(r, big.NewRat(p, 100)))
}

func same(t *testing.T, o *orders.Order, what string, got fmt.Stringer, want *big.Rat) {
	t.Helper()
	if rat(got).Cmp(want) != 0 {
		t.Errorf("the %s of order %d is %s, want %s", what, o.OrderID, got, want.FloatString(2))
	}
}

// prices are the prices of a driftWorld's products, without option modifiers.
var prices = map[int64]*big.Rat{1: big.NewRat(1250, 100), 2: big.NewRat(18, 1), 3: big.NewRat(8, 1), 4: big.NewRat(5, 1), 5: big.NewRat(4, 1)}

// checkAmounts: the amounts of an order follow from its lines, methods and discounts
// (decisions §18).
func (w *driftWorld) checkAmounts(o *orders.Order) {
	w.t.Helper()
	var subtotal, pieces big.Rat
	for i := range o.Lines {
		l := &o.Lines[i]
		price := new(big.Rat).Set(prices[l.ProductID])
		if l.Selection[1] == "2" {
			price.Add(price, big.NewRat(150, 100))
		}
		if l.Selection[2] == "4" {
			price.Add(price, percent(10, prices[l.ProductID]))
		}
		if l.Price.String() != "9.99" { // an edit writes it
			same(w.t, o, "price of a line", l.Price, price)
		}
		sum := new(big.Rat).Mul(rat(l.Price), big.NewRat(l.Amount, 1))
		sum.Sub(sum, rat(l.Discount))
		same(w.t, o, "subtotal of a line", l.Subtotal, sum)
		subtotal.Add(&subtotal, sum)
		if l.ProductID != 4 { // a download
			pieces.Add(&pieces, big.NewRat(l.Amount, 1))
		}
	}
	same(w.t, o, "subtotal", o.Subtotal, &subtotal)

	discount := rat(o.SubtotalDiscount)
	before, tax := new(big.Rat), new(big.Rat)
	upTo := func() *big.Rat { // the part of the discount on the lines so far
		if subtotal.Sign() == 0 {
			return new(big.Rat)
		}
		part := new(big.Rat).Mul(discount, before)
		return cents(part.Quo(part, &subtotal))
	}
	lines := slices.Clone(o.Lines)
	slices.SortFunc(lines, func(a, b orders.Line) int { return cmp.Compare(a.ItemID, b.ItemID) })
	for i := range lines {
		l := &lines[i]
		part := upTo()
		before.Add(before, rat(l.Subtotal))
		part.Sub(upTo(), part)
		on := new(big.Rat)
		if l.ProductID != 3 && l.ProductID != 4 {
			on = percent(20, new(big.Rat).Sub(rat(l.Subtotal), part))
		}
		same(w.t, o, "tax of a line", l.Tax, on)
		tax.Add(tax, on)
	}
	same(w.t, o, "tax", o.TaxSubtotal, tax)

	shipping := new(big.Rat)
	if pieces.Sign() > 0 {
		switch o.Methods[0].ShippingID {
		case 1:
			shipping.Add(big.NewRat(5, 1), new(big.Rat).Mul(&pieces, big.NewRat(1, 2)))
		case 2:
			shipping.SetInt64(4)
		}
	}
	same(w.t, o, "shipping", o.ShippingCost, shipping)
	w.checkSurcharge(o, &subtotal)

	total := new(big.Rat).Sub(&subtotal, discount)
	total.Add(total, shipping)
	total.Add(total, tax)
	total.Add(total, rat(o.PaymentSurcharge))
	if o.Total.String() != "7.77" { // an edit writes it
		same(w.t, o, "total", o.Total, total)
	}
}

// checkSurcharge: the surcharge is 3 % of what goods and shipping cost, of payment 1.
func (w *driftWorld) checkSurcharge(o *orders.Order, subtotal *big.Rat) {
	w.t.Helper()
	if o.PaymentID == 2 {
		same(w.t, o, "surcharge", o.PaymentSurcharge, new(big.Rat))
		return
	}
	of := new(big.Rat).Sub(subtotal, rat(o.SubtotalDiscount))
	same(w.t, o, "surcharge", o.PaymentSurcharge, percent(3, of.Add(of, rat(o.ShippingCost))))
}
