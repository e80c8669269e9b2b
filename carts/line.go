package carts

import (
	"encoding/json"
	"hash/crc32"
	"strconv"

	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/images"
	"github.com/shopapi/shopapi/options"
)

// InCart is the type of all lines.
const InCart = "P"

// A Line is a number of pieces of one product with the same options.
type Line struct {
	ItemID    int64           `json:"item_id,string"`
	ItemType  string          `json:"item_type"` // always P: cart, not wish list
	ProductID int64           `json:"product_id,string"`
	Amount    int64           `json:"amount,string"` // pieces
	Price     decimal.Decimal `json:"price"`         // of one piece with its options, at the time of reading
	Product   string          `json:"product"`       // the product's name
	Extra     Extra           `json:"extra"`
}

// Extra has further fields of a line. Its numbers are numbers on the wire.
type Extra struct {
	ProductID      int64        `json:"product_id"`
	ProductOptions Options      `json:"product_options"`
	Amount         int64        `json:"amount"`
	AmountTotal    int64        `json:"amount_total"` // pieces of the product in all lines
	Price          Number       `json:"price"`
	BasePrice      Number       `json:"base_price"` // without options
	DisplayPrice   Number       `json:"display_price"`
	ModifiersPrice Number       `json:"modifiers_price"` // surcharge of the options
	Discount       Number       `json:"discount"`        // always 0: a cart has no discounts
	Product        string       `json:"product"`
	ProductCode    string       `json:"product_code"`
	CompanyID      string       `json:"company_id"`
	OptionsType    string       `json:"options_type"`
	ExceptionsType string       `json:"exceptions_type"`
	IsEDP          string       `json:"is_edp"`
	EDPShipping    string       `json:"edp_shipping"`
	StoredPrice    string       `json:"stored_price"`             // always N: prices are computed on reading
	StoredDiscount string       `json:"stored_discount"`          // always N
	Promotions     shopapi.JSON `json:"promotions" types:"array"` // always []
	MainPair       images.Pair  `json:"main_pair"`
	Extra          MoreExtra    `json:"extra"`
}

// MoreExtra is embedded in an [Extra].
type MoreExtra struct {
	ProductOptions    Options `json:"product_options"`
	UnlimitedDownload string  `json:"unlimited_download"`
}

// Options are the chosen options of a line: on the wire an object, or an empty array.
type Options options.Selection

// AppendJSON appends the wire form.
func (o Options) AppendJSON(dst []byte) ([]byte, error) {
	if len(o) == 0 {
		return append(dst, "[]"...), nil
	}
	text, err := options.Selection(o).MarshalJSON()
	return append(dst, text...), err
}

// MarshalJSON returns the text of AppendJSON.
func (o Options) MarshalJSON() ([]byte, error) { return o.AppendJSON(nil) }

// A Number is an amount whose wire form is a number.
type Number struct{ decimal.Decimal }

// AppendJSON appends the number.
func (n Number) AppendJSON(dst []byte) ([]byte, error) {
	return append(dst, n.Trim(0).String()...), nil
}

// MarshalJSON returns the text of AppendJSON.
func (n Number) MarshalJSON() ([]byte, error) { return n.AppendJSON(nil) }

// textOf returns the stored text of options; equal options have equal texts.
func textOf(o Options) string {
	text, _ := options.Selection(o).MarshalJSON() // never fails
	return string(text)
}

// itemID returns the id of a new line: a 32-bit hash of product and options, or the next
// id that no other line of the cart has.
func itemID(product int64, chosen Options, lines []Line) int64 {
	text := strconv.AppendInt(nil, product, 10)
	id := crc32.ChecksumIEEE(append(text, textOf(chosen)...))
	for ; id == 0 || byItem(lines, int64(id)) >= 0; id++ {
	}
	return int64(id)
}

// byItem returns the index of the line with an item id, -1 for none.
func byItem(lines []Line, id int64) int {
	for i := range lines {
		if lines[i].ItemID == id {
			return i
		}
	}
	return -1
}

// row returns the stored form of a line.
func (l *Line) row(cart int64) *lineRow {
	return &lineRow{
		UserID: cart, ItemID: l.ItemID, ProductID: l.ProductID, Amount: l.Amount,
		Options: shopapi.JSON(textOf(l.Extra.ProductOptions)),
	}
}

// line returns the line of a row, without the fields that come from its product.
func (r *lineRow) line() Line {
	var chosen options.Selection
	if json.Unmarshal(r.Options, &chosen) != nil {
		chosen = nil // not written by this package
	}
	return Line{
		ItemID: r.ItemID, ItemType: InCart, ProductID: r.ProductID, Amount: r.Amount,
		Extra: Extra{ProductOptions: Options(chosen)},
	}
}
