package carts

import (
	"encoding/json"
	"hash/crc32"
	"strconv"

	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/images"
	"github.com/shopapi/shopapi/internal/jsonenc"
	"github.com/shopapi/shopapi/options"
)

// InCart is the type of all lines.
const InCart = "P"

// A Line is a number of pieces of one product with the same options.
type Line struct {
	ItemID    int64           `json:"item_id,string"`
	ItemType  string          `json:"item_type"` // always P: in the cart
	ProductID int64           `json:"product_id,string"`
	Amount    int64           `json:"amount,string"` // pieces
	Price     decimal.Decimal `json:"price"`         // of one piece with its options, today
	Product   string          `json:"product"`       // its name
	Extra     Extra           `json:"extra"`
}

// Extra is what else a line tells. Its numbers are numbers on the wire.
type Extra struct {
	ProductID      int64        `json:"product_id"`
	ProductOptions Options      `json:"product_options"`
	Amount         int64        `json:"amount"`
	AmountTotal    int64        `json:"amount_total"` // pieces of the product, with whatever options
	Price          Number       `json:"price"`
	BasePrice      Number       `json:"base_price"` // without options
	DisplayPrice   Number       `json:"display_price"`
	ModifiersPrice Number       `json:"modifiers_price"` // what the options add
	Discount       Number       `json:"discount"`        // always 0: a cart has none
	Product        string       `json:"product"`
	ProductCode    string       `json:"product_code"`
	CompanyID      string       `json:"company_id"`
	OptionsType    string       `json:"options_type"`
	ExceptionsType string       `json:"exceptions_type"`
	IsEDP          string       `json:"is_edp"`
	EDPShipping    string       `json:"edp_shipping"`
	StoredPrice    string       `json:"stored_price"`    // always N: prices are today's
	StoredDiscount string       `json:"stored_discount"` // always N
	Promotions     shopapi.JSON `json:"promotions"`      // always []
	MainPair       images.Pair  `json:"main_pair"`
	Extra          MoreExtra    `json:"extra"`
}

// MoreExtra stands inside an [Extra].
type MoreExtra struct {
	ProductOptions    Options `json:"product_options"`
	UnlimitedDownload string  `json:"unlimited_download"`
}

// Options are the choices of a line: on the wire an object, or an empty array.
type Options options.Selection

// AppendJSON writes the choices.
func (o Options) AppendJSON(dst []byte) ([]byte, error) {
	if len(o) == 0 {
		return append(dst, "[]"...), nil
	}
	text, err := options.Selection(o).MarshalJSON()
	return append(dst, text...), err
}

// MarshalJSON writes what AppendJSON does.
func (o Options) MarshalJSON() ([]byte, error) { return o.AppendJSON(nil) }

// A Number is an amount that is a number on the wire.
type Number struct{ decimal.Decimal }

// AppendJSON writes the number.
func (n Number) AppendJSON(dst []byte) ([]byte, error) {
	return append(dst, n.Trim(0).String()...), nil
}

// MarshalJSON writes what AppendJSON does.
func (n Number) MarshalJSON() ([]byte, error) { return n.AppendJSON(nil) }

// UserData is the user whom a cart belongs to, as the entity users answers it. On the
// wire it is an empty array where there is none.
type UserData struct{ User any }

// AppendJSON writes the user.
func (u UserData) AppendJSON(dst []byte) ([]byte, error) {
	if u.User == nil {
		return append(dst, "[]"...), nil
	}
	return jsonenc.Append(dst, u.User)
}

// MarshalJSON writes what AppendJSON does.
func (u UserData) MarshalJSON() ([]byte, error) { return u.AppendJSON(nil) }

// textOf is one text for equal choices.
func textOf(o Options) string {
	text, _ := options.Selection(o).MarshalJSON() // never fails
	return string(text)
}

// itemID is the id of a line: a number of 32 bits made from product and options, or the
// next one that no other line of the cart has.
func itemID(product int64, chosen Options, lines []Line) int64 {
	text := strconv.AppendInt(nil, product, 10)
	id := crc32.ChecksumIEEE(append(text, textOf(chosen)...))
	for ; id == 0 || byItem(lines, int64(id)) >= 0; id++ {
	}
	return int64(id)
}

// byItem is the index of the line with an item id, -1 for none.
func byItem(lines []Line, id int64) int {
	for i := range lines {
		if lines[i].ItemID == id {
			return i
		}
	}
	return -1
}

// row is how the line of a cart is stored.
func (l *Line) row(cart int64) *lineRow {
	return &lineRow{
		UserID: cart, ItemID: l.ItemID, ProductID: l.ProductID, Amount: l.Amount,
		Options: shopapi.JSON(textOf(l.Extra.ProductOptions)),
	}
}

// line is a line as it is stored, without what its product tells.
func (r *lineRow) line() Line {
	var chosen options.Selection
	if json.Unmarshal(r.Options, &chosen) != nil {
		chosen = nil // nothing that this package wrote
	}
	return Line{
		ItemID: r.ItemID, ItemType: InCart, ProductID: r.ProductID, Amount: r.Amount,
		Extra: Extra{ProductOptions: Options(chosen)},
	}
}
