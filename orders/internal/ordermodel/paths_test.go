package ordermodel_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi/internal/shoptest"
	"github.com/shopapi/shopapi/orders/internal/ordermodel"
)

// Every series of POST and PUT that ends in the same content under the same kept rules
// gives the same amounts (decisions §26): two orders that are placed alike are changed in
// different ways, to the same content.
func TestOrders_26_PathIndependence(t *testing.T) {
	t.Parallel()
	seed, shops := campaignSeed(t), uint64(12)
	if isLong() {
		shops = 1500
	}
	same, compared := 0, 0
	for number := range shops {
		edition, dialect := editionAndDialect(number)
		s := newRandomShop(t, shoptest.Memory(t), edition, dialect, rand.New(rand.NewPCG(seed, number)), &tally{})
		for range 5 {
			if s.twoPaths() {
				same++
			}
			compared++
		}
	}
	t.Logf("%d of %d pairs of series ended in the same content", same, compared)
	if same < compared/4 {
		t.Errorf("%d of %d pairs of series ended in the same content", same, compared)
	}
}

// twoPaths places two orders and changes them by two series. It reports whether both
// accepted the same content, and fails where they differ then.
func (s *randomShop) twoPaths() bool {
	p, body := s.placing(false)
	var placed [2]*ordermodel.Order
	for i := range placed {
		list := s.postOrder(p, body)
		if len(list) == 0 {
			return false
		}
		placed[i] = list[0]
	}
	edited := s.r.IntN(2) == 0 // the orders keep the rules of before
	if edited {
		turned := s.turned
		for range 4 {
			s.edit()
		}
		s.turned = turned // the destinations of an address are content
	}
	content := s.content(placed[0], !edited)
	for _, o := range placed {
		for range 1 + s.r.IntN(4) {
			if edited {
				c, body := s.detour(o)
				s.putOrder(o, c, body)
			} else {
				s.change(o)
			}
		}
	}
	accepted := true
	for _, o := range placed {
		// A computation ends what recalculate=N kept. The content is sent twice: a part may
		// be refused beside what the order still has.
		s.send("PUT", "orders/"+o.ID, fields{"subtotal_discount": "0.00"})
		s.send("PUT", "orders/"+o.ID, fields{"tax_exempt": "Y"})
		s.send("PUT", "orders/"+o.ID, fields{"tax_exempt": "N"})
		for round := range 2 {
			for _, i := range s.r.Perm(len(content)) {
				a := s.send("PUT", "orders/"+o.ID, content[i])
				if a.Status != 200 && a.Status != 400 {
					s.fail("status %d %s", a.Status, a.Body)
				}
				accepted = accepted && (round == 0 || a.Status == 200)
			}
		}
	}
	if !accepted {
		return false
	}
	if diff := cmp.Diff(s.showing(placed[0].ID), s.showing(placed[1].ID)); diff != "" {
		s.fail("orders %s and %s have the same content, and differ (-first +second):\n%s", placed[0].ID, placed[1].ID, diff)
	}
	return true
}

// content is random content of an order, in PUTs of which each sets a part. With methods it
// has those and new lines, which bring rules of today.
func (s *randomShop) content(o *ordermodel.Order, methods bool) []fields {
	r := s.r
	lines := fields{}
	for _, l := range o.Lines {
		lines[strconv.FormatInt(l.Item, 10)] = fields{
			"amount": 1 + r.IntN(20), "price": text(s.money(50), 2), "discount": text(s.money(1), 2),
			"product_id": l.Product, "product_options": selectionBody(l.Selection),
		}
	}
	to := s.address()
	puts := []fields{
		{"products": lines},
		{"subtotal_discount": text(s.money(5), 2)},
		{"user_data": fields{"b_country": to.Country, "s_country": to.Country, "b_state": to.State, "s_state": to.State, "b_zipcode": to.Zipcode, "s_zipcode": to.Zipcode, "b_city": "Bergen"}},
		{"tax_exempt": yes(r.IntN(3) == 0)},
		{"shipping_cost": pick(r, "", "1917.83")},
		{"payment_surcharge": pick(r, "", "1816.47")},
	}
	if methods {
		// A new method ends the amount that was written: the two are one part.
		puts[4]["shipping_id"] = pick(r, sorted(s.rules.Shippings)...)
		puts[5]["payment_id"] = pick(r, sorted(s.rules.Payments)...)
	}
	return puts
}

// detour is a random PUT that brings no rules of today.
func (s *randomShop) detour(o *ordermodel.Order) (ordermodel.Change, fields) {
	var c ordermodel.Change
	body := fields{"notes": fmt.Sprint(s.r.IntN(1000))}
	switch s.r.IntN(4) {
	case 0:
		s.changeAddress(o, &c, body)
	case 1:
		c.Discount = s.money(5)
		body["subtotal_discount"] = text(c.Discount, 2)
	case 2:
		lines := fields{}
		for _, l := range slices.Backward(o.Lines) {
			e := ordermodel.Entry{Item: l.Item, Amount: 1 + s.r.Int64N(20), Price: s.money(50)}
			c.Entries = append(c.Entries, e)
			lines[strconv.FormatInt(l.Item, 10)] = fields{"amount": e.Amount, "price": text(e.Price, 2)}
		}
		body["products"] = lines
	case 3:
		c.ShippingCost = s.money(30)
		body["shipping_cost"] = text(c.ShippingCost, 2)
	}
	return c, body
}

// showing is an order as GET answers it, without what each order has of its own.
func (s *randomShop) showing(id string) map[string]any {
	var shown map[string]any
	s.Get("/api/2.0/orders/" + id).Decode(&shown)
	forget(shown)
	delete(shown, "notes")
	return shown
}

func forget(v any) {
	switch v := v.(type) {
	case map[string]any:
		delete(v, "order_id")
		delete(v, "parent_order_id")
		for _, member := range v {
			forget(member)
		}
	case []any:
		for _, item := range v {
			forget(item)
		}
	}
}
