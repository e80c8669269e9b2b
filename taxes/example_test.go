package taxes_test

import (
	"context"
	"fmt"

	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/store/memory"
	"github.com/shopapi/shopapi/taxes"
)

// A shop has a tax that its prices include, with another rate in Germany.
func Example() {
	ctx := context.Background()
	list, err := taxes.Register(ctx, shopapi.New(nil), memory.New())
	if err != nil {
		panic(err)
	}
	rates, err := taxes.RatesOf(
		taxes.Rate{Type: taxes.Percent, Value: decimal.MustParse("21"), ApplyTo: "P"},
		taxes.Rate{Country: "DE", Type: taxes.Percent, Value: decimal.MustParse("19"), ApplyTo: "P"},
	)
	if err != nil {
		panic(err)
	}
	vat := list.Defaults(ctx)
	vat.Name, vat.PriceIncludesTax, vat.Rates = "VAT", true, rates
	if vat, err = list.Create(ctx, vat); err != nil {
		panic(err)
	}
	fmt.Println(vat.TaxID, vat.Name, vat.Status)

	found, total, err := list.Find(ctx, taxes.Filter{})
	if err != nil {
		panic(err)
	}
	fmt.Println(total, found[0].Name)
	// Output:
	// 1 VAT A
	// 1 VAT
}
