package ordermodel_test

import (
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/orders/internal/ordermodel"
)

// entry is a random line of a product, as the model and as the wire have it.
func (s *randomShop) entry(product int64) (ordermodel.Entry, fields) {
	all := selections(s.rules.Products[product])
	e := ordermodel.Entry{Product: product, Selection: all[s.r.IntN(len(all))], Amount: 1 + s.r.Int64N(pick[int64](s.r, 1, 4, 40))}
	return e, fields{"product_id": product, "amount": e.Amount, "product_options": selectionBody(e.Selection)}
}

// place sends a random POST and returns the orders that it makes, none where it is refused.
func (s *randomShop) place() []*ordermodel.Order {
	return s.postOrder(s.placing(s.r.IntN(8) == 0))
}

// placing is a random POST, of an order of the past or of now.
func (s *randomShop) placing(past bool) (ordermodel.Placing, fields) {
	r := s.r
	p := ordermodel.Placing{Billing: s.address(), To: s.address(), Exempt: r.IntN(5) == 0, Shipping: map[int64]int64{}}
	if r.IntN(2) == 0 {
		p.Billing = p.To
	}
	body := s.customer(p.Billing, p.To)
	if s.dialect == shopapi.DialectLive && r.IntN(4) == 0 {
		p.Billing = p.To // an address of which nothing is sent is copied whole
		maps.DeleteFunc(body["user_data"].(fields), func(name string, _ any) bool { return strings.HasPrefix(name, "b_") })
	}
	products := fields{}
	ids := sorted(s.rules.Products)
	companies := map[int64]bool{}
	for i := range 1 + r.IntN(4) {
		e, line := s.entry(pick(r, ids...))
		if past && r.IntN(2) == 0 {
			e.Price = s.money(50)
			line["price"] = text(e.Price, 2)
			if slices.ContainsFunc(p.Entries, func(other ordermodel.Entry) bool {
				return itemKey(other.Product, other.Selection) == itemKey(e.Product, e.Selection)
			}) {
				continue
			}
		}
		p.Entries = append(p.Entries, e)
		companies[s.rules.Products[e.Product].Company] = true
		products[fmt.Sprintf("x%d", i)] = line
	}
	p.Payment = pick(r, sorted(s.rules.Payments)...)
	shippings := fields{}
	for _, company := range sorted(companies) {
		p.Shipping[company] = pick(r, sorted(s.rules.Shippings)...)
		shippings[strconv.FormatInt(company, 10)] = p.Shipping[company]
	}
	body["products"], body["payment_id"], body["shipping_id"], body["tax_exempt"] = products, p.Payment, shippings, yes(p.Exempt)
	if r.IntN(3) == 0 {
		p.Discount = s.money(pick[int64](r, 1, 20))
		body["subtotal_discount"] = text(p.Discount, 2)
	}
	if past && len(companies) == 1 {
		s.writeInto(&p, body)
	} else if past {
		for _, line := range products {
			delete(line.(fields), "price")
		}
		for i := range p.Entries {
			p.Entries[i].Price = nil
		}
	}
	return p, body
}

// writeInto makes an order of the past with written amounts.
func (s *randomShop) writeInto(p *ordermodel.Placing, body fields) {
	body["timestamp"] = 1600000000
	for _, w := range []struct {
		name string
		to   **big.Rat
	}{{"shipping_cost", &p.ShippingCost}, {"payment_surcharge", &p.Surcharge}, {"total", &p.Total}} {
		if s.r.IntN(3) == 0 {
			*w.to = s.money(30)
			body[w.name] = text(*w.to, 2)
		}
	}
}

// postOrder sends a POST and compares what it makes with what the model says.
func (s *randomShop) postOrder(p ordermodel.Placing, body fields) []*ordermodel.Order {
	placed, err := s.rules.Place(p)
	for _, o := range placed {
		if err == nil {
			_, err = o.Show()
		}
	}
	a := s.send("POST", s.ordersAddress(), body)
	if err != nil {
		if a.Status != 400 {
			s.fail("%v: status %d %s", err, a.Status, a.Body)
		}
		s.tally.refused++
		return nil
	}
	if a.Status != 201 {
		s.fail("status %d %s", a.Status, a.Body)
	}
	s.tally.placed++
	id := a.Field("order_id")
	if len(placed) == 1 {
		placed[0].ID = id
	} else {
		first, _ := strconv.ParseInt(id, 10, 64)
		for i, o := range placed {
			o.ID = strconv.FormatInt(first+1+int64(i), 10)
		}
		s.compareParent(placed)
	}
	for _, o := range placed {
		s.compare(o)
	}
	return placed
}

// change sends a random PUT.
func (s *randomShop) change(o *ordermodel.Order) {
	r := s.r
	shown, err := o.Show()
	if err != nil {
		s.fail("the model: %v", err)
	}
	var c ordermodel.Change
	body := fields{}
	if r.IntN(2) == 0 {
		s.changeLines(o, &c, body)
	}
	if r.IntN(4) == 0 {
		id := pick(r, sorted(s.rules.Payments)...)
		c.Payment, body["payment_id"] = &id, id
	}
	if r.IntN(4) == 0 {
		id := pick(r, sorted(s.rules.Shippings)...)
		c.Shipping, body["shipping_id"] = &id, id
	}
	if r.IntN(4) == 0 {
		c.Discount = s.money(pick[int64](r, 1, 20))
		if r.IntN(4) == 0 {
			c.Discount = shown.Discount
		}
		body["subtotal_discount"] = text(c.Discount, 2)
	}
	if r.IntN(4) == 0 {
		s.changeAddress(o, &c, body)
	}
	if r.IntN(6) == 0 {
		exempt := r.IntN(2) == 0
		c.Exempt, body["tax_exempt"] = &exempt, yes(exempt)
	}
	s.writeAmounts(shown, &c, body)
	if r.IntN(12) == 0 {
		c.Reprice, body["reprice"] = true, "Y"
	}
	if r.IntN(12) == 0 && !c.Reprice {
		c.KeepSums, body["recalculate"] = true, "N"
	}
	if len(body) > 0 {
		s.putOrder(o, c, body)
	}
}

// writeAmounts writes new amounts and the shown amounts, and ends written amounts.
func (s *randomShop) writeAmounts(shown *ordermodel.Amounts, c *ordermodel.Change, body fields) {
	r := s.r
	for _, w := range []struct {
		name  string
		to    **big.Rat
		shown *big.Rat
		clear *bool
	}{
		{"shipping_cost", &c.ShippingCost, shown.ShippingCost, &c.ClearShippingCost},
		{"payment_surcharge", &c.Surcharge, shown.Surcharge, &c.ClearSurcharge},
		{"total", &c.Total, shown.Total, nil},
	} {
		switch r.IntN(16) {
		case 0, 1:
			*w.to = s.money(30)
			body[w.name] = text(*w.to, 2)
		case 2:
			*w.to = w.shown
			body[w.name] = text(*w.to, 2)
		case 3:
			if w.clear != nil {
				*w.clear = true
				body[w.name] = ""
			}
		}
	}
}

// changeAddress sends some fields of an address.
func (s *randomShop) changeAddress(o *ordermodel.Order, c *ordermodel.Change, body fields) {
	data := fields{"b_city": "Bergen"}
	next := s.address()
	if s.r.IntN(2) == 0 {
		to := o.To
		to.Country, data["s_country"] = next.Country, next.Country
		if s.r.IntN(2) == 0 {
			to.Zipcode, data["s_zipcode"] = next.Zipcode, next.Zipcode
		}
		c.To = &to
	} else {
		c.Billing = &next
		data["b_country"], data["b_state"], data["b_zipcode"] = next.Country, next.State, next.Zipcode
	}
	body["user_data"] = data
}

// changeLines sends lines: kept ones by item id or by product, changed, left out and new.
func (s *randomShop) changeLines(o *ordermodel.Order, c *ordermodel.Change, body fields) {
	r := s.r
	products := fields{}
	for i, l := range o.Lines {
		if r.IntN(5) == 0 && len(o.Lines) > 1 {
			continue
		}
		e := ordermodel.Entry{Item: l.Item, Amount: l.Amount}
		key, line := strconv.FormatInt(l.Item, 10), fields{}
		if r.IntN(3) == 0 {
			e = ordermodel.Entry{Product: l.Product, Selection: l.Selection, Amount: l.Amount}
			key, line = fmt.Sprintf("k%d", i), fields{"product_id": l.Product, "product_options": selectionBody(l.Selection)}
		}
		switch r.IntN(6) {
		case 0, 1:
			e.Amount = 1 + r.Int64N(30)
		case 2:
			e.Amount = 0
		}
		if e.Amount != 0 {
			line["amount"] = e.Amount
		}
		if r.IntN(6) == 0 {
			e.Price = s.money(50)
			line["price"] = text(e.Price, 2)
		}
		if r.IntN(4) == 0 {
			e.Discount = s.money(pick[int64](r, 1, 10))
			line["discount"] = text(e.Discount, 2)
		}
		if len(line) == 0 {
			line["amount"], e.Amount = l.Amount, l.Amount
		}
		products[key] = line
		c.Entries = append(c.Entries, e)
		if r.IntN(12) == 0 && e.Amount != 0 { // another entry of the line
			twin := ordermodel.Entry{Product: l.Product, Selection: l.Selection, Amount: 1 + r.Int64N(3), Price: e.Price}
			other := fields{"product_id": l.Product, "product_options": selectionBody(l.Selection), "amount": twin.Amount}
			if e.Price != nil && r.IntN(2) == 0 {
				other["price"] = text(e.Price, 2)
				if r.IntN(3) == 0 {
					twin.Price = s.money(50)
					other["price"] = text(twin.Price, 2)
				}
			} else {
				twin.Price = nil
			}
			if e.Discount != nil {
				twin.Discount = s.money(1)
				other["discount"] = text(twin.Discount, 2)
			}
			products[fmt.Sprintf("t%d", i)] = other
			c.Entries = append(c.Entries, twin)
		}
	}
	for i := range r.IntN(3) {
		var ids []int64
		for _, id := range sorted(s.rules.Products) {
			if s.edition != shopapi.MultiVendor || s.rules.Products[id].Company == o.Company {
				ids = append(ids, id)
			}
		}
		e, line := s.entry(pick(r, ids...))
		if slices.ContainsFunc(c.Entries, func(other ordermodel.Entry) bool { return s.means(o, other) == s.means(o, e) }) {
			continue
		}
		if r.IntN(4) == 0 {
			e.Price = s.money(50)
			line["price"] = text(e.Price, 2)
		}
		if r.IntN(4) == 0 {
			e.Discount = s.money(1)
			line["discount"] = text(e.Discount, 2)
		}
		products[fmt.Sprintf("n%d", i)] = line
		c.Entries = append(c.Entries, e)
	}
	if len(products) == 0 {
		c.Entries = nil
		return
	}
	body["products"] = products
}

// means is the item id of the line that an entry means.
func (s *randomShop) means(o *ordermodel.Order, e ordermodel.Entry) int64 {
	if e.Item != 0 {
		return e.Item
	}
	return s.rules.Item(e.Product, e.Selection)
}

// putOrder sends a PUT and compares what it makes with what the model says.
func (s *randomShop) putOrder(o *ordermodel.Order, c ordermodel.Change, body fields) {
	err := o.Put(s.rules, c)
	a := s.send("PUT", "orders/"+o.ID, body)
	if err != nil {
		if a.Status != 400 {
			s.fail("%v: status %d %s", err, a.Status, a.Body)
		}
		s.tally.refused++
	} else if a.Status != 200 {
		s.fail("status %d %s", a.Status, a.Body)
	} else {
		s.tally.changed++
	}
	s.compare(o)
}

// putBack sends what GET answered, which changes nothing.
func (s *randomShop) putBack(o *ordermodel.Order) {
	before := s.Get("/api/2.0/orders/" + o.ID).Body
	a := s.Put("/api/2.0/orders/"+o.ID, before)
	if after := s.Get("/api/2.0/orders/" + o.ID).Body; a.Status != 200 || after != before {
		s.fail("PUT of what GET of %s answered: %d %s\nbefore %s\nafter  %s", o.ID, a.Status, a.Body, before, after)
	}
}
