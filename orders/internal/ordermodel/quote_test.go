package ordermodel_test

import (
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/internal/shoptest"
	"github.com/shopapi/shopapi/options"
	"github.com/shopapi/shopapi/orders"
	"github.com/shopapi/shopapi/orders/internal/ordermodel"
)

// Quote and Place in Go, POST, and POST with quote=Y give the same amounts for the same
// purchase, and refuse the same (decisions §18, §26).
func TestOrders_26_QuoteAndPlaceAreAlike(t *testing.T) {
	t.Parallel()
	seed, shops := campaignSeed(t), uint64(6)
	if isLong() {
		shops = 600
	}
	done := &tally{}
	for number := range shops {
		edition, dialect := editionAndDialect(number)
		s := newRandomShop(t, shoptest.Memory(t), edition, dialect, rand.New(rand.NewPCG(seed, ^number)), done)
		for range 12 {
			s.purchase()
		}
	}
	t.Logf("%d purchases were placed, and %d requests refused", done.placed, done.refused)
}

// purchase asks for a random purchase in four ways.
func (s *randomShop) purchase() {
	p, body := s.placing(false)
	asked := s.goPurchase(p)
	ctx := shopapi.WithUser(s.t.Context(), nil)
	quote, err := s.Orders.Quote(ctx, asked)
	quoted := s.send("POST", s.ordersAddress()+"?quote=Y", body)
	placed := s.postOrder(p, body)
	if placed == nil {
		if err == nil || quoted.Status != 400 {
			s.fail("POST is refused, Quote says %v and POST with quote=Y %d %s", err, quoted.Status, quoted.Body)
		}
		return
	}
	if err != nil || quoted.Status != 200 {
		s.fail("POST is accepted, Quote says %v and POST with quote=Y %d %s", err, quoted.Status, quoted.Body)
	}
	order, err := s.Orders.Place(ctx, asked)
	if err != nil {
		s.fail("Place: %v", err)
	}
	var overHTTP struct{ Order shownOrder }
	quoted.Decode(&overHTTP)
	want := ordermodel.Sum(s.shown(placed)...)
	d := differences{parent: len(placed) > 1}
	d.amounts(&overHTTP.Order, want)
	for what, o := range map[string]*orders.Order{"Quote: ": &quote.Order, "Place: ": &order} {
		d.number(what+"subtotal", o.Subtotal.String(), want.Subtotal)
		d.number(what+"subtotal_discount", o.SubtotalDiscount.String(), want.Discount)
		d.number(what+"shipping_cost", o.ShippingCost.String(), want.ShippingCost)
		d.number(what+"payment_surcharge", o.PaymentSurcharge.String(), want.Surcharge)
		d.number(what+"tax_subtotal", o.TaxSubtotal.String(), want.TaxSubtotal)
		d.number(what+"tax_exempted", o.TaxExempted.String(), want.TaxExempted)
		d.number(what+"total", o.Total.String(), want.Total)
	}
	s.report("quoted", &d, quoted.Body)
}

// shown are the amounts of orders by the model.
func (s *randomShop) shown(all []*ordermodel.Order) (list []*ordermodel.Amounts) {
	for _, o := range all {
		shown, err := o.Show()
		if err != nil {
			s.fail("the model of order %s: %v", o.ID, err)
		}
		list = append(list, shown)
	}
	return list
}

// goPurchase is a POST as Go writes it.
func (s *randomShop) goPurchase(p ordermodel.Placing) orders.Purchase {
	address := func(a ordermodel.Address) orders.Address {
		return orders.Address{FirstName: "Bo", LastName: "Adams", Street: "Road 1", City: "Oslo", Country: a.Country, State: a.State, Zipcode: a.Zipcode}
	}
	asked := orders.Purchase{
		Customer:  &orders.Customer{Email: "bo@example.org", Billing: address(p.Billing), Shipping: address(p.To)},
		PaymentID: p.Payment, ShippingIDs: p.Shipping, TaxExempt: &p.Exempt,
	}
	if s.edition == shopapi.MultiStorefront {
		asked.CompanyID = 1
	}
	if p.Discount != nil {
		asked.SubtotalDiscount = decimal.MustParse(text(p.Discount, 2))
	}
	for i, e := range p.Entries {
		selection := options.Selection{}
		for option, variant := range e.Selection {
			selection[option] = strconv.FormatInt(variant, 10)
		}
		asked.Lines = append(asked.Lines, orders.PurchaseLine{Key: strconv.Itoa(i), ProductID: e.Product, Amount: e.Amount, Selection: selection})
	}
	return asked
}
