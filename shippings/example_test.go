package shippings_test

import (
	"context"
	"fmt"

	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/shippings"
	"github.com/shopapi/shopapi/store/memory"
)

// A courier costs 5, and nothing for goods from 50 on.
func Example() {
	ctx := context.Background()
	methods, err := shippings.Register(ctx, shopapi.New(nil), memory.New())
	if err != nil {
		panic(err)
	}
	const everywhere = 1
	rates, err := shippings.RatesOf(shippings.Rate{
		DestinationID: everywhere,
		ByCost: []shippings.Step{
			{Value: decimal.MustParse("5")},
			{From: decimal.MustParse("50")},
		},
	})
	if err != nil {
		panic(err)
	}
	courier := methods.Defaults(ctx)
	courier.Name, courier.DeliveryTime, courier.Rates = "Courier", "1 day", rates
	if courier, err = methods.Create(ctx, courier); err != nil {
		panic(err)
	}
	for _, rate := range courier.Rates.All() {
		for _, step := range rate.ByCost {
			fmt.Println(courier.Name, "from", step.From, "costs", step.Value)
		}
	}
	// Output:
	// Courier from 0 costs 5
	// Courier from 50 costs 0
}
