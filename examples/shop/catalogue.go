package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/exceptions"
	"github.com/shopapi/shopapi/images"
	"github.com/shopapi/shopapi/options"
	"github.com/shopapi/shopapi/products"
)

// productsPerPart is how many products each part of the demo has.
const productsPerPart = 60

// withOptions is how many of them have options, the first ones.
const withOptions = 5

func (f *filler) addProducts(ctx context.Context) error {
	f.products, f.goods = nil, nil
	var lines, colours []string // pieces of the part
	for n := range f.size.productsOf(f.part) {
		i := f.part*productsPerPart + n
		l := f.leaves[i%len(f.leaves)]
		cents := 400 + f.random.Int64N(9600)
		line, glaze := f.pick(series), f.pick(glazes)
		if of := f.siblingOf(n); of >= 0 {
			line, glaze = lines[of], glazes[(slices.Index(glazes, colours[of])+1)%len(glazes)]
		}
		lines, colours = append(lines, line), append(colours, glaze)
		p := products.Product{
			Summary: products.Summary{
				Name:        fmt.Sprintf("%s %s %s", line, glaze, l.noun),
				Code:        fmt.Sprintf("P-%05d", i+1),
				Price:       decimal.MustNew(cents, 2),
				Amount:      f.random.Int64N(40),
				Weight:      decimal.MustNew(100+f.random.Int64N(4000), 3),
				CompanyID:   f.company,
				TaxIDs:      shopapi.IDList(shopapi.FormatID(f.tax.TaxID)),
				CategoryIDs: []int64{l.id},
				Timestamp:   f.ago(),
				MainPair:    pictureOf(l.noun, glaze),
				Features:    f.properties.of(glaze, 3+int64(i%40)),
			},
			ShortDescription: "Thrown by hand, fired twice.",
			FullDescription:  "<p>Every piece differs a little from the next.</p>",
		}
		if i%4 == 0 { // a glaze from nearby
			p.ImagePairs = images.Pairs{{Detailed: swatchOf(glaze).Icon}}
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
		f.products, f.goods = append(f.products, created.ProductID), append(f.goods, created)
	}
	return nil
}

// addOptions adds a size and a gift wrapping to the first products of the first parts, a
// stock for each size, and exceptions: allowed combinations if exceptions_type is A,
// forbidden ones if it is F.
func (f *filler) addOptions(ctx context.Context) error {
	if f.part >= partsPerScale {
		return nil
	}
	for _, p := range f.goods[:min(withOptions, len(f.goods))] {
		size, wrapping := f.shop.Options.Defaults(ctx), f.shop.Options.Defaults(ctx)
		size.ProductID, size.Name, size.Required, size.Position = p.ProductID, "Size", true, 10
		size.Variants = options.Variants{
			{Name: "Small", Modifier: decimal.MustParse("-2.50"), WeightModifier: decimal.MustParse("-0.200")},
			{Name: "Medium", Position: 10},
			{Name: "Large", Modifier: decimal.MustParse("4.00"), WeightModifier: decimal.MustParse("0.500"), Position: 20},
		}
		wrapping.ProductID, wrapping.Name, wrapping.Type, wrapping.Position = p.ProductID, "Gift wrapping", options.Checkbox, 20
		wrapping.Inventory = false
		wrapping.Variants = options.Variants{{Name: "Yes", Modifier: decimal.MustParse("1.90")}}
		made, err := f.shop.Options.CreateAll(ctx, []options.Option{size, wrapping})
		if err != nil {
			return err
		}
		for _, option := range made {
			if err := f.translateOption(ctx, option.OptionID); err != nil {
				return err
			}
		}
		if err := f.addCombinations(ctx, p.Code, made[0]); err != nil {
			return err
		}
		if err := f.addExceptions(ctx, made[0], made[1]); err != nil {
			return err
		}
	}
	return nil
}

// addCombinations adds a stock for each variant of an option; the product's stock is
// their sum.
func (f *filler) addCombinations(ctx context.Context, code string, size options.Option) error {
	var list []options.Combination
	for i, v := range size.Variants {
		list = append(list, options.Combination{
			ProductID: size.ProductID,
			Variants:  options.VariantOf{size.OptionID: v.VariantID},
			Code:      fmt.Sprintf("%s-%c", code, v.Name[0]),
			Amount:    f.random.Int64N(20),
			Position:  int64(10 * i),
		})
	}
	if _, err := f.shop.Options.Combinations().CreateAll(ctx, list); err != nil {
		return err
	}
	_, err := f.shop.Products.Update(ctx, size.ProductID, func(p *products.Product) error {
		p.Tracking = products.TrackByOptions
		return nil
	})
	return err
}

func (f *filler) addExceptions(ctx context.Context, size, wrapping options.Option) error {
	_, err := f.shop.Exceptions.CreateAll(ctx, []exceptions.Exception{
		{ProductID: size.ProductID, Combination: exceptions.Combination{
			size.OptionID: size.Variants[0].VariantID, wrapping.OptionID: exceptions.AnyVariant,
		}},
		{ProductID: size.ProductID, Combination: exceptions.Combination{
			size.OptionID: size.Variants[2].VariantID, wrapping.OptionID: exceptions.NoVariant,
		}},
	})
	return err
}
