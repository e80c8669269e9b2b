package products_test

import (
	"context"
	"fmt"

	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/categories"
	"github.com/shopapi/shopapi/products"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store/memory"
)

// A storefront lists the products of a category, cheapest first.
func Example() {
	ctx := context.Background()
	st := memory.New()
	api := shopapi.New(nil)
	tree, err := categories.Register(ctx, api, st)
	if err != nil {
		panic(err)
	}
	goods, err := products.Register(ctx, api, st, tree)
	if err != nil {
		panic(err)
	}

	cups, err := tree.Create(ctx, categories.Category{Summary: categories.Summary{Name: "Cups"}})
	if err != nil {
		panic(err)
	}
	for name, price := range map[string]string{"Clay mug": "9.50", "Espresso cup": "4"} {
		p := goods.Defaults(ctx)
		p.Name, p.CategoryIDs, p.Price = name, []int64{cups.CategoryID}, decimal.MustParse(price)
		if _, err := goods.Create(ctx, p); err != nil {
			panic(err)
		}
	}

	list, total, err := goods.Find(ctx, products.Filter{
		ListOptions: resource.ListOptions{SortBy: "price", Limit: 10},
		CategoryID:  cups.CategoryID, Status: products.Active,
	})
	if err != nil {
		panic(err)
	}
	fmt.Println(total, "in stock")
	for _, p := range list {
		fmt.Println(p.Name, p.Price)
	}
	// Output:
	// 2 in stock
	// Espresso cup 4.00
	// Clay mug 9.50
}

// Update changes the fields that its function sets, in one transaction.
func ExampleProducts_Update() {
	ctx := context.Background()
	goods, err := products.Register(ctx, shopapi.New(nil), memory.New(), nil)
	if err != nil {
		panic(err)
	}
	mug, err := goods.Create(ctx, products.Product{Summary: products.Summary{
		Name: "Clay mug", CategoryIDs: []int64{5}, Amount: 3,
	}})
	if err != nil {
		panic(err)
	}
	mug, err = goods.Update(ctx, mug.ProductID, func(p *products.Product) error {
		p.Amount--
		return nil
	})
	fmt.Println(mug.Amount, err)
	// Output: 2 <nil>
}
