package main

import (
	"context"
	"errors"

	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/orders"
	"github.com/shopapi/shopapi/payments"
	"github.com/shopapi/shopapi/pricing"
	"github.com/shopapi/shopapi/shippings"
	"github.com/shopapi/shopapi/taxes"
)

// addMethods creates the tax of the demo, and its payment and shipping methods.
func (f *filler) addMethods(ctx context.Context) error {
	rates, err := taxes.RatesOf(
		taxes.Rate{Type: "P", Value: decimal.MustParse("20.000"), ApplyTo: "P"},
		taxes.Rate{Type: "P", Value: decimal.MustParse("20.000"), ApplyTo: "S"})
	if err != nil {
		return err
	}
	vat, err := f.shop.Taxes.Create(ctx, taxes.Tax{Name: "VAT", PriceIncludesTax: true, DisplayIncludingTax: true, RegNumber: "GB123456789", Rates: rates})
	if err != nil {
		return err
	}
	for _, p := range []payments.Payment{
		{Name: "Card", Description: "Visa, Mastercard", Position: 10, Category: "tab1"},
		{Name: "Invoice", Description: "Within 14 days", Position: 20, Category: "tab3", ASurcharge: decimal.MustParse("1.500"), SurchargeTitle: "Invoice fee"},
		{Name: "Cash on delivery", Description: "To the driver", Position: 30, Category: "tab3", ASurcharge: decimal.MustParse("3.900"), SurchargeTitle: "Delivery fee"},
	} {
		p.CompanyID = f.company
		if _, err := f.shop.Payments.Create(ctx, p); err != nil {
			return err
		}
	}
	for i, s := range []struct {
		name, time string
		steps      []shippings.Step
	}{
		{"Parcel", "2-4 days", []shippings.Step{{Value: decimal.MustParse("5.90")}, {From: decimal.MustParse("75")}}},
		{"Courier", "next day", []shippings.Step{{Value: decimal.MustParse("12.90")}}},
		{"Pick up at the kiln", "same day", nil},
	} {
		method := shippings.Shipping{Summary: shippings.Summary{Name: s.name, DeliveryTime: s.time, Position: int64(10 * (i + 1)), TaxIDs: shopapi.IDList(shopapi.FormatID(vat.TaxID))}, CompanyID: f.company}
		if s.steps != nil {
			if method.Rates, err = shippings.RatesOf(shippings.Rate{DestinationID: 1, ByCost: s.steps}); err != nil {
				return err
			}
		}
		if _, err := f.shop.Shippings.Create(ctx, method); err != nil {
			return err
		}
	}
	return nil
}

// findMethods reads the tax and the methods, which another process may have created.
func (f *filler) findMethods(ctx context.Context) error {
	list, _, err := f.shop.Taxes.Find(ctx, taxes.Filter{})
	if err != nil {
		return err
	}
	if len(list) == 0 {
		return errMethods
	}
	f.tax = list[0]
	f.orderTax = orders.Tax{TaxID: f.tax.TaxID, Name: f.tax.Name, RegNumber: f.tax.RegNumber, Included: bool(f.tax.PriceIncludesTax)}
	areas := f.tax.Rates.Areas()
	f.orderTax.OnProducts, f.orderTax.OnShipping = pricing.Choose(areas, pricing.Place{}, false), pricing.Choose(areas, pricing.Place{}, true)
	f.payments, f.shippings = nil, nil
	for p, err := range f.shop.Payments.All(ctx, payments.Filter{}) {
		if err != nil {
			return err
		}
		f.payments = append(f.payments, p)
	}
	for s, err := range f.shop.Shippings.All(ctx, shippings.Filter{}) {
		if err != nil {
			return err
		}
		f.shippings = append(f.shippings, s)
	}
	if len(f.payments) < 3 || len(f.shippings) < 3 {
		return errMethods
	}
	return nil
}

var errMethods = errors.New("the taxes, payments or shippings of the demo are gone; -demo=false starts without the rest of it")
