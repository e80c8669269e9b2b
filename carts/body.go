package carts

import "github.com/shopapi/shopapi/options"

// A body has the members of payloads of carts (§19). It documents them.
type body struct {
	Products []lineBody `json:"products"` // by ids of lines or products, or with item_id or product_id
}

// A lineBody is one of products.
type lineBody struct {
	ItemID    int64             `json:"item_id"`         // a line of the cart
	ProductID int64             `json:"product_id"`      // of a new line
	Amount    int64             `json:"amount"`          // pieces; 0 removes the line
	Options   options.Selection `json:"product_options"` // ids of options with ids of variants or texts
}
