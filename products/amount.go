package products

import (
	"iter"
	"strings"

	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/internal/wire"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// maxWhole is the greatest whole part of an amount: ten digits.
const maxWhole = 9_999_999_999

// amounts are the amounts of a product by the names of their columns.
func (p *Product) amounts() iter.Seq2[string, *decimal.Decimal] {
	return func(yield func(string, *decimal.Decimal) bool) {
		_ = yield("price", &p.Price) && yield("list_price", &p.ListPrice) &&
			yield("weight", &p.Weight) && yield("shipping_freight", &p.ShippingFreight)
	}
}

// scaleOf returns the decimals of a column of amounts.
func scaleOf(column string) int {
	s := table.Schema()
	return s.Columns[s.Index(column)].Scale
}

// normalizeAmount gives an amount the decimals of its column, so that later comparisons use
// the stored form. An amount that the column cannot store exactly is a
// problem, and becomes 0.
func normalizeAmount(problems *shopapi.Problems, column string, amount *decimal.Decimal) {
	scale := scaleOf(column)
	if whole, _, ok := amount.Int64(scale); !ok || whole > maxWhole || whole < -maxWhole || amount.MinScale() > scale {
		refuseAmount(problems, column, scale)
		*amount = decimal.Zero
	}
	*amount = amount.Rescale(scale)
}

// checkAmount notes when an amount is negative, too large or has more decimals
// than it may.
func checkAmount(problems *shopapi.Problems, field string, scale int, amount decimal.Decimal) {
	whole, _, ok := amount.Int64(scale)
	if !ok || whole > maxWhole || amount.IsNeg() || amount.MinScale() > scale {
		refuseAmount(problems, field, scale)
	}
}

func refuseAmount(problems *shopapi.Problems, field string, scale int) {
	problems.Add(field, "must be a number from 0 to %d.%s with at most %d decimals", int64(maxWhole), strings.Repeat("9", scale), scale)
}

// checkAmountTexts notes the amounts of a body that have more decimals than their
// columns. A decimal holds 19 digits and has rounded the others away before
// [checkAmount] sees it.
func checkAmountTexts(problems *shopapi.Problems, payload *shopapi.Payload) {
	for _, c := range table.Schema().Columns {
		if c.Kind != store.Decimal {
			continue
		}
		text, _ := wire.Text(payload.Raw(c.Name))
		checkAmountText(problems, c.Name, c.Scale, text)
	}
}

func checkAmountText(problems *shopapi.Problems, field string, scale int, text string) {
	if resource.DecimalPlaces(text) > scale {
		refuseAmount(problems, field, scale)
	}
}

// units is an amount as its column holds it.
func units(amount decimal.Decimal, column string) store.Value {
	return store.Int(int64(amount.Rescale(scaleOf(column)).Coef()))
}
