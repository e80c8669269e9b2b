package pricing_test

import (
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi/pricing"
)

var d = decimal.MustParse

// decimals compares amounts as texts.
var decimals = cmp.Transformer("text", decimal.Decimal.String)

func price(t *testing.T, o *pricing.Order) pricing.Amounts {
	t.Helper()
	a, err := pricing.Price(o)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// The examples of the package documentation, which are computed there.
func TestPrice_WorkedExamples(t *testing.T) {
	percent := func(rate string) *pricing.TaxRate { return &pricing.TaxRate{Value: d(rate)} }
	for _, c := range []struct {
		name  string
		order pricing.Order
		want  map[string]string
	}{
		{"options, shipping, a tax and a surcharge", pricing.Order{
			Lines: []pricing.Line{
				{Price: d("12.50"), Modifiers: []pricing.Modifier{{Value: d("1.5")}, {Value: d("10"), Percent: true}}, Amount: 2, TaxIDs: []int64{1}, Ships: true},
				{Price: d("18"), Amount: 1, TaxIDs: []int64{1}, Ships: true},
			},
			Shipping: &pricing.Shipping{Destinations: []int64{1}, Rates: []pricing.Rate{{
				DestinationID: 1,
				ByCost:        []pricing.Step{{From: d("0"), Value: d("5")}},
				ByItem:        []pricing.Step{{From: d("0"), Value: d("0.5"), PerUnit: true}},
			}}},
			Taxes:     []pricing.Tax{{ID: 1, Products: percent("20")}},
			Surcharge: pricing.Surcharge{Percent: d("3")},
		}, map[string]string{
			"unit price 0": "15.25", "subtotal 0": "30.50", "subtotal": "48.50", "shipping": "6.50",
			"tax 0": "6.10", "tax 1": "3.60", "tax": "9.70", "surcharge": "1.65", "total": "66.35",
		}},
		{"two taxes of different priority, and discounts", pricing.Order{
			Lines:            []pricing.Line{{Price: d("9.99"), Amount: 3, Discount: d("2.97"), TaxIDs: []int64{1, 2}}},
			SubtotalDiscount: d("7"),
			Taxes:            []pricing.Tax{{ID: 2, Priority: 1, Products: percent("5")}, {ID: 1, Products: percent("10")}},
		}, map[string]string{
			"subtotal": "27.00", "discount": "2.97", "goods": "20.00", "tax of 1": "2.00", "tax of 2": "1.10", "total": "23.10",
		}},
		{"a tax that prices include", pricing.Order{
			Lines: []pricing.Line{{Price: d("24"), Amount: 1, TaxIDs: []int64{1, 2}, Ships: true}},
			Shipping: &pricing.Shipping{Destinations: []int64{1}, TaxIDs: []int64{1}, Rates: []pricing.Rate{{
				DestinationID: 1, ByCost: []pricing.Step{{From: d("0"), Value: d("6")}},
			}}},
			Taxes: []pricing.Tax{
				{ID: 1, Included: true, Products: percent("20"), Shipping: percent("20")},
				{ID: 2, Priority: 1, Products: percent("5"), Shipping: percent("5")},
			},
		}, map[string]string{
			"subtotal": "24.00", "shipping": "6.00", "tax of 1": "5.00", "tax of 2": "1.20", "tax": "1.20", "included tax": "5.00", "total": "31.20",
			"tax of 1 on": "20.00 of lines, 5.00 of shipping", "tax of 2 on": "24.00 of lines, 0.00 of shipping",
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := price(t, &c.order)
			got := map[string]string{
				"subtotal": a.Subtotal.String(), "discount": a.Discount.String(), "goods": a.Goods.String(), "shipping": a.ShippingCost.String(),
				"tax": a.TaxSubtotal.String(), "included tax": a.TaxIncluded.String(), "surcharge": a.Surcharge.String(), "total": a.Total.String(),
			}
			for i, l := range a.Lines {
				got[fmt.Sprint("unit price ", i)] = l.UnitPrice.String()
				got[fmt.Sprint("subtotal ", i)] = l.Subtotal.String()
				got[fmt.Sprint("tax ", i)] = l.Tax.String()
			}
			for _, x := range a.Taxes {
				got[fmt.Sprint("tax of ", x.ID)] = x.Subtotal.String()
				got[fmt.Sprintf("tax of %d on", x.ID)] = fmt.Sprintf("%s of lines, %s of shipping", x.ProductsBase, x.ShippingBase)
			}
			for name, want := range c.want {
				if got[name] != want {
					t.Errorf("%s is %s, want %s", name, got[name], want)
				}
			}
		})
	}
}

// Half a cent is rounded away from zero.
func TestRound(t *testing.T) {
	for text, want := range map[string]string{
		"0.005": "0.01", "0.015": "0.02", "0.025": "0.03", "-0.005": "-0.01", "1.0049999": "1.00", "2": "2.00", "2.5": "2.50",
		"99999999999999999.99": "99999999999999999.99", "9999999999999999.995": "10000000000000000.00",
	} {
		if got := pricing.Round(d(text)).String(); got != want {
			t.Errorf("Round(%s) = %s, want %s", text, got, want)
		}
	}
}

func TestPrice_Refuses(t *testing.T) {
	line := pricing.Line{Price: d("10"), Amount: 2}
	for name, c := range map[string]struct {
		order pricing.Order
		field string
		line  int
	}{
		"a discount beyond the subtotal":  {pricing.Order{Lines: []pricing.Line{line}, SubtotalDiscount: d("20.01")}, "subtotal_discount", -1},
		"a discount below 0":              {pricing.Order{Lines: []pricing.Line{line}, SubtotalDiscount: d("-0.01")}, "subtotal_discount", -1},
		"a line's discount beyond it":     {pricing.Order{Lines: []pricing.Line{line, {Price: d("1"), Amount: 1, Discount: d("1.01")}}}, "discount", 1},
		"a line's discount that is below": {pricing.Order{Lines: []pricing.Line{{Price: d("1"), Amount: 1, Discount: d("-1")}}}, "discount", 0},
	} {
		var field *pricing.FieldError
		if _, err := pricing.Price(&c.order); !errors.As(err, &field) || field.Field != c.field || field.Line != c.line {
			t.Errorf("%s: error %v", name, err)
		}
	}
	huge := pricing.Order{Lines: []pricing.Line{{Price: d("9999999999.99"), Amount: 2_000_000_000}}}
	if _, err := pricing.Price(&huge); !errors.Is(err, pricing.ErrTooLarge) {
		t.Errorf("a total beyond the column: error %v", err)
	}
	huge = pricing.Order{Lines: []pricing.Line{{Price: d("5000000000"), Amount: 2}}}
	if _, err := pricing.Price(&huge); !errors.Is(err, pricing.ErrTooLarge) {
		t.Errorf("a total just beyond the greatest amount: error %v", err)
	}
	huge = pricing.Order{Lines: []pricing.Line{{Price: pricing.Max, Amount: 1}}}
	if a, err := pricing.Price(&huge); err != nil || a.Total.Cmp(pricing.Max) != 0 {
		t.Errorf("the greatest amount: %v, total %s", err, a.Total)
	}
	huge = pricing.Order{Lines: []pricing.Line{{Price: d("9000000000"), Amount: 1}, {Price: d("900000000"), Amount: 1}}, SubtotalDiscount: d("5000000000")}
	if a, err := pricing.Price(&huge); err != nil || a.Lines[0].Goods.String() != "4454545454.55" {
		t.Errorf("a great discount: %v, line 1 %s", err, a.Lines[0].Goods)
	}
}

// What ships, by which threshold, to which destination (§20).
func TestPrice_Shipping(t *testing.T) {
	step := func(from, value string) pricing.Step { return pricing.Step{From: d(from), Value: d(value)} }
	lines := []pricing.Line{
		{Price: d("20"), Amount: 2, Ships: true, Weight: d("1.5"), Freight: d("0.25")},
		{Price: d("100"), Amount: 1, Weight: d("50"), Freight: d("9")}, // does not ship
	}
	both := []int64{5, 1}
	for name, c := range map[string]struct {
		rates        []pricing.Rate
		destinations []int64
		want         string
		err          error
	}{
		"no rates at all":               {nil, both, "0.50", nil},
		"the highest threshold":         {[]pricing.Rate{{DestinationID: 1, ByCost: []pricing.Step{step("0", "9"), step("50", "1"), step("40", "3"), step("10", "5")}}}, both, "3.50", nil},
		"no threshold reached":          {[]pricing.Rate{{DestinationID: 1, ByCost: []pricing.Step{step("41", "9")}}}, both, "0.50", nil},
		"weight and pieces add up":      {[]pricing.Rate{{DestinationID: 1, ByWeight: []pricing.Step{step("3", "2")}, ByItem: []pricing.Step{step("2", "1")}}}, both, "3.50", nil},
		"percent of the cost":           {[]pricing.Rate{{DestinationID: 1, ByCost: []pricing.Step{{From: d("0"), Value: d("7.5"), Percent: true}}}}, both, "3.50", nil},
		"each unit":                     {[]pricing.Rate{{DestinationID: 1, ByWeight: []pricing.Step{{From: d("0"), Value: d("2"), PerUnit: true}}}}, both, "6.50", nil},
		"the first destination of both": {[]pricing.Rate{{DestinationID: 1, ByCost: []pricing.Step{step("0", "9")}}, {DestinationID: 5, ByCost: []pricing.Step{step("0", "4")}}}, both, "4.50", nil},
		"rates, but none for it":        {[]pricing.Rate{{DestinationID: 7, ByCost: []pricing.Step{step("0", "9")}}}, both, "", pricing.ErrNoRate},
	} {
		a, err := pricing.Price(&pricing.Order{Lines: lines, Shipping: &pricing.Shipping{Rates: c.rates, Destinations: c.destinations}})
		if !errors.Is(err, c.err) || err == nil && a.ShippingCost.String() != c.want {
			t.Errorf("%s: %s, %v; want %s, %v", name, a.ShippingCost, err, c.want, c.err)
		}
	}
	none := &pricing.Order{Lines: lines[1:], Shipping: &pricing.Shipping{Destinations: both, Rates: []pricing.Rate{{DestinationID: 1, ByCost: []pricing.Step{step("0", "9")}}}}}
	if a := price(t, none); !a.ShippingCost.IsZero() {
		t.Errorf("shipping nothing costs %s", a.ShippingCost)
	}
	cost := d("3.333")
	none.Shipping.Cost = &cost
	if a := price(t, none); a.ShippingCost.String() != "3.33" || a.Total.String() != "103.33" {
		t.Errorf("shipping that was priced before costs %s of %s", a.ShippingCost, a.Total)
	}
}

// Zipcode beats state beats country beats empty, at a tie the first (§20).
func TestChoose(t *testing.T) {
	rate := func(country, state, zipcode, value string) pricing.AreaRate {
		return pricing.AreaRate{Area: pricing.Place{Country: country, State: state, Zipcode: zipcode}, TaxRate: pricing.TaxRate{Value: d(value)}}
	}
	rates := []pricing.AreaRate{
		rate("", "", "", "1"), rate("DE", "", "", "2"), rate("DE", "BY", "", "3"), rate("", "", "80331", "4"), rate("DE", "", "", "5"),
		{Shipping: true, Area: pricing.Place{Country: "DE"}, TaxRate: pricing.TaxRate{Value: d("6")}},
	}
	for _, c := range []struct {
		at       pricing.Place
		shipping bool
		want     string
	}{
		{pricing.Place{Country: "FR"}, false, "1"},
		{pricing.Place{Country: "DE"}, false, "2"},
		{pricing.Place{Country: "DE", State: "BY"}, false, "3"},
		{pricing.Place{Country: "DE", State: "BY", Zipcode: "80331"}, false, "4"},
		{pricing.Place{Country: "DE"}, true, "6"},
		{pricing.Place{Country: "FR"}, true, "none"},
	} {
		got := "none"
		if r := pricing.Choose(rates, c.at, c.shipping); r != nil {
			got = r.Value.String()
		}
		if got != c.want {
			t.Errorf("%+v, shipping %v: %s, want %s", c.at, c.shipping, got, c.want)
		}
	}
}

// An exempt order adds no tax; one inside a price is subtracted (decisions §26).
func TestPrice_TaxExempt(t *testing.T) {
	o := &pricing.Order{
		Lines: []pricing.Line{{Price: d("12"), Amount: 1, TaxIDs: []int64{1, 2}}},
		Taxes: []pricing.Tax{
			{ID: 1, Included: true, Products: &pricing.TaxRate{Value: d("20")}},
			{ID: 2, Products: &pricing.TaxRate{Value: d("5")}},
		},
		TaxExempt: true,
	}
	if a := price(t, o); a.Total.String() != "10.00" || a.Exempted.String() != "2.00" || !a.TaxSubtotal.IsZero() || len(a.Taxes) != 1 || !a.Taxes[0].Subtotal.IsZero() || a.Taxes[0].ProductsBase.String() != "10.00" {
		t.Errorf("got %s of tax %+v", a.Total, a.Taxes)
	}
}

// An exempt order pays no included tax on shipping and surcharge either. A percentage of the
// surcharge counts goods and shipping without those taxes (decisions §26).
func TestPrice_26_TaxExemptOnShippingAndSurcharge(t *testing.T) {
	rate := &pricing.TaxRate{Value: d("20")}
	cost := d("6")
	o := &pricing.Order{
		Lines:     []pricing.Line{{Price: d("12"), Amount: 1, TaxIDs: []int64{1}}},
		Shipping:  &pricing.Shipping{Cost: &cost, TaxIDs: []int64{1}},
		Surcharge: pricing.Surcharge{Value: d("2.40"), Percent: d("10"), TaxIDs: []int64{1}},
		Taxes:     []pricing.Tax{{ID: 1, Included: true, Products: rate, Shipping: rate}},
	}
	type amounts struct{ Surcharge, Exempted, ShippingExempted, SurchargeExempted, Tax, Included, Total string }
	of := func(a pricing.Amounts) amounts {
		return amounts{
			a.Surcharge.String(), a.Exempted.String(), a.ShippingExempted.String(), a.SurchargeExempted.String(),
			a.Lines[0].Tax.String(), a.TaxIncluded.String(), a.Total.String(),
		}
	}
	for _, whole := range []bool{false, true} {
		o.RoundOrder = whole
		o.TaxExempt = true
		want := amounts{"3.90", "3.65", "1.00", "0.65", "0.00", "0.00", "18.25"}
		if diff := cmp.Diff(want, of(price(t, o))); diff != "" {
			t.Errorf("exempt, rounded once %v:\n%s", whole, diff)
		}
		o.TaxExempt = false
		want = amounts{"4.20", "0.00", "0.00", "0.00", "2.00", "3.70", "22.20"}
		if diff := cmp.Diff(want, of(price(t, o))); diff != "" {
			t.Errorf("not exempt, rounded once %v:\n%s", whole, diff)
		}
	}
}

// Where the shop rounds once for the order, no line is rounded before, and the tax is cut
// over the lines by running sums (decisions §26).
func TestPrice_26_RoundedOnceForTheOrder(t *testing.T) {
	percent := func(id, priority int64, included bool, value string) pricing.Tax {
		return pricing.Tax{ID: id, Priority: priority, Included: included, Products: &pricing.TaxRate{Value: d(value)}}
	}
	fixed := func(id int64, included bool, value string) pricing.Tax {
		return pricing.Tax{ID: id, Included: included, Products: &pricing.TaxRate{Value: d(value), Fixed: true}}
	}
	for _, c := range []struct {
		name         string
		prices       []string
		pieces       int64
		taxes        []pricing.Tax
		lines, order string // taxes, rounded for each line and once
	}{
		{"added", []string{"0.10", "0.10", "0.10"}, 1, []pricing.Tax{percent(1, 0, false, "5")},
			"1: 0.01 0.01 0.01 = 0.03 on 0.30", "1: 0.01 0.00 0.01 = 0.02 on 0.30"},
		{"on a tax of lower priority", []string{"0.10", "0.10", "0.10"}, 1, []pricing.Tax{percent(1, 0, false, "5"), percent(2, 1, false, "100")},
			"1: 0.01 0.01 0.01 = 0.03 on 0.30, 2: 0.11 0.11 0.11 = 0.33 on 0.33", "1: 0.01 0.00 0.01 = 0.02 on 0.30, 2: 0.11 0.10 0.11 = 0.32 on 0.32"},
		{"included", []string{"0.10", "0.10", "0.10"}, 1, []pricing.Tax{percent(1, 0, true, "20")},
			"1: 0.02 0.02 0.02 = 0.06 on 0.24", "1: 0.02 0.01 0.02 = 0.05 on 0.25"},
		{"included, of two priorities", []string{"1.10", "1.10"}, 1, []pricing.Tax{percent(1, 0, true, "7"), percent(2, 1, true, "10")},
			"1: 0.07 0.07 = 0.14 on 1.86, 2: 0.10 0.10 = 0.20 on 2.00", "1: 0.07 0.06 = 0.13 on 1.87, 2: 0.10 0.10 = 0.20 on 2.00"},
		{"fixed", []string{"1.00", "1.00"}, 3, []pricing.Tax{fixed(1, false, "0.002")},
			"1: 0.01 0.01 = 0.02 on 6.00", "1: 0.01 0.00 = 0.01 on 6.00"},
		{"fixed on nothing", []string{"0.00", "0.00"}, 1, []pricing.Tax{fixed(1, false, "0.30")},
			"1: 0.30 0.30 = 0.60 on 0.00", "1: 0.00 0.60 = 0.60 on 0.00"},
		{"fixed on one line of nothing", []string{"0.00"}, 1, []pricing.Tax{fixed(1, false, "0.30")},
			"1: 0.30 = 0.30 on 0.00", "1: 0.30 = 0.30 on 0.00"},
		{"fixed, included, at most what is there", []string{"0.50", "0.10"}, 1, []pricing.Tax{fixed(1, true, "0.30")},
			"1: 0.30 0.10 = 0.40 on 0.20", "1: 0.40 0.00 = 0.40 on 0.20"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := &pricing.Order{Taxes: c.taxes}
			for _, p := range c.prices {
				line := pricing.Line{Price: d(p), Amount: c.pieces}
				for _, tax := range c.taxes {
					line.TaxIDs = append(line.TaxIDs, tax.ID)
				}
				o.Lines = append(o.Lines, line)
			}
			for _, o.RoundOrder = range []bool{false, true} {
				want := c.lines
				if o.RoundOrder {
					want = c.order
				}
				var got []string
				for _, tax := range price(t, o).Taxes {
					text, base := fmt.Sprintf("%d:", tax.ID), d("0.00")
					for i, line := range tax.Lines {
						if !tax.OnLines[i] {
							t.Errorf("tax %d is not on line %d", tax.ID, i)
						}
						text += " " + line.String()
						base, _ = base.Add(tax.LineBases[i])
					}
					if base != tax.ProductsBase {
						t.Errorf("tax %d is on %s, but on %s of the lines", tax.ID, tax.ProductsBase, base)
					}
					got = append(got, fmt.Sprintf("%s = %s on %s", text, tax.Products, tax.ProductsBase))
				}
				if diff := cmp.Diff(want, strings.Join(got, ", ")); diff != "" {
					t.Errorf("rounded once %v:\n%s", o.RoundOrder, diff)
				}
			}
		})
	}
}

// A fixed tax is for each piece, and once for the shipping.
func TestPrice_FixedTax(t *testing.T) {
	fixed := &pricing.TaxRate{Value: d("0.30"), Fixed: true}
	cost := d("4")
	o := &pricing.Order{
		Lines:    []pricing.Line{{Price: d("12"), Amount: 3, TaxIDs: []int64{1}}},
		Shipping: &pricing.Shipping{Cost: &cost, TaxIDs: []int64{1}},
		Taxes:    []pricing.Tax{{ID: 1, Products: fixed, Shipping: fixed}},
	}
	if a := price(t, o); a.TaxSubtotal.String() != "1.20" || a.Total.String() != "41.20" {
		t.Errorf("tax %s, total %s", a.TaxSubtotal, a.Total)
	}
	o.Taxes[0].Included = true
	if a := price(t, o); !a.TaxSubtotal.IsZero() || a.Total.String() != "40.00" || a.Taxes[0].Subtotal.String() != "1.20" {
		t.Errorf("included: tax %s of %+v, total %s", a.TaxSubtotal, a.Taxes, a.Total)
	}
}

// Included taxes are taken out of the price from the highest priority down, and their
// base does not include an added tax of a lower priority; net plus included taxes equal
// the price, to the cent (decisions §26).
func TestPrice_26_IncludedTaxes(t *testing.T) {
	percent := func(id, priority int64, included bool, value string) pricing.Tax {
		return pricing.Tax{ID: id, Priority: priority, Included: included, Products: &pricing.TaxRate{Value: d(value)}}
	}
	fixed := func(id, priority int64, value string) pricing.Tax {
		return pricing.Tax{ID: id, Priority: priority, Included: true, Products: &pricing.TaxRate{Value: d(value), Fixed: true}}
	}
	for name, c := range map[string]struct {
		price string
		taxes []pricing.Tax
		want  string // by id, and the total
	}{
		"added below an included one": {"12.00", []pricing.Tax{percent(1, 0, false, "10"), percent(2, 1, true, "20")}, "1:1.00 2:2.00 13.00"},
		"added above an included one": {"12.00", []pricing.Tax{percent(1, 0, true, "20"), percent(2, 1, false, "10")}, "1:2.00 2:1.20 13.20"},
		"two of one priority":         {"1.00", []pricing.Tax{percent(2, 0, true, "7"), percent(1, 0, true, "7")}, "2:0.06 1:0.06 1.00"},
		"the highest id has the rest": {"0.10", []pricing.Tax{percent(1, 0, true, "7"), percent(2, 0, true, "7"), percent(3, 0, true, "7")}, "1:0.01 2:0.01 3:0.00 0.10"},
		"fixed ones come first":       {"2.50", []pricing.Tax{percent(1, 0, true, "20"), fixed(2, 0, "0.10")}, "1:0.40 2:0.10 2.50"},
		"at most what is there":       {"0.50", []pricing.Tax{fixed(1, 0, "0.40"), fixed(2, 0, "0.40"), percent(3, 0, true, "20")}, "1:0.40 2:0.10 3:0.00 0.50"},
		"two priorities":              {"13.20", []pricing.Tax{percent(1, 0, true, "20"), percent(2, 1, true, "10")}, "1:2.00 2:1.20 13.20"},
	} {
		o := &pricing.Order{Lines: []pricing.Line{{Price: d(c.price), Amount: 1}}, Taxes: c.taxes}
		for _, tax := range c.taxes {
			o.Lines[0].TaxIDs = append(o.Lines[0].TaxIDs, tax.ID)
		}
		a := price(t, o)
		got := ""
		for _, tax := range a.Taxes {
			got += fmt.Sprintf("%d:%s ", tax.ID, tax.Subtotal)
		}
		if got += a.Total.String(); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// Of several rates that fit, the zipcode decides, then the state, then the country
// (decisions §26).
func TestChoose_26_TheNextFieldDecides(t *testing.T) {
	rate := func(country, state, zipcode, value string) pricing.AreaRate {
		return pricing.AreaRate{Area: pricing.Place{Country: country, State: state, Zipcode: zipcode}, TaxRate: pricing.TaxRate{Value: d(value)}}
	}
	rates := []pricing.AreaRate{
		rate("", "BY", "", "1"), rate("DE", "BY", "", "2"), rate("", "", "80331", "3"), rate("DE", "", "80331", "4"), rate("", "BY", "80331", "5"), rate("DE", "BY", "80333", "6"),
	}
	for at, want := range map[pricing.Place]string{
		{Country: "DE", State: "BY"}:                   "2",
		{Country: "AT", State: "BY"}:                   "1",
		{Country: "AT", Zipcode: "80331"}:              "3",
		{Country: "DE", Zipcode: "80331"}:              "4",
		{Country: "DE", State: "BY", Zipcode: "80331"}: "5",
		{Country: "DE", State: "BY", Zipcode: "80333"}: "6",
	} {
		if got := pricing.Choose(rates, at, false); got == nil || got.Value.String() != want {
			t.Errorf("%+v: %v, want %s", at, got, want)
		}
	}
}

// What a discount leaves does not depend on the last line: it is cut by running sums
// (decisions §26).
func TestPrice_26_DiscountsAreCutByRunningSums(t *testing.T) {
	o := &pricing.Order{SubtotalDiscount: d("0.02")}
	for range 4 {
		o.Lines = append(o.Lines, pricing.Line{Price: d("1"), Amount: 1})
	}
	var got []string
	for _, l := range price(t, o).Lines {
		got = append(got, l.Goods.String())
	}
	if diff := cmp.Diff([]string{"0.99", "1.00", "0.99", "1.00"}, got); diff != "" {
		t.Error(diff)
	}
}

// Parts of amounts below 0 are rounded as those above are, and add up too (decisions §26).
func TestPart_26_BelowZero(t *testing.T) {
	for _, c := range []struct{ amount, want string }{{"0.05", "0.02 0.01 0.02"}, {"-0.05", "-0.02 -0.01 -0.02"}} {
		var got []string
		for i := range int64(3) {
			got = append(got, pricing.Part(d(c.amount), decimal.MustNew(i, 0), decimal.MustNew(i+1, 0), d("3")).String())
		}
		if diff := cmp.Diff(c.want, strings.Join(got, " ")); diff != "" {
			t.Errorf("%s in three parts:\n%s", c.amount, diff)
		}
	}
}

// The amounts of random orders equal a second computation with fractions.
func TestPrice_AgainstFractions(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for i := range 3000 {
		o := randomOrder(random)
		a, err := pricing.Price(&o)
		if err != nil {
			t.Fatalf("order %d: %v", i, err)
		}
		want := inFractions(&o)
		got := map[string]string{
			"subtotal": a.Subtotal.String(), "goods": a.Goods.String(), "shipping": a.ShippingCost.String(),
			"tax": a.TaxSubtotal.String(), "surcharge": a.Surcharge.String(), "total": a.Total.String(),
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("order %d %s (-fractions +decimals):\n%s", i, cmp.Diff(pricing.Order{}, o, decimals), diff)
		}
	}
}

func randomOrder(r *rand.Rand) pricing.Order {
	amount := func(most int64, scale int) decimal.Decimal { return decimal.MustNew(r.Int64N(most), scale) }
	var o pricing.Order
	for range r.IntN(5) + 1 {
		l := pricing.Line{
			Price: amount(100_000, 2), Amount: r.Int64N(5) + 1, Ships: r.IntN(3) > 0,
			Weight: amount(10_000, 3), Freight: amount(300, 2),
		}
		for range r.IntN(3) {
			l.Modifiers = append(l.Modifiers, pricing.Modifier{Value: decimal.MustNew(r.Int64N(40_000)-20_000, 3), Percent: r.IntN(2) == 0})
		}
		for id := range int64(4) {
			if r.IntN(2) == 0 {
				l.TaxIDs = append(l.TaxIDs, id+1)
			}
		}
		o.Lines = append(o.Lines, l)
	}
	for id := range int64(4) {
		t := pricing.Tax{ID: id + 1, Priority: r.Int64N(3), Included: r.IntN(2) == 0}
		if r.IntN(4) > 0 {
			t.Products = &pricing.TaxRate{Value: amount(30_000, 3), Fixed: r.IntN(4) == 0}
		}
		if r.IntN(2) > 0 {
			t.Shipping = &pricing.TaxRate{Value: amount(30_000, 3), Fixed: r.IntN(4) == 0}
		}
		o.Taxes = append(o.Taxes, t)
	}
	o.Shipping = &pricing.Shipping{Destinations: []int64{1}, TaxIDs: []int64{1, 3}, Rates: []pricing.Rate{{
		DestinationID: 1,
		ByCost:        []pricing.Step{{From: d("0"), Value: amount(1000, 2)}, {From: d("100"), Value: amount(10_000, 3), Percent: true}},
		ByWeight:      []pricing.Step{{From: d("5"), Value: amount(100, 2), PerUnit: true}},
	}}}
	o.Surcharge = pricing.Surcharge{Value: amount(500, 3), Percent: amount(5000, 3)}
	if a, err := pricing.Price(&o); err == nil && r.IntN(2) == 0 {
		units := int64(a.Subtotal.Coef())
		o.SubtotalDiscount = decimal.MustNew(r.Int64N(units+1), 2)
	}
	return o
}

// inFractions computes an order the long way.
func inFractions(o *pricing.Order) map[string]string {
	rat := func(d decimal.Decimal) *big.Rat {
		r, ok := new(big.Rat).SetString(d.String())
		if !ok {
			panic(d.String())
		}
		return r
	}
	n := func(i int64) *big.Rat { return new(big.Rat).SetInt64(i) }
	add := func(a, b *big.Rat) *big.Rat { return new(big.Rat).Add(a, b) }
	sub := func(a, b *big.Rat) *big.Rat { return new(big.Rat).Sub(a, b) }
	mul := func(a, b *big.Rat) *big.Rat { return new(big.Rat).Mul(a, b) }
	quo := func(a, b *big.Rat) *big.Rat { return new(big.Rat).Quo(a, b) }
	round := func(r *big.Rat) *big.Rat { // FloatString rounds halves away from zero
		rounded, _ := new(big.Rat).SetString(r.FloatString(2))
		return rounded
	}
	hundred := n(100)

	subtotals := make([]*big.Rat, len(o.Lines))
	subtotal := n(0)
	for i, l := range o.Lines {
		unit := rat(l.Price)
		for _, m := range l.Modifiers {
			if m.Percent {
				unit = add(unit, quo(mul(rat(l.Price), rat(m.Value)), hundred))
			} else {
				unit = add(unit, rat(m.Value))
			}
		}
		if unit.Sign() < 0 {
			unit = n(0)
		}
		subtotals[i] = mul(round(unit), n(l.Amount))
		subtotal = add(subtotal, subtotals[i])
	}
	discount := rat(o.SubtotalDiscount)
	goods := make([]*big.Rat, len(o.Lines))
	upTo := func(end int) *big.Rat { // the part of the discount on the first lines
		sum := n(0)
		for _, one := range subtotals[:end] {
			sum = add(sum, one)
		}
		if subtotal.Sign() == 0 {
			return n(0)
		}
		return round(quo(mul(discount, sum), subtotal))
	}
	for i := range o.Lines {
		goods[i] = sub(subtotals[i], sub(upTo(i+1), upTo(i)))
	}
	shipping, shipped, weight, ships := n(0), n(0), n(0), false
	for i, l := range o.Lines {
		if l.Ships {
			ships = true
			shipped = add(shipped, goods[i])
			weight = add(weight, mul(rat(l.Weight), n(l.Amount)))
			shipping = add(shipping, mul(rat(l.Freight), n(l.Amount)))
		}
	}
	if rate := o.Shipping.Rates[0]; ships {
		if byCost := rate.ByCost[1]; shipped.Cmp(rat(byCost.From)) >= 0 {
			shipping = add(shipping, round(quo(mul(shipped, rat(byCost.Value)), hundred)))
		} else {
			shipping = add(shipping, rat(rate.ByCost[0].Value))
		}
		if weight.Cmp(rat(rate.ByWeight[0].From)) >= 0 {
			shipping = add(shipping, round(mul(rat(rate.ByWeight[0].Value), weight)))
		}
	}
	shipping = round(shipping)

	added := n(0)
	taxOn := func(base *big.Rat, pieces int64, ids []int64, rateOf func(pricing.Tax) *pricing.TaxRate) {
		of := func(priority int64, included, fixed bool) (list []pricing.Tax) { // by id
			for _, t := range o.Taxes {
				for _, id := range ids {
					if id == t.ID && rateOf(t) != nil && t.Priority == priority && t.Included == included && rateOf(t).Fixed == fixed {
						list = append(list, t)
					}
				}
			}
			return list
		}
		each := func(t pricing.Tax) *big.Rat { return round(mul(rat(rateOf(t).Value), n(pieces))) }
		net, inside := base, make([]*big.Rat, 3) // inside: the included taxes of a priority
		for priority := int64(2); priority >= 0; priority-- {
			before := net
			for _, t := range of(priority, true, true) {
				if net = sub(net, each(t)); net.Sign() < 0 {
					net = n(0)
				}
			}
			rates := n(100)
			for _, t := range of(priority, true, false) {
				rates = add(rates, rat(rateOf(t).Value))
			}
			net = round(quo(mul(net, hundred), rates))
			inside[priority] = sub(before, net)
		}
		below := net
		for priority := range int64(3) {
			onThis := below
			below = add(below, inside[priority])
			for _, t := range of(priority, false, false) {
				tax := round(quo(mul(onThis, rat(rateOf(t).Value)), hundred))
				below, added = add(below, tax), add(added, tax)
			}
			for _, t := range of(priority, false, true) {
				below, added = add(below, each(t)), add(added, each(t))
			}
		}
	}
	for i, l := range o.Lines {
		taxOn(goods[i], l.Amount, l.TaxIDs, func(t pricing.Tax) *pricing.TaxRate { return t.Products })
	}
	taxOn(shipping, 1, o.Shipping.TaxIDs, func(t pricing.Tax) *pricing.TaxRate { return t.Shipping })

	allGoods := sub(subtotal, discount)
	surcharge := round(add(rat(o.Surcharge.Value), quo(mul(add(allGoods, shipping), rat(o.Surcharge.Percent)), hundred)))
	total := add(add(add(allGoods, shipping), added), surcharge)
	return map[string]string{
		"subtotal": subtotal.FloatString(2), "goods": allGoods.FloatString(2), "shipping": shipping.FloatString(2),
		"tax": added.FloatString(2), "surcharge": surcharge.FloatString(2), "total": total.FloatString(2),
	}
}

// Weights round half away from zero (decisions §26).
func TestWeight_RoundsHalfAwayFromZero(t *testing.T) {
	for _, c := range []struct{ weight, percent, want string }{{"2.5", "0.5", "2.513"}, {"2.501", "0.5", "2.514"}, {"1", "0.04", "1.000"}} {
		got, err := pricing.Weight(decimal.MustParse(c.weight), []pricing.Modifier{{Value: decimal.MustParse(c.percent), Percent: true}})
		if err != nil || got.String() != c.want {
			t.Errorf("%s and %s %%: %s, %v, want %s", c.weight, c.percent, got, err, c.want)
		}
	}
}
