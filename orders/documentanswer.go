package orders

import (
	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi"
)

// A documentAnswer is a document on the wire. Its fields have the forms of the fields of
// orders.
type documentAnswer struct {
	Kind             DocumentKind    `json:"kind"`                       // invoice or credit_memo
	Number           string          `json:"number"`                     // unique for the company and the kind
	Date             int64           `json:"date,string"`                // when it was issued, seconds since 1970
	Seller           Seller          `json:"seller"`                     // the company of the order
	Buyer            Buyer           `json:"buyer"`                      // the customer at the billing address
	Products         shopapi.Map     `json:"products"`                   // by item id
	Taxes            any             `json:"taxes" types:"object array"` // by tax id
	Subtotal         number          `json:"subtotal"`
	SubtotalDiscount decimal.Decimal `json:"subtotal_discount"`
	ShippingCost     decimal.Decimal `json:"shipping_cost"`
	PaymentSurcharge decimal.Decimal `json:"payment_surcharge"`
	TaxSubtotal      number          `json:"tax_subtotal"`
	TaxIncluded      number          `json:"tax_included"`     // taxes inside the prices
	TaxExempted      number          `json:"tax_exempted"`     // included taxes that are subtracted
	TotalAdjustment  decimal.Decimal `json:"total_adjustment"` // the rounding of the total
	Total            decimal.Decimal `json:"total"`
	Currency         string          `json:"currency"` // three letters
}

// A documentLine is a line of a document on the wire.
type documentLine struct {
	ProductID        int64           `json:"product_id,string"`
	Product          string          `json:"product"`
	Code             string          `json:"product_code"`
	Amount           int64           `json:"amount,string"`
	Price            decimal.Decimal `json:"price"`
	Discount         number          `json:"discount"`
	Subtotal         number          `json:"subtotal"`
	SubtotalDiscount decimal.Decimal `json:"subtotal_discount"` // the share of the line
	Taxes            any             `json:"taxes" types:"object array"`
}

func (d *Document) answer() documentAnswer {
	shown := Order{Taxes: d.Taxes}
	a := documentAnswer{
		Kind: d.Kind, Number: d.Number, Date: d.Date, Seller: d.Seller, Buyer: d.Buyer, Products: shopapi.Map{}, Taxes: taxesOf(&shown),
		Subtotal: number{d.Subtotal}, SubtotalDiscount: money(d.SubtotalDiscount),
		ShippingCost: money(d.ShippingCost), PaymentSurcharge: money(d.PaymentSurcharge),
		TaxSubtotal: number{d.TaxSubtotal}, TaxIncluded: number{d.TaxIncluded}, TaxExempted: number{d.TaxExempted},
		TotalAdjustment: money(d.TotalAdjustment), Total: money(d.Total), Currency: d.Currency,
	}
	for i := range d.Lines {
		l := &d.Lines[i]
		a.Products = append(a.Products, shopapi.Member{Name: shopapi.FormatID(l.ItemID), Value: documentLine{
			ProductID: l.ProductID, Product: l.Name, Code: l.Code, Amount: l.Amount, Price: money(l.Price),
			Discount: number{l.Discount}, Subtotal: number{l.Subtotal}, SubtotalDiscount: money(l.SubtotalDiscount),
			Taxes: shown.taxesOfLine(&Line{Taxes: l.Taxes}),
		}})
	}
	return a
}
