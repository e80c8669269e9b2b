package ordermodel_test

import (
	"encoding/json"
	"fmt"
	"math/big"
	"strconv"

	"github.com/shopapi/shopapi/orders/internal/ordermodel"
)

// A tally counts what a campaign compared.
type tally struct{ placed, changed, refused, numbers int }

// A shownOrder has the amounts that an order shows.
type shownOrder struct {
	Subtotal            json.Number
	DisplaySubtotal     json.Number `json:"display_subtotal"`
	Discount            string
	SubtotalDiscount    string      `json:"subtotal_discount"`
	ShippingCost        string      `json:"shipping_cost"`
	DisplayShippingCost string      `json:"display_shipping_cost"`
	Surcharge           string      `json:"payment_surcharge"`
	TaxSubtotal         json.Number `json:"tax_subtotal"`
	TaxIncluded         json.Number `json:"tax_included"`
	TaxExempted         json.Number `json:"tax_exempted"`
	Total               string
	TotalAdjustment     string `json:"total_adjustment"`
	ShippingCostSet     string `json:"shipping_cost_set"`
	SurchargeSet        string `json:"payment_surcharge_set"`
	TotalSet            string `json:"total_set"`
	TaxExempt           string `json:"tax_exempt"`
	Currency            string `json:"secondary_currency"`
	CompanyID           string `json:"company_id"`
	IsParent            string `json:"is_parent_order"`
	Products            map[string]shownLine
	Taxes               shownTaxes
}

type shownLine struct {
	Amount          string
	Price           string
	Discount        json.Number
	Subtotal        json.Number
	DisplaySubtotal json.Number `json:"display_subtotal"`
	TaxValue        json.Number `json:"tax_value"`
	TaxIncluded     json.Number `json:"tax_included"`
	Taxes           shownTaxes
}

// shownTaxes are taxes by id; none are an empty array.
type shownTaxes map[string]shownTax

type shownTax struct {
	TaxSubtotal   json.Number `json:"tax_subtotal"`
	TaxableAmount json.Number `json:"taxable_amount"`
	Included      string      `json:"price_includes_tax"`
	Rates         []shownRate
	Applies       *struct{ P, S json.Number }
}

type shownRate struct {
	ApplyTo       string      `json:"apply_to"`
	RateType      string      `json:"rate_type"`
	RateValue     string      `json:"rate_value"`
	TaxableAmount json.Number `json:"taxable_amount"`
	TaxSubtotal   json.Number `json:"tax_subtotal"`
}

func (t *shownTaxes) UnmarshalJSON(text []byte) error {
	*t = shownTaxes{}
	if string(text) == "[]" {
		return nil
	}
	return json.Unmarshal(text, (*map[string]shownTax)(t))
}

// differences collects what differs.
type differences struct {
	list    []string
	numbers int
	parent  bool // of a parent, whose orders may have different rates of a tax
}

func (d *differences) number(what, got string, want *big.Rat) {
	d.numbers++
	g, ok := new(big.Rat).SetString(got)
	if !ok || g.Cmp(want) != 0 {
		d.list = append(d.list, fmt.Sprintf("%s is %q, the model says %s", what, got, want.FloatString(4)))
	}
}

func (d *differences) text(what, got, want string) {
	if got != want {
		d.list = append(d.list, fmt.Sprintf("%s is %q, the model says %q", what, got, want))
	}
}

// compare compares an order with the model.
func (s *randomShop) compare(o *ordermodel.Order) {
	want, err := o.Show()
	if err != nil {
		s.fail("the model of order %s: %v", o.ID, err)
	}
	a := s.Get("/api/2.0/orders/" + o.ID)
	if a.Status != 200 {
		s.fail("GET of order %s: %d %s", o.ID, a.Status, a.Body)
	}
	var got shownOrder
	a.Decode(&got)
	var d differences
	d.amounts(&got, want)
	d.text("total_set", got.TotalSet, yes(o.Total != nil))
	d.text("shipping_cost_set", got.ShippingCostSet, yes(o.ShippingCost != nil))
	d.text("payment_surcharge_set", got.SurchargeSet, yes(o.Surcharge != nil))
	d.text("tax_exempt", got.TaxExempt, yes(o.Exempt))
	d.text("secondary_currency", got.Currency, o.Currency)
	d.text("company_id", got.CompanyID, strconv.FormatInt(o.Company, 10))
	d.text("the number of lines", strconv.Itoa(len(got.Products)), strconv.Itoa(len(o.Lines)))
	for _, l := range o.Lines {
		item := strconv.FormatInt(l.Item, 10)
		line, ok := got.Products[item]
		if !ok {
			d.list = append(d.list, "there is no line "+item)
			continue
		}
		amounts := want.Lines[l.Item]
		d.text(item+" amount", line.Amount, strconv.FormatInt(l.Amount, 10))
		d.number(item+" price", line.Price, l.Price)
		d.number(item+" discount", line.Discount.String(), l.Discount)
		d.number(item+" subtotal", line.Subtotal.String(), amounts.Subtotal)
		d.number(item+" display_subtotal", line.DisplaySubtotal.String(), amounts.Subtotal)
		d.number(item+" tax_value", line.TaxValue.String(), amounts.Tax)
		d.number(item+" tax_included", line.TaxIncluded.String(), amounts.Included)
		taxes := map[int64][]ordermodel.Charged{}
		for _, c := range amounts.Taxes {
			taxes[c.Tax] = append(taxes[c.Tax], c)
		}
		d.taxes(item+" ", line.Taxes, taxes)
	}
	s.report(o.ID, &d, a.Body)
}

func (s *randomShop) report(id string, d *differences, body string) {
	s.tally.numbers += d.numbers
	if len(d.list) == 0 {
		return
	}
	for _, difference := range d.list {
		s.t.Errorf("order %s: %s", id, difference)
	}
	s.fail("the order is %s", body)
}

func (d *differences) amounts(got *shownOrder, want *ordermodel.Amounts) {
	d.number("subtotal", got.Subtotal.String(), want.Subtotal)
	d.number("display_subtotal", got.DisplaySubtotal.String(), want.Subtotal)
	d.number("discount", got.Discount, want.LineDiscount)
	d.number("subtotal_discount", got.SubtotalDiscount, want.Discount)
	d.number("shipping_cost", got.ShippingCost, want.ShippingCost)
	d.number("display_shipping_cost", got.DisplayShippingCost, want.ShippingCost)
	d.number("payment_surcharge", got.Surcharge, want.Surcharge)
	d.number("tax_subtotal", got.TaxSubtotal.String(), want.TaxSubtotal)
	d.number("tax_included", got.TaxIncluded.String(), want.TaxIncluded)
	d.number("tax_exempted", got.TaxExempted.String(), want.TaxExempted)
	d.number("total", got.Total, want.Total)
	d.number("total_adjustment", got.TotalAdjustment, want.Adjustment)
	d.taxes("", got.Taxes, want.Taxes)
}

func (d *differences) taxes(of string, got shownTaxes, want map[int64][]ordermodel.Charged) {
	for id := range got {
		n, _ := strconv.ParseInt(id, 10, 64)
		if _, ok := want[n]; !ok {
			d.list = append(d.list, of+"tax "+id+" is shown")
		}
	}
	for id, list := range want {
		what := fmt.Sprintf("%stax %d ", of, id)
		shown, ok := got[strconv.FormatInt(id, 10)]
		if !ok || len(shown.Rates) != len(list) {
			d.list = append(d.list, fmt.Sprintf("%shas the rates %v, the model says %v", what, shown.Rates, list))
			continue
		}
		amount, taxable := new(big.Rat), new(big.Rat)
		for i, c := range list {
			r := shown.Rates[i]
			amount.Add(amount, c.Amount)
			taxable.Add(taxable, c.Taxable)
			d.text(what+"apply_to", r.ApplyTo, c.Kind)
			if !d.parent {
				d.text(what+"rate_type", r.RateType, map[bool]string{true: "F", false: "P"}[c.Rate.Fixed])
				d.text(what+"price_includes_tax", shown.Included, yes(c.Included))
				d.number(what+c.Kind+" rate_value", r.RateValue, c.Rate.Value)
			}
			d.number(what+c.Kind+" tax_subtotal", r.TaxSubtotal.String(), c.Amount)
			d.number(what+c.Kind+" taxable_amount", r.TaxableAmount.String(), c.Taxable)
		}
		d.number(what+"tax_subtotal", shown.TaxSubtotal.String(), amount)
		d.number(what+"taxable_amount", shown.TaxableAmount.String(), taxable)
	}
}

// compareParent compares a parent with the sums of its orders.
func (s *randomShop) compareParent(parts []*ordermodel.Order) {
	first, _ := strconv.ParseInt(parts[0].ID, 10, 64)
	id := strconv.FormatInt(first-1, 10)
	a := s.Get("/api/2.0/orders/" + id)
	var got shownOrder
	a.Decode(&got)
	want := ordermodel.Sum(s.shown(parts)...)
	var d differences
	d.text("is_parent_order", got.IsParent, "Y")
	d.parent = true
	d.amounts(&got, want)
	s.report(id, &d, a.Body)
}
