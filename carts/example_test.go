package carts_test

import (
	"context"
	"fmt"

	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/carts"
	"github.com/shopapi/shopapi/categories"
	"github.com/shopapi/shopapi/products"
	"github.com/shopapi/shopapi/store/memory"
)

// A guest puts two mugs into a cart, and takes one out again.
func Example() {
	ctx := context.Background()
	api, st := shopapi.New(nil), memory.New()
	tree, err := categories.Register(ctx, api, st)
	if err != nil {
		panic(err)
	}
	goods, err := products.Register(ctx, api, st, tree)
	if err != nil {
		panic(err)
	}
	list, err := carts.Register(ctx, api, st, nil, goods, nil)
	if err != nil {
		panic(err)
	}
	cups, err := tree.Create(ctx, categories.Category{Summary: categories.Summary{Name: "Cups"}})
	if err != nil {
		panic(err)
	}
	mug := goods.Defaults(ctx)
	mug.Name, mug.CategoryIDs, mug.Price = "Clay mug", []int64{cups.CategoryID}, decimal.MustParse("9.50")
	if mug, err = goods.Create(ctx, mug); err != nil {
		panic(err)
	}

	guest := carts.Owner{ID: carts.NewGuest(), IPAddress: "192.0.2.10"}
	cart, err := list.Put(ctx, guest, carts.Item{ProductID: mug.ProductID, Amount: 2})
	if err != nil {
		panic(err)
	}
	fmt.Println(cart.Products[0].Product, cart.Products[0].Amount, cart.Total)

	cart, err = list.Change(ctx, guest.ID, cart.Products[0].ItemID, 1)
	if err != nil {
		panic(err)
	}
	fmt.Println(cart.Products[0].Amount, cart.Total)
	// Output:
	// Clay mug 2 19.00
	// 1 9.50
}
