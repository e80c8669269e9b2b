package main

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/shopapi/shopapi/products"
)

// A demoSize is how many products and orders the demo has.
type demoSize struct{ products, orders int }

// sizeOf returns the size of a demo with so many orders in each of its parts.
func sizeOf(scale, orders int) demoSize {
	return demoSize{scale * partsPerScale * productsPerPart, scale * partsPerScale * orders}
}

// parts is the number of parts, including the tree and the people.
func (s demoSize) parts() int64 {
	ofProducts := (s.products + productsPerPart - 1) / productsPerPart
	ofOrders := (s.orders + ordersPerPart - 1) / ordersPerPart
	return int64(1 + max(1, ofProducts, ofOrders))
}

// productsOf is the number of products of a part: the first parts have all of them.
func (s demoSize) productsOf(part int) int {
	return min(max(0, s.products-part*productsPerPart), productsPerPart)
}

// ordersOf returns the number of the first order of a part, and of the first order of the next.
func (s demoSize) ordersOf(part, parts int) (first, next int) {
	return s.orders * part / parts, s.orders * (part + 1) / parts
}

// findOffer finds the products that the orders and reviews of a part name. They are the part's own, or
// the first part's where the part has too few.
func (f *filler) findOffer(ctx context.Context) error {
	f.offer = f.goods
	if len(f.offer) == productsPerPart || f.part == 0 {
		return nil
	}
	f.offer = nil
	for item, err := range f.shop.Products.All(ctx, products.Filter{Code: firstCodes}) {
		if err != nil {
			return err
		}
		p, err := f.shop.Products.Get(ctx, item.ProductID)
		if err != nil {
			return err
		}
		f.offer = append(f.offer, p)
	}
	if len(f.offer) <= withOptions {
		return errors.New("the products of the demo are gone; -demo=false starts without the rest of it")
	}
	slices.SortFunc(f.offer, func(a, b products.Product) int { return cmp.Compare(a.Code, b.Code) })
	return nil
}

// firstCodes is a part of the codes of products of the first part.
const firstCodes = "P-0000"
