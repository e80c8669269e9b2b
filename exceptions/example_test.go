package exceptions_test

import (
	"context"
	"fmt"
	"log"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/exceptions"
	"github.com/shopapi/shopapi/products"
	"github.com/shopapi/shopapi/store/memory"
)

// A storefront checks whether a customer's selection may be ordered.
func ExampleMayOrder() {
	var mug int64 = 41
	const (
		colour, gift = 12, 14
		red, blue    = 33, 34
		wrapped      = 36
	)
	ctx := context.Background()
	list, err := exceptions.Register(ctx, shopapi.New(nil), memory.New())
	if err != nil {
		log.Fatal(err)
	}
	// Red mugs do not fit into the box.
	_, err = list.Create(ctx, exceptions.Exception{
		ProductID:   mug,
		Combination: exceptions.Combination{colour: red, gift: exceptions.AnyVariant},
	})
	if err != nil {
		log.Fatal(err)
	}

	ofMug, _, err := list.Find(ctx, exceptions.Filter{ProductID: &mug})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(exceptions.MayOrder(products.Forbid, ofMug, map[int64]int64{colour: red}))
	fmt.Println(exceptions.MayOrder(products.Forbid, ofMug, map[int64]int64{colour: red, gift: wrapped}))
	fmt.Println(exceptions.MayOrder(products.Forbid, ofMug, map[int64]int64{colour: blue, gift: wrapped}))
	// Output:
	// true
	// false
	// true
}
