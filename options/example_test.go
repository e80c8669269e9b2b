package options_test

import (
	"context"
	"fmt"

	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/categories"
	"github.com/shopapi/shopapi/options"
	"github.com/shopapi/shopapi/products"
	"github.com/shopapi/shopapi/store/memory"
)

// A storefront shows what customers choose of the products of a page.
func ExampleOptions_OfProducts() {
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
	list, err := options.Register(ctx, api, st, goods, nil)
	if err != nil {
		panic(err)
	}
	cups, err := tree.Create(ctx, categories.Category{Summary: categories.Summary{Name: "Cups"}})
	if err != nil {
		panic(err)
	}
	var page []int64
	for _, name := range []string{"Clay mug", "Espresso cup"} {
		p := goods.Defaults(ctx)
		p.Name, p.CategoryIDs = name, []int64{cups.CategoryID}
		if p, err = goods.Create(ctx, p); err != nil {
			panic(err)
		}
		page = append(page, p.ProductID)
	}
	size := list.Defaults(ctx)
	size.ProductID, size.Name, size.Type, size.Required = page[0], "Size", options.Select, true
	size.Variants = options.Variants{{Name: "Small"}, {Name: "Large", Modifier: decimal.MustParse("1.50")}}
	if _, err = list.Create(ctx, size); err != nil {
		panic(err)
	}

	of, err := list.OfProducts(ctx, page...)
	if err != nil {
		panic(err)
	}
	for _, id := range page {
		fmt.Println("product", id, "has", len(of[id]), "options")
		for _, o := range of[id] {
			for _, v := range o.Variants {
				fmt.Println(o.Name, v.Name, v.Modifier)
			}
		}
	}
	// Output:
	// product 1 has 1 options
	// Size Small 0.000
	// Size Large 1.500
	// product 2 has 0 options
}
