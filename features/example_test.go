package features_test

import (
	"context"
	"fmt"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/categories"
	"github.com/shopapi/shopapi/features"
	"github.com/shopapi/shopapi/products"
	"github.com/shopapi/shopapi/store/memory"
)

// A storefront shows the features of the products of a page by their names.
func ExampleFeatures_OfProducts() {
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
	list, err := features.Register(ctx, api, st, goods)
	if err != nil {
		panic(err)
	}
	cups, err := tree.Create(ctx, categories.Category{Summary: categories.Summary{Name: "Cups"}})
	if err != nil {
		panic(err)
	}
	glaze := list.Defaults(ctx)
	glaze.Description, glaze.Type = "Glaze", features.Select
	glaze.Variants = features.Variants{{Name: "Matt"}, {Name: "Gloss"}}
	if glaze, err = list.Create(ctx, glaze); err != nil {
		panic(err)
	}
	volume := list.Defaults(ctx)
	volume.Description, volume.Type, volume.Suffix = "Volume", features.Number, " ml"
	if volume, err = list.Create(ctx, volume); err != nil {
		panic(err)
	}

	var page []int64
	for i, name := range []string{"Clay mug", "Espresso cup"} {
		p := goods.Defaults(ctx)
		p.Name, p.CategoryIDs = name, []int64{cups.CategoryID}
		p.Features = products.Features{
			{FeatureID: glaze.FeatureID, VariantIDs: []int64{glaze.Variants[i].VariantID}},
			{FeatureID: volume.FeatureID, Value: fmt.Sprint(300 - 200*i)},
		}
		if p, err = goods.Create(ctx, p); err != nil {
			panic(err)
		}
		page = append(page, p.ProductID)
	}

	of, err := list.OfProducts(ctx, page...)
	if err != nil {
		panic(err)
	}
	for _, id := range page {
		for _, f := range of[id] {
			switch {
			case features.HasVariants(f.Type):
				fmt.Println(id, f.Name, f.Variants[0].Name)
			default:
				fmt.Println(id, f.Name, f.Prefix+f.Value+f.Suffix)
			}
		}
	}
	// Output:
	// 1 Glaze Matt
	// 1 Volume 300 ml
	// 2 Glaze Gloss
	// 2 Volume 100 ml
}
