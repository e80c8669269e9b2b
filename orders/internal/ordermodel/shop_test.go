package ordermodel_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/extensions/changes"
	"github.com/shopapi/shopapi/orders"
	"github.com/shopapi/shopapi/orders/internal/ordermodel"
	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store"
)

// A randomShop is a shop with random taxes, methods and products, and the model's copy of
// their rules.
type randomShop struct {
	*apitest.Shop
	t       testing.TB
	r       *rand.Rand
	rules   *ordermodel.Shop
	edition shopapi.Edition
	dialect shopapi.Dialect
	items   map[string]int64 // item ids by product and selection
	plain   int64            // a shipping method that costs nothing
	turned  bool             // the host maps addresses in another way
	sent    []string         // the last requests
	tally   *tally
}

// fields is an object of a request.
type fields map[string]any

func newRandomShop(t testing.TB, st store.Store, edition shopapi.Edition, dialect shopapi.Dialect, r *rand.Rand, done *tally) *randomShop {
	s := &randomShop{
		Shop: apitest.NewWithStore(t, unclosed{st}, &shop.Options{
			Options: shopapi.Options{Edition: edition, Dialect: dialect}, Changes: changes.Options{Mode: changes.On},
		}),
		t: t, r: r, edition: edition, dialect: dialect, items: map[string]int64{}, tally: done,
		rules: &ordermodel.Shop{
			Products: map[int64]*ordermodel.Product{}, Taxes: map[int64]*ordermodel.Tax{},
			Payments: map[int64]*ordermodel.Payment{}, Shippings: map[int64]*ordermodel.Shipping{}, Currency: "USD",
		},
	}
	s.rules.Item = func(product int64, selection ordermodel.Selection) int64 {
		item, ok := s.items[itemKey(product, selection)]
		if !ok {
			s.fail("no item id of product %d with %v", product, selection)
		}
		return item
	}
	s.rules.Destinations = func(a ordermodel.Address) []int64 { return destinations(a, s.turned) }
	s.Orders.Destinations(func(_ context.Context, to orders.Address) []int64 {
		return destinations(ordermodel.Address{Country: to.Country, State: to.State, Zipcode: to.Zipcode}, s.turned)
	})
	s.setRounding()
	s.make("categories", fields{"category": "Clay", "company_id": 1})
	if edition == shopapi.MultiVendor {
		s.make("vendors", fields{"company": "Two", "email": "two@example.org", "status": "A", "phone": "1", "address": "Road 1", "city": "Oslo", "country": "NO", "state": "03", "zipcode": "0150"})
	}
	for range 3 + r.IntN(4) {
		s.addTax()
	}
	for range 2 + r.IntN(2) {
		s.addPayment()
	}
	for range 2 + r.IntN(3) {
		s.addShipping()
	}
	for range 4 + r.IntN(4) {
		s.addProduct()
	}
	s.plain = s.make("shippings", fields{"shipping": "Messenger", "company_id": 1})
	s.learnItems()
	return s
}

// unclosed is a store that somebody else closes.
type unclosed struct{ store.Store }

func (unclosed) Close() error { return nil }

// Unwrap returns the store, for the change log.
func (u unclosed) Unwrap() store.Store { return u.Store }

// destinations is what the host answers for an address.
func destinations(a ordermodel.Address, turned bool) []int64 {
	switch {
	case a == ordermodel.Address{}:
		return []int64{1}
	case turned:
		return []int64{7, 1}
	case a.Country == "LV":
		return []int64{5, 1}
	case a.Country == "NO":
		return []int64{7, 5, 1}
	}
	return []int64{1}
}

// fail ends the test with the requests that led to it.
func (s *randomShop) fail(format string, arguments ...any) {
	s.t.Helper()
	for _, request := range s.sent {
		s.t.Log(request)
	}
	s.t.Fatalf(format, arguments...)
}

// send sends a request.
func (s *randomShop) send(method, address string, body fields) *apitest.Answer {
	text := ""
	if body != nil {
		encoded, err := json.Marshal(body)
		if err != nil {
			s.t.Fatal(err)
		}
		text = string(encoded)
	}
	a := s.Do(method, "/api/2.0/"+address, "application/json", text)
	s.sent = append(s.sent, fmt.Sprintf("%s %s %s: %d", method, address, text, a.Status))
	return a
}

// make creates an object and returns its id.
func (s *randomShop) make(entity string, body fields) int64 {
	a := s.send("POST", entity, body)
	if a.Status != 201 {
		s.fail("status %d %s", a.Status, a.Body)
	}
	var reply map[string]any
	a.Decode(&reply)
	for _, name := range []string{"tax_id", "payment_id", "shipping_id", "product_id", "option_id", "order_id", "category_id", "store_id"} {
		if id, ok := reply[name]; ok {
			n, err := strconv.ParseInt(fmt.Sprint(id), 10, 64)
			if err != nil {
				s.fail("the id %v", id)
			}
			return n
		}
	}
	s.fail("no id in %s", a.Body)
	return 0
}

// set changes an object.
func (s *randomShop) set(address string, body fields) {
	if a := s.send("PUT", address, body); a.Status != 200 {
		s.fail("status %d %s", a.Status, a.Body)
	}
}

func pick[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

// some returns some of the ids, in order.
func some(r *rand.Rand, ids []int64) (list []int64) {
	for _, id := range ids {
		if r.IntN(2) == 0 {
			list = append(list, id)
		}
	}
	return list
}

// idList is a list of ids as the wire takes it.
func idList(ids []int64) string {
	text := ""
	for i, id := range ids {
		if i > 0 {
			text += ","
		}
		text += strconv.FormatInt(id, 10)
	}
	return text
}

func sorted[T any](m map[int64]T) (ids []int64) {
	for id := range m {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

// money is a random amount to the cent.
func (s *randomShop) money(most int64) *big.Rat { return big.NewRat(s.r.Int64N(most*100+1), 100) }

func text(a *big.Rat, places int) string { return a.FloatString(places) }

func yes(b bool) string {
	if b {
		return "Y"
	}
	return "N"
}

func (s *randomShop) setRounding() {
	s.rules.RoundByOrder = s.r.IntN(2) == 0
	s.FixSetting(shopapi.SettingTaxRounding, map[bool]string{true: "order", false: "line"}[s.rules.RoundByOrder])
}

// taxBody is a random table of a tax.
func (s *randomShop) taxBody(t *ordermodel.Tax) fields {
	r := s.r
	t.Included, t.Billing, t.Disabled, t.Priority = r.IntN(2) == 0, r.IntN(3) == 0, r.IntN(8) == 0, r.Int64N(3)
	t.Rates = nil
	var rates []fields
	for range r.IntN(5) {
		rate := ordermodel.Rate{
			Country: pick(r, "", "LV", "NO"), State: pick(r, "", "", "03"), Zipcode: pick(r, "", "", "0150", "1010"),
			Fixed: r.IntN(4) == 0, Shipping: r.IntN(3) == 0, Value: ordermodel.N(pick(r, "5", "20", "7.5", "0.125", "19.999", "100", "0")),
		}
		if rate.Fixed {
			rate.Value = ordermodel.N(pick(r, "0.25", "1", "0.335", "30", "0"))
		}
		t.Rates = append(t.Rates, rate)
		rates = append(rates, fields{
			"country": rate.Country, "state": rate.State, "zipcode": rate.Zipcode, "rate_value": text(rate.Value, 3),
			"rate_type": map[bool]string{true: "F", false: "P"}[rate.Fixed], "apply_to": map[bool]string{true: "S", false: "P"}[rate.Shipping],
		})
	}
	body := fields{
		"tax": fmt.Sprintf("Tax %d", t.ID), "price_includes_tax": yes(t.Included), "priority": t.Priority,
		"address_type": map[bool]string{true: "B", false: "S"}[t.Billing], "status": pick(r, "A", "A", "H"), "rates": rates,
	}
	if t.Disabled {
		body["status"] = "D"
	}
	if rates == nil {
		body["rates"] = []fields{}
	}
	return body
}

func (s *randomShop) addTax() {
	t := &ordermodel.Tax{}
	t.ID = s.make("taxes", s.taxBody(t))
	s.rules.Taxes[t.ID] = t
}

func (s *randomShop) paymentBody(p *ordermodel.Payment) fields {
	p.Amount, p.Percent = ordermodel.N(pick(s.r, "0", "1.005", "2.5", "0.3")), ordermodel.N(pick(s.r, "0", "0", "3", "2.125"))
	p.TaxIDs = some(s.r, sorted(s.rules.Taxes))
	return fields{"payment": "Card", "company_id": 1, "a_surcharge": text(p.Amount, 3), "p_surcharge": text(p.Percent, 3), "tax_ids": idList(p.TaxIDs)}
}

func (s *randomShop) addPayment() {
	p := &ordermodel.Payment{}
	p.ID = s.make("payments", s.paymentBody(p))
	s.rules.Payments[p.ID] = p
}

func (s *randomShop) shippingBody(m *ordermodel.Shipping) fields {
	r := s.r
	m.MinWeight, m.MaxWeight = ordermodel.N(pick(r, "0", "0", "0", "0.5")), ordermodel.N(pick(r, "0", "0", "0", "30"))
	m.TaxIDs = some(r, sorted(s.rules.Taxes))
	m.Rates = map[int64]ordermodel.Table{}
	rates := []fields{}
	destinations := []int64{1}
	switch r.IntN(8) {
	case 0:
		destinations = nil
	case 1:
		destinations = []int64{5, 7}
	case 2, 3, 4:
		destinations = []int64{1, 7}
	}
	for _, d := range destinations {
		table := ordermodel.Table{Cost: s.steps("50", "12.5"), Weight: s.steps("1.25", "10"), Items: s.steps("3", "10")}
		m.Rates[d] = table
		rates = append(rates, fields{"destination_id": d, "rate_value": fields{"C": stepsBody(table.Cost), "W": stepsBody(table.Weight), "I": stepsBody(table.Items)}})
	}
	return fields{"shipping": "Post", "company_id": 1, "min_weight": text(m.MinWeight, 2), "max_weight": text(m.MaxWeight, 2), "tax_ids": idList(m.TaxIDs), "rates": rates}
}

func (s *randomShop) addShipping() {
	m := &ordermodel.Shipping{}
	m.ID = s.make("shippings", s.shippingBody(m))
	s.rules.Shippings[m.ID] = m
}

func (s *randomShop) steps(thresholds ...string) (list []ordermodel.Step) {
	for _, threshold := range append([]string{"0"}, thresholds...) {
		if s.r.IntN(3) == 0 {
			continue
		}
		value := ordermodel.N(pick(s.r, "0", "1", "2.35", "0.335", "7.125"))
		step := ordermodel.Step{From: ordermodel.N(threshold), Value: value, Percent: s.r.IntN(4) == 0, PerUnit: s.r.IntN(4) == 0}
		list = append(list, step)
	}
	return list
}

func stepsBody(steps []ordermodel.Step) fields {
	body := fields{}
	for _, step := range steps {
		body[text(step.From, 2)] = fields{
			"value": text(step.Value, 3), "per_unit": yes(step.PerUnit), "type": map[bool]string{true: "P", false: "F"}[step.Percent],
		}
	}
	return body
}

// productBody is what a line takes from a product, at random.
func (s *randomShop) productBody(p *ordermodel.Product) fields {
	r := s.r
	p.Price, p.Weight, p.Freight = s.money(pick[int64](r, 1, 20, 200)), big.NewRat(r.Int64N(3000), 1000), ordermodel.N(pick(r, "0", "0", "1.15"))
	p.FreeShipping, p.Download = r.IntN(6) == 0, r.IntN(8) == 0
	shipped := p.Download && r.IntN(2) == 0
	p.TaxIDs = some(r, sorted(s.rules.Taxes))
	body := fields{
		"price": text(p.Price, 2), "weight": text(p.Weight, 3), "shipping_freight": text(p.Freight, 2), "free_shipping": yes(p.FreeShipping),
		"zero_price_action": "P", "is_edp": yes(p.Download), "edp_shipping": yes(shipped), "tax_ids": idList(p.TaxIDs),
	}
	p.Download = p.Download && !shipped
	return body
}

func (s *randomShop) addProduct() {
	p := &ordermodel.Product{Company: 1}
	if s.edition == shopapi.MultiVendor {
		p.Company = 1 + s.r.Int64N(2)
	}
	body := s.productBody(p)
	body["product"], body["category_ids"], body["company_id"], body["tracking"] = "Mug", []int{1}, p.Company, "D"
	p.ID = s.make("products", body)
	for range s.r.IntN(3) {
		var o ordermodel.Option
		var variants []fields
		for range 2 {
			v := ordermodel.Variant{
				Modifier: ordermodel.N(pick(s.r, "0", "1.5", "0.335", "12.5", "-3")), Percent: s.r.IntN(2) == 0,
				WeightModifier: ordermodel.N(pick(s.r, "0", "0.25", "0.5")), WeightPercent: s.r.IntN(2) == 0,
			}
			o.Variants = append(o.Variants, v)
			variants = append(variants, fields{
				"variant_name": "V", "modifier": text(v.Modifier, 3), "modifier_type": map[bool]string{true: "P", false: "A"}[v.Percent],
				"weight_modifier": text(v.WeightModifier, 3), "weight_modifier_type": map[bool]string{true: "P", false: "A"}[v.WeightPercent],
			})
		}
		o.ID = s.make("options", fields{"product_id": p.ID, "option_name": "O", "inventory": "N", "company_id": p.Company, "variants": variants})
		var stored struct {
			Variants map[string]struct {
				Position string `json:"position"`
				ID       string `json:"variant_id"`
			}
		}
		s.send("GET", fmt.Sprintf("options/%d", o.ID), nil).Decode(&stored)
		var ids []int64
		for id := range stored.Variants {
			n, _ := strconv.ParseInt(id, 10, 64)
			ids = append(ids, n)
		}
		slices.Sort(ids)
		for i, id := range ids {
			o.Variants[i].ID = id
		}
		p.Options = append(p.Options, o)
	}
	s.rules.Products[p.ID] = p
}

// selections are all selections of a product.
func selections(p *ordermodel.Product) []ordermodel.Selection {
	all := []ordermodel.Selection{{}}
	for _, o := range p.Options {
		var longer []ordermodel.Selection
		for _, s := range all {
			for _, v := range o.Variants {
				next := ordermodel.Selection{o.ID: v.ID}
				maps.Copy(next, s)
				longer = append(longer, next)
			}
		}
		all = longer
	}
	return all
}

func itemKey(product int64, s ordermodel.Selection) string {
	return fmt.Sprint(product, map[int64]int64(s))
}

func selectionBody(s ordermodel.Selection) fields {
	body := fields{}
	for option, variant := range s {
		body[strconv.FormatInt(option, 10)] = variant
	}
	return body
}

// learnItems places an order of every selection of every product, and notes the item ids.
func (s *randomShop) learnItems() {
	lines := []fields{}
	for _, id := range sorted(s.rules.Products) {
		for _, selection := range selections(s.rules.Products[id]) {
			lines = append(lines, fields{"product_id": id, "amount": 1, "product_options": selectionBody(selection)})
		}
	}
	body := s.customer(ordermodel.Address{Country: "NO"}, ordermodel.Address{Country: "NO"})
	body["products"], body["payment_id"], body["shipping_id"] = lines, sorted(s.rules.Payments)[0], s.plain
	order := s.make(s.ordersAddress(), body)
	var shown struct {
		Products map[string]struct {
			ProductID string `json:"product_id"`
			Extra     struct {
				Options json.RawMessage `json:"product_options"`
			}
		}
	}
	s.send("GET", fmt.Sprintf("orders/%d", order), nil).Decode(&shown)
	for item, line := range shown.Products {
		selection := ordermodel.Selection{}
		var options map[string]string
		if json.Unmarshal(line.Extra.Options, &options) == nil {
			for option, variant := range options {
				o, _ := strconv.ParseInt(option, 10, 64)
				v, _ := strconv.ParseInt(variant, 10, 64)
				selection[o] = v
			}
		}
		product, _ := strconv.ParseInt(line.ProductID, 10, 64)
		s.items[itemKey(product, selection)], _ = strconv.ParseInt(item, 10, 64)
	}
	if len(s.items) != len(lines) {
		s.fail("%d item ids of %d selections: %v", len(s.items), len(lines), s.items)
	}
}

func (s *randomShop) ordersAddress() string {
	if s.edition == shopapi.MultiStorefront {
		return "stores/1/orders"
	}
	return "orders"
}

// address is a random address.
func (s *randomShop) address() ordermodel.Address {
	return ordermodel.Address{Country: pick(s.r, "LV", "NO", "SE"), State: pick(s.r, "", "03"), Zipcode: pick(s.r, "0150", "1010", "2020")}
}

// customer is a body with a guest's user_data.
func (s *randomShop) customer(billing, to ordermodel.Address) fields {
	data := fields{"email": "bo@example.org"}
	for prefix, a := range map[string]ordermodel.Address{"b_": billing, "s_": to} {
		for name, value := range map[string]string{"firstname": "Bo", "lastname": "Adams", "address": "Road 1", "city": "Oslo", "country": a.Country, "state": a.State, "zipcode": a.Zipcode} {
			data[prefix+name] = value
		}
	}
	if billing.Zipcode == "" {
		data["b_zipcode"], data["s_zipcode"] = "9999", "9999"
	}
	return fields{"user_data": data}
}

// deleteTax deletes a tax, which methods and products name no more then. Orders keep it.
func (s *randomShop) deleteTax(id int64) {
	if a := s.send("DELETE", fmt.Sprintf("taxes/%d", id), nil); a.Status != 204 {
		s.fail("status %d %s", a.Status, a.Body)
	}
	delete(s.rules.Taxes, id)
	without := func(ids *[]int64) {
		*ids = slices.DeleteFunc(slices.Clone(*ids), func(other int64) bool { return other == id })
	}
	for _, p := range s.rules.Products {
		without(&p.TaxIDs)
	}
	for _, p := range s.rules.Payments {
		without(&p.TaxIDs)
	}
	for _, m := range s.rules.Shippings {
		without(&m.TaxIDs)
	}
}

// edit changes a random rule of today.
func (s *randomShop) edit() {
	r := s.r
	switch r.IntN(9) {
	case 0, 1:
		t := s.rules.Taxes[pick(r, sorted(s.rules.Taxes)...)]
		next := *t
		s.set(fmt.Sprintf("taxes/%d", t.ID), s.taxBody(&next))
		*t = next
	case 2:
		p := s.rules.Payments[pick(r, sorted(s.rules.Payments)...)]
		next := *p
		s.set(fmt.Sprintf("payments/%d", p.ID), s.paymentBody(&next))
		*p = next
	case 3:
		m := s.rules.Shippings[pick(r, sorted(s.rules.Shippings)...)]
		next := *m
		s.set(fmt.Sprintf("shippings/%d", m.ID), s.shippingBody(&next))
		*m = next
	case 4:
		p := s.rules.Products[pick(r, sorted(s.rules.Products)...)]
		next := *p
		s.set(fmt.Sprintf("products/%d", p.ID), s.productBody(&next))
		*p = next
	case 5:
		s.setRounding()
	case 6:
		s.turned = !s.turned
	case 7:
		s.rules.Currency = pick(r, "USD", "USD", "NOK")
		s.FixSetting(shopapi.SettingCurrency, s.rules.Currency)
	case 8:
		if len(s.rules.Taxes) > 3 && r.IntN(3) == 0 {
			s.deleteTax(pick(r, sorted(s.rules.Taxes)...))
		}
	}
}
