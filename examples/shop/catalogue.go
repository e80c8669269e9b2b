package main

import (
	"context"
	"fmt"

	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi/exceptions"
	"github.com/shopapi/shopapi/products"
)

// productsPerPart is how many products each part of the demo has.
const productsPerPart = 60

func (f *filler) addProducts(ctx context.Context) error {
	f.products = nil
	for n := range productsPerPart {
		i := f.part*productsPerPart + n
		l := f.leaves[i%len(f.leaves)]
		cents := 400 + f.random.Int64N(9600)
		p := products.Product{
			Summary: products.Summary{
				Name:        fmt.Sprintf("%s %s %s", f.pick(series), f.pick(glazes), l.noun),
				Code:        fmt.Sprintf("P-%05d", i+1),
				Price:       decimal.MustNew(cents, 2),
				Amount:      f.random.Int64N(40),
				Weight:      decimal.MustNew(100+f.random.Int64N(4000), 3),
				CompanyID:   f.company,
				CategoryIDs: []int64{l.id},
				Timestamp:   f.ago(),
			},
			ShortDescription: "Thrown by hand, fired twice.",
			FullDescription:  "<p>Every piece differs a little from the next.</p>",
		}
		if i%5 == 0 {
			p.ListPrice = decimal.MustNew(cents+cents/4, 2)
		}
		if i%7 == 0 {
			p.CategoryIDs = append(p.CategoryIDs, f.leaves[(i+1)%len(f.leaves)].id)
		}
		if i%11 == 0 {
			p.Status = products.Hidden
		}
		if i%2 == 0 {
			p.ExceptionsType = products.Allow
		}
		created, err := f.shop.Products.Create(ctx, p)
		if err != nil {
			return err
		}
		f.products = append(f.products, created.ProductID)
	}
	return nil
}

// addExceptions gives the first products of the first parts combinations: allowed
// ones where their exceptions_type is A, forbidden ones where it is F.
func (f *filler) addExceptions(ctx context.Context) error {
	if f.part >= partsPerScale {
		return nil
	}
	for i, id := range f.products[:5] {
		option := int64(2*(5*f.part+i) + 1)
		for _, c := range []exceptions.Combination{
			{option: 2 * option, option + 1: exceptions.AnyVariant},
			{option: 2*option + 1, option + 1: exceptions.NoVariant},
		} {
			if _, err := f.shop.Exceptions.Create(ctx, exceptions.Exception{ProductID: id, Combination: c}); err != nil {
				return err
			}
		}
	}
	return nil
}
