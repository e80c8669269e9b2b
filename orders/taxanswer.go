package orders

import (
	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/pricing"
)

// A taxAnswer is a tax of an order, or of a line.
type taxAnswer struct {
	RateType         string       `json:"rate_type"`
	RateValue        string       `json:"rate_value"` // three places
	PriceIncludesTax shopapi.Flag `json:"price_includes_tax"`
	RegNumber        string       `json:"regnumber"`
	Priority         int64        `json:"priority"`
	TaxSubtotal      number       `json:"tax_subtotal"`
	TaxableAmount    number       `json:"taxable_amount"`
	Rates            []rateAnswer `json:"rates"`
	Description      string       `json:"description"`
	Applies          *applies     `json:"applies,omitempty"` // of an order alone
}

// A rateAnswer is a rate of a tax: on products (P), shipping (S) or the surcharge (PS).
type rateAnswer struct {
	ApplyTo       string `json:"apply_to"`
	RateType      string `json:"rate_type"`
	RateValue     string `json:"rate_value"`
	TaxableAmount number `json:"taxable_amount"`
	TaxSubtotal   number `json:"tax_subtotal"`
}

// applies lists the lines and methods that a tax applies to.
type applies struct {
	Products number      `json:"P"`
	Shipping number      `json:"S"`
	Items    shopapi.Map `json:"items"`
}

// taxesOf are the taxes of an order by their ids; none are an empty array.
func taxesOf(o *Order) any {
	if len(o.Taxes) == 0 {
		return []string{}
	}
	by := make(shopapi.Map, len(o.Taxes))
	for i := range o.Taxes {
		t := &o.Taxes[i]
		a := t.answer(t.Subtotal)
		a.Rates = t.rates()
		for _, r := range a.Rates {
			a.TaxableAmount.Decimal = plus(a.TaxableAmount.Decimal, r.TaxableAmount.Decimal)
		}
		a.Applies = &applies{Products: number{t.Products}, Shipping: number{t.Shipping}, Items: shopapi.Map{
			{Name: "P", Value: marked(t.Items)}, {Name: "S", Value: marked(t.ShippingIDs)},
		}}
		by[i] = shopapi.Member{Name: shopapi.FormatID(t.TaxID), Value: a}
	}
	return by
}

// answer is a tax without its rates.
func (t *Tax) answer(subtotal decimal.Decimal) taxAnswer {
	rate := t.OnProducts
	if rate == nil {
		rate = t.OnShipping
	}
	a := taxAnswer{
		PriceIncludesTax: shopapi.Flag(t.Included), RegNumber: t.RegNumber, Priority: t.Priority,
		TaxSubtotal: number{subtotal}, TaxableAmount: number{zero}, Description: t.Name,
	}
	a.RateType, a.RateValue = rateOf(rate)
	return a
}

// rates are the rates that apply to the order.
func (t *Tax) rates() []rateAnswer {
	list := []rateAnswer{}
	add := func(to string, rate *pricing.TaxRate, on, amount decimal.Decimal) {
		kind, value := rateOf(rate)
		list = append(list, rateAnswer{to, kind, value, number{on}, number{amount}})
	}
	if len(t.Items) > 0 {
		add("P", t.OnProducts, t.OnGoods, t.Products)
	}
	if len(t.ShippingIDs) > 0 {
		add("S", t.OnShipping, t.OnCost, t.Shipping)
	}
	if t.OnSurcharge != nil {
		add("PS", t.OnShipping, *t.OnSurcharge, t.Surcharge)
	}
	return list
}

// rateOf is the type of a rate and its value with three places; none is 0 percent.
func rateOf(r *pricing.TaxRate) (kind, value string) {
	if r == nil {
		r = &pricing.TaxRate{}
	}
	if kind = "P"; r.Fixed {
		kind = "F"
	}
	return kind, r.Value.Pad(3).String()
}

// taxesOfLine are the taxes of a line by their ids; none are an empty array.
func (o *Order) taxesOfLine(l *Line) any {
	if len(l.Taxes) == 0 {
		return []string{}
	}
	by := make(shopapi.Map, 0, len(l.Taxes))
	for i := range l.Taxes {
		on := &l.Taxes[i]
		t := o.Taxes.byID(on.TaxID)
		if t == nil {
			continue
		}
		a := t.answer(on.Subtotal)
		a.TaxableAmount = number{on.Taxable}
		a.Rates = []rateAnswer{{"P", a.RateType, a.RateValue, a.TaxableAmount, a.TaxSubtotal}}
		by = append(by, shopapi.Member{Name: shopapi.FormatID(on.TaxID), Value: a})
	}
	return by
}

// taxIncluded is the part of the taxes that is inside prices.
func (o *Order) taxIncluded() decimal.Decimal {
	sum := zero
	for i := range o.Taxes {
		sum = plus(sum, o.Taxes[i].inside())
	}
	return sum
}

// taxIncludedIn is the part of the taxes of a line that is inside its price.
func (o *Order) taxIncludedIn(l *Line) decimal.Decimal {
	sum := zero
	for i := range l.Taxes {
		if t := o.Taxes.byID(l.Taxes[i].TaxID); t != nil && t.Included {
			sum = plus(sum, l.Taxes[i].Subtotal)
		}
	}
	return sum
}

// marked is an object that has true for each id; of none an empty array.
func marked(ids []int64) any {
	if len(ids) == 0 {
		return []string{}
	}
	by := make(shopapi.Map, 0, len(ids))
	seen := map[int64]bool{}
	for _, id := range ids {
		if !seen[id] {
			seen[id] = true
			by = append(by, shopapi.Member{Name: shopapi.FormatID(id), Value: true})
		}
	}
	return by
}
