package products

import (
	"iter"

	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/internal/rules"
	"github.com/shopapi/shopapi/internal/wire"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// amounts are the amounts of a product by the names of their columns.
func (p *Product) amounts() iter.Seq2[string, *decimal.Decimal] {
	return func(yield func(string, *decimal.Decimal) bool) {
		_ = yield("price", &p.Price) && yield("list_price", &p.ListPrice) &&
			yield("weight", &p.Weight) && yield("shipping_freight", &p.ShippingFreight)
	}
}

// limits are the amounts that columns can store, by column.
var limits = limitsOf(table.Schema())

func limitsOf(s *store.Schema) map[string]*shopapi.Amount {
	of := map[string]*shopapi.Amount{}
	for _, c := range s.Columns {
		if c.Kind == store.Decimal {
			of[c.Name] = rules.TenDigits(c.Scale)
		}
	}
	return of
}

// normalizeAmount gives an amount the decimals of its column, so that later comparisons use
// the stored form. An amount that the column cannot store exactly is a
// problem, and becomes 0.
func normalizeAmount(problems *shopapi.Problems, column string, amount *decimal.Decimal) {
	in := limits[column]
	if !rules.Fits(*amount, in) {
		refuseAmount(problems, column, in)
		*amount = decimal.Zero
	}
	*amount = amount.Rescale(in.Scale)
}

// checkAmount notes when an amount is negative, too large or has more decimals
// than it may.
func checkAmount(problems *shopapi.Problems, field string, in *shopapi.Amount, amount decimal.Decimal) {
	if amount.IsNeg() || !rules.Fits(amount, in) {
		refuseAmount(problems, field, in)
	}
}

func refuseAmount(problems *shopapi.Problems, field string, in *shopapi.Amount) {
	problems.Add(field, "must be a number from 0 to %s with at most %d decimals", in.Most, in.Scale)
}

// checkAmountTexts notes the amounts of a body that have more decimals than their
// columns. A decimal holds 19 digits and has rounded the others away before
// [checkAmount] sees it.
func checkAmountTexts(problems *shopapi.Problems, payload *shopapi.Payload) {
	for _, c := range table.Schema().Columns {
		if in := limits[c.Name]; in != nil {
			text, _ := wire.Text(payload.Raw(c.Name))
			checkAmountText(problems, c.Name, in, text)
		}
	}
}

func checkAmountText(problems *shopapi.Problems, field string, in *shopapi.Amount, text string) {
	if resource.DecimalPlaces(text) > in.Scale {
		refuseAmount(problems, field, in)
	}
}
