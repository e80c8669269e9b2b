package orders

import (
	"hash/crc32"
	"strconv"

	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi/options"
)

// A Line is a product of an order with its chosen options. It keeps what it shows: later
// changes of the product do not alter it.
type Line struct {
	ItemID    int64             `json:"item_id"` // 32 bits, unique in the order
	ProductID int64             `json:"product_id"`
	CompanyID int64             `json:"company_id"`
	Code      string            `json:"product_code,omitempty"`
	Name      string            `json:"product"`
	Status    string            `json:"status,omitempty"` // of the product, when it was ordered
	Amount    int64             `json:"amount"`           // pieces, from 1
	Choices   []options.Choice  `json:"choices,omitempty"`
	Selection options.Selection `json:"selection,omitempty"`

	BasePrice decimal.Decimal `json:"base_price"` // of the product, without options
	Price     decimal.Decimal `json:"price"`      // of one piece
	Discount  decimal.Decimal `json:"discount"`   // on the whole line
	Subtotal  decimal.Decimal `json:"subtotal"`
	Tax       decimal.Decimal `json:"tax"` // included in Subtotal or not
	TaxIDs    []int64         `json:"tax_ids,omitempty"`
	Taxes     []LineTax       `json:"taxes,omitempty"` // of the taxes that apply

	Ships             bool            `json:"ships,omitempty"` // counts for shipping
	Weight            decimal.Decimal `json:"weight"`          // of one piece
	Freight           decimal.Decimal `json:"freight"`         // of one piece
	FreeShipping      bool            `json:"free_shipping,omitempty"`
	IsEDP             bool            `json:"is_edp,omitempty"`
	EDPShipping       bool            `json:"edp_shipping,omitempty"`
	UnlimitedDownload bool            `json:"unlimited_download,omitempty"`

	// Combination is the combination of the chosen variants, or 0. Reserved is the number
	// of pieces that the line took from the stock and still reserves, from the
	// combination if FromCombination. A shipment consumes reserved pieces.
	Combination     int64 `json:"combination,omitempty"`
	Reserved        int64 `json:"held,omitempty"`
	FromCombination bool  `json:"from_combination,omitempty"`
}

// A LineTax is a tax of a line: what its rate was applied to, and its amount.
type LineTax struct {
	TaxID    int64           `json:"tax_id"`
	Taxable  decimal.Decimal `json:"taxable"`
	Subtotal decimal.Decimal `json:"subtotal"`
}

// source is where the line holds its pieces of.
func (l *Line) source() source {
	if l.FromCombination {
		return source{l.ProductID, l.Combination}
	}
	return source{product: l.ProductID}
}

// itemID returns the id of a new line: a 32-bit number computed from product and options,
// or the next number that is free in the order. 0 is never an id.
func itemID(k lineKey, taken func(int64) bool) int64 {
	hash := crc32.ChecksumIEEE(append(strconv.AppendInt(nil, k.product, 10), k.selection...))
	for hash == 0 || taken(int64(hash)) {
		hash++
	}
	return int64(hash)
}

// A lineKey is equal for lines of one product with the same choices.
type lineKey struct {
	product   int64
	selection string
}

func keyOf(product int64, s options.Selection) lineKey {
	k := lineKey{product: product}
	if len(s) > 0 {
		text, _ := s.MarshalJSON() // never fails
		k.selection = string(text)
	}
	return k
}

// chosen returns a selection without empty choices.
func chosen(s options.Selection) options.Selection {
	made := options.Selection{}
	for id, choice := range s {
		if choice != "" && choice != "0" {
			made[id] = choice
		}
	}
	return made
}
