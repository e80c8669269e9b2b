package settings_test

import (
	"context"
	"fmt"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/settings"
	"github.com/shopapi/shopapi/store/memory"
)

// A host declares a setting that administrators change over the API.
func Example() {
	ctx := context.Background()
	options, err := settings.Register(ctx, shopapi.New(nil), memory.New())
	if err != nil {
		panic(err)
	}
	err = options.Declare(ctx, settings.Setting{
		Section: "Pottery", Name: "kiln_temperature", Type: settings.Input, Default: "1200",
		Description: "The temperature of the kiln, in degrees",
		Check:       settings.WholeNumber(20, 1400),
	})
	if err != nil {
		panic(err)
	}
	const id, wholeShop = "Pottery.kiln_temperature", 0
	for _, text := range []string{"1180", "9000"} {
		fmt.Println(options.Set(ctx, wholeShop, id, text) == nil)
	}
	value, err := options.Value(ctx, id)
	fmt.Println(value, err)
	// Output:
	// true
	// false
	// 1180 <nil>
}
