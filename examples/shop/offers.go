package main

import (
	"context"
	"fmt"

	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/categories"
	"github.com/shopapi/shopapi/products"
)

// commonGoods are products that all vendors of the demo sell, each with its own price
// and stock.
var commonGoods = []struct {
	name, code, text string
	price            decimal.Decimal // recommended price
	offers           []offer         // by vendor
}{
	{"Gift card 25", "GC-25", "Good at every workshop of the market, for two years.", decimal.MustParse("25.00"),
		[]offer{{"25.00", 100}, {"24.00", 40}}},
	{"Oak trivet", "TR-1", "Turned from one piece of oak, 18 cm across.", decimal.MustParse("14.00"),
		[]offer{{"13.50", 12}, {"14.90", 7}}},
	{"Linen gift bag", "GB-1", "With a drawstring, 25 by 30 cm.", decimal.MustParse("6.00"),
		[]offer{{"6.50", 0}, {"5.80", 60}}}, // the first vendor is sold out
}

// An offer is a vendor's price and stock.
type offer struct {
	price  string
	amount int64
}

// addOffers creates the common products, and the vendors' offers.
func (f *filler) addOffers(ctx context.Context, vendors []int64) error {
	if f.shop.MasterProducts == nil {
		return nil
	}
	shelf, err := f.shop.Categories.Create(ctx, categories.Category{Summary: categories.Summary{Name: "From every workshop", CompanyID: f.company}})
	if err != nil {
		return err
	}
	for _, one := range commonGoods {
		summary := products.Summary{
			Name: one.name, Code: one.code, Price: one.price, CategoryIDs: []int64{shelf.CategoryID},
			TaxIDs: shopapi.IDList(shopapi.FormatID(f.tax.TaxID)),
		}
		master, err := f.shop.MasterProducts.Create(ctx, products.Product{Summary: summary, FullDescription: "<p>" + one.text + "</p>"})
		if err != nil {
			return err
		}
		for i, vendor := range vendors {
			summary.CompanyID = vendor
			summary.Code = fmt.Sprintf("C%d-%s", vendor, one.code)
			summary.Price, summary.Amount = decimal.MustParse(one.offers[i].price), one.offers[i].amount
			if _, err := f.shop.MasterProducts.Offer(ctx, master.ProductID, products.Product{Summary: summary}); err != nil {
				return err
			}
		}
	}
	return nil
}
