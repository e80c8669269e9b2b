package ordermodel_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/internal/shoptest"
	"github.com/shopapi/shopapi/orders/internal/ordermodel"
)

// Taxes of every priority and kind at once: included and added, in percent and fixed, on
// products, shipping and the surcharge, by either address (decisions §20, §26).
func TestOrders_26_TaxesOfEveryPriorityAndKind(t *testing.T) {
	t.Parallel()
	s := newRandomShop(t, shoptest.Memory(t), shopapi.SingleStore, shopapi.DialectDocumented, rand.New(rand.NewPCG(7, 7)), &tally{})
	var all []int64
	for priority := range int64(3) {
		for kind := range 8 {
			tax := &ordermodel.Tax{Included: kind&1 > 0, Billing: kind&2 > 0, Priority: priority}
			var rates []fields
			for _, shipping := range []bool{false, true} {
				rate := ordermodel.Rate{Fixed: kind&4 > 0, Shipping: shipping, Value: ordermodel.N([]string{"7.125", "0.333", "19"}[priority])}
				tax.Rates = append(tax.Rates, rate)
				rates = append(rates, fields{
					"rate_value": text(rate.Value, 3), "rate_type": map[bool]string{true: "F", false: "P"}[rate.Fixed],
					"apply_to": map[bool]string{true: "S", false: "P"}[shipping],
				})
			}
			tax.ID = s.make("taxes", fields{
				"tax": fmt.Sprintf("Kind %d of %d", kind, priority), "price_includes_tax": yes(tax.Included), "priority": priority,
				"address_type": map[bool]string{true: "B", false: "S"}[tax.Billing], "rates": rates,
			})
			s.rules.Taxes[tax.ID] = tax
			all = append(all, tax.ID)
		}
	}
	for _, p := range s.rules.Products {
		s.set(fmt.Sprintf("products/%d", p.ID), fields{"tax_ids": idList(all)})
		p.TaxIDs = all
	}
	for _, p := range s.rules.Payments {
		s.set(fmt.Sprintf("payments/%d", p.ID), fields{"tax_ids": idList(all)})
		p.TaxIDs = all
	}
	for _, m := range s.rules.Shippings {
		s.set(fmt.Sprintf("shippings/%d", m.ID), fields{"tax_ids": idList(all)})
		m.TaxIDs = all
	}
	for range 20 {
		s.setRounding()
		for _, o := range s.place() {
			s.change(o)
			s.change(o)
		}
	}
	if s.tally.placed < 10 {
		t.Errorf("%d orders were placed", s.tally.placed)
	}
}
