package callrequests

import (
	"bytes"
	"encoding/json"
	"errors"

	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi/internal/wire"
)

// CartProducts is the content of the customer's cart: a text or a list of products, as
// JSON in the form of the request. The empty text means an empty cart.
type CartProducts string

// A CartProduct is a product of a cart.
type CartProduct struct {
	ProductID int64           `json:"product_id,string"`
	Amount    int64           `json:"amount,string"` // pieces
	Price     decimal.Decimal `json:"price"`         // of one piece, in the shop's currency
	Product   string          `json:"product"`       // the product's name
}

// CartText returns cart products with the text.
func CartText(text string) CartProducts {
	var c CartProducts
	c.encode(text, text == "")
	return c
}

// CartOf returns cart products with the list.
func CartOf(products ...CartProduct) CartProducts {
	var c CartProducts
	c.encode(products, len(products) == 0)
	return c
}

func (c *CartProducts) encode(v any, empty bool) {
	if empty {
		return
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil { // texts, numbers and amounts always encode
		panic("callrequests: encoding a cart: " + err.Error())
	}
	*c = CartProducts(bytes.TrimSpace(b.Bytes()))
}

// Text returns the cart products if they are a text, or else "".
func (c CartProducts) Text() string {
	var text string
	if json.Unmarshal([]byte(c), &text) != nil {
		return ""
	}
	return text
}

// Products returns the cart products if they are a list, or else nil. Missing members
// are zero.
func (c CartProducts) Products() []CartProduct {
	list, _ := parseCart([]byte(c))
	return list
}

// MarshalJSON writes the text or the list as it was sent.
func (c CartProducts) MarshalJSON() ([]byte, error) {
	if c == "" {
		return []byte(`""`), nil
	}
	return []byte(c), nil
}

// PayloadForms implements [shopapi.PayloadFormer]: a text, or a list of products.
func (CartProducts) PayloadForms() []any { return []any{"", []CartProduct{}} }

// UnmarshalJSON reads a text, a number, or an array of objects with product_id, amount,
// price and product. Null and empty values become the empty text.
func (c *CartProducts) UnmarshalJSON(data []byte) error {
	text, err := wire.Compact(data)
	// an object, even an empty one, is not a list
	if err != nil || text == "" && bytes.HasPrefix(data, []byte("{")) {
		return errNoCart
	}
	switch _, kind := wire.Scalar(json.RawMessage(text)); kind {
	case wire.Null, wire.String:
	case wire.Number:
		*c = CartText(text)
		return nil
	default:
		if _, err := parseCart([]byte(text)); err != nil {
			return err
		}
	}
	*c = CartProducts(text)
	return nil
}

var errNoCart = errors.New("must be a text, or an array of products, each with product_id and amount (whole numbers from 0), price (an amount) and product (a text)")

// parseCart reads an array of products. Numbers may be texts.
func parseCart(data []byte) ([]CartProduct, error) {
	var items []*struct {
		ProductID json.Number     `json:"product_id"`
		Amount    json.Number     `json:"amount"`
		Price     decimal.Decimal `json:"price"`
		Product   string          `json:"product"`
	}
	if err := json.Unmarshal(data, &items); err != nil {
		return nil, errNoCart
	}
	var list []CartProduct
	for _, item := range items {
		if item == nil {
			return nil, errNoCart
		}
		id, idOK := count(item.ProductID)
		amount, amountOK := count(item.Amount)
		if !idOK || !amountOK || item.Price.IsNeg() {
			return nil, errNoCart
		}
		list = append(list, CartProduct{ProductID: id, Amount: amount, Price: item.Price, Product: item.Product})
	}
	return list, nil
}

// count reads a whole number from 0. An empty number is 0.
func count(text json.Number) (int64, bool) {
	if text == "" {
		return 0, true
	}
	n, ok := wire.ParseWhole(text.String())
	return n, ok && n >= 0
}
