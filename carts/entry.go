package carts

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strconv"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/internal/plain"
	"github.com/shopapi/shopapi/options"
	"github.com/shopapi/shopapi/store"
)

// An entry says what becomes of one line of a cart.
type entry struct {
	item    int64             // the id of a line; 0 where the key tells
	key     string            // in a payload: an item id of the cart, else the id of a product
	index   bool              // the key is neither
	line    bool              // the key must be an item id
	product int64             // 0 where the key tells
	amount  int64             // pieces; 0 removes the line
	options options.Selection // nil for those that the line has
	add     bool              // the pieces are added to those that are there

	at     int // the line that is meant, -1 for a new one
	chosen Options
}

// field names a part of an entry in messages.
func (e *entry) field(name string) string { return "products[" + e.key + "]" + name }

var errNoProducts = errors.New(`must be an object of products, such as {"12": {"amount": 2}}`)

// entriesOf reads the products of a payload: an object, or an array whose items name
// their products. It notes what is wrong with them.
func entriesOf(raw json.RawMessage, problems *shopapi.Problems) []entry {
	d := json.NewDecoder(bytes.NewReader(raw))
	start, err := d.Token()
	if err != nil || start == nil || start == "" {
		return nil
	}
	if start != json.Delim('{') && start != json.Delim('[') {
		problems.Add("products", "%s", errNoProducts)
		return nil
	}
	var list []entry
	for i := 0; d.More(); i++ {
		e := entry{key: strconv.Itoa(i), index: start == json.Delim('[')}
		if !e.index {
			name, _ := d.Token() // it is valid JSON
			e.key = plain.Short(name.(string))
		}
		var value json.RawMessage
		if d.Decode(&value) != nil || len(list) == MaxLines {
			problems.Add("products", "must have at most %d products", MaxLines)
			return nil
		}
		e.read(value, problems)
		list = append(list, e)
	}
	return list
}

// read reads what a payload says of one product.
func (e *entry) read(value json.RawMessage, problems *shopapi.Problems) {
	payload, err := shopapi.NewPayload(value)
	if err != nil {
		problems.Add(e.field(""), "must be an object with an amount")
		return
	}
	var sent struct {
		ItemID    int64              `json:"item_id"`
		ProductID int64              `json:"product_id"`
		Amount    *int64             `json:"amount"`
		Options   *options.Selection `json:"product_options"`
	}
	var told *shopapi.Error
	if err := (&shopapi.Request{Payload: payload}).Bind(&sent); errors.As(err, &told) {
		for name, text := range told.Fields {
			problems.Add(e.field("["+name+"]"), "%s", text)
		}
		return
	}
	e.item, e.product = sent.ItemID, sent.ProductID
	if sent.Options != nil {
		e.options = *sent.Options
	}
	if sent.Amount == nil {
		problems.Add(e.field("[amount]"), "is required: the number of pieces, 0 for none")
		return
	}
	e.amount = *sent.Amount
}

// lay returns the lines that entries make of those that a cart has. It returns a 400
// [*shopapi.Error] that names everything that is wrong with them.
func (c *Carts) lay(ctx context.Context, tx store.Tx, lines []Line, entries []entry) ([]Line, error) {
	var problems shopapi.Problems
	for i := range entries {
		if err := c.locate(lines, &entries[i], &problems); err != nil {
			return nil, err
		}
	}
	if err := c.checkProducts(ctx, tx, entries, &problems); err != nil {
		return nil, err
	}
	if err := c.resolve(ctx, tx, entries, &problems); err != nil {
		return nil, err
	}
	if err := problems.Err(); err != nil {
		return nil, err
	}
	for i := range entries {
		lines = entries[i].lay(lines, &problems)
	}
	lines = withoutEmpty(lines)
	if len(lines) > MaxLines {
		problems.Add("products", "must not give the cart more than %d lines", MaxLines)
	}
	return lines, problems.Err()
}

// locate finds the line that an entry means, and the product.
func (c *Carts) locate(lines []Line, e *entry, problems *shopapi.Problems) error {
	e.at = -1
	least := int64(0)
	if e.add {
		least = 1
	}
	problems.Range(e.field("[amount]"), e.amount, least, MaxAmount)
	id, err := strconv.ParseInt(e.key, 10, 64)
	if err == nil && !e.index {
		e.at = byItem(lines, id)
	}
	if e.at < 0 && e.item != 0 {
		e.at = byItem(lines, e.item)
	}
	switch {
	case e.at >= 0:
		e.product = lines[e.at].ProductID
		return nil
	case e.line:
		return shopapi.NotFound("line of the cart", e.key)
	case e.product == 0 && !e.index:
		e.product = id
	}
	if e.product <= 0 {
		problems.Add(e.field(""), "must be the id of a product, or have a product_id")
		return nil
	}
	e.at = meant(lines, e.product, e.options)
	return nil
}

// meant is the line of a product with the options, and where none are given the only
// one there is; -1 for none.
func meant(lines []Line, product int64, chosen options.Selection) int {
	found := -1
	for i := range lines {
		if lines[i].ProductID != product {
			continue
		}
		if chosen != nil {
			if textOf(lines[i].Extra.ProductOptions) == textOf(chosenOf(chosen)) {
				return i
			}
			continue
		}
		if found >= 0 {
			return -1
		}
		found = i
	}
	return found
}

// chosenOf are the options without those of which nothing is chosen.
func chosenOf(selection options.Selection) Options {
	chosen := Options{}
	for id, choice := range selection {
		if choice != "" {
			chosen[id] = choice
		}
	}
	return chosen
}

// checkProducts notes the products of new lines that there are not, or that nobody can
// buy.
func (c *Carts) checkProducts(ctx context.Context, tx store.Tx, entries []entry, problems *shopapi.Problems) error {
	var wanted []*Line
	for i := range entries {
		if e := &entries[i]; e.at < 0 && e.amount > 0 && e.product > 0 {
			wanted = append(wanted, &Line{ProductID: e.product})
		}
	}
	if len(wanted) == 0 {
		return nil
	}
	goods, err := c.products(ctx, tx, wanted)
	if err != nil {
		return err
	}
	for i := range entries {
		e := &entries[i]
		if e.at >= 0 || e.amount <= 0 || e.product <= 0 {
			continue
		}
		switch product, ok := goods[e.product]; {
		case !ok:
			problems.Add(e.field(""), "must be a product that exists; %d is none", e.product)
		case product.CompanyID == 0:
			problems.Add(e.field(""), "must not be a master product, which only vendors' offers sell")
		}
	}
	return nil
}

// resolve brings the options of entries into their one form, and notes what is wrong
// with them.
func (c *Carts) resolve(ctx context.Context, tx store.Tx, entries []entry, problems *shopapi.Problems) error {
	var asked []options.Line
	var of []*entry
	for i := range entries {
		e := &entries[i]
		e.chosen = chosenOf(e.options)
		if e.amount <= 0 || e.product <= 0 || e.at >= 0 && e.options == nil || problems.Has(e.field("")) {
			continue
		}
		asked = append(asked, options.Line{ProductID: e.product, Selection: options.Selection(e.chosen), Field: e.field("[product_options]")})
		of = append(of, e)
	}
	if c.options == nil || len(asked) == 0 {
		return nil
	}
	resolved, err := c.options.Resolve(ctx, tx, problems, asked...)
	if err != nil {
		return err
	}
	for i, e := range of {
		e.chosen = Options(resolved[i].Selection)
	}
	return nil
}

// lay lays an entry over the lines. Lines without pieces are those that go.
func (e *entry) lay(lines []Line, problems *shopapi.Problems) []Line {
	switch {
	case e.at >= 0 && (e.amount == 0 || e.options == nil):
		lines[e.at].set(e, problems)
	case e.amount == 0:
	default:
		if e.at >= 0 && textOf(lines[e.at].Extra.ProductOptions) != textOf(e.chosen) {
			lines[e.at].Amount = 0 // other options make another line
		}
		if at := meant(lines, e.product, options.Selection(e.chosen)); at >= 0 {
			lines[at].set(e, problems)
			break
		}
		lines = append(lines, Line{
			ItemID: itemID(e.product, e.chosen, lines), ItemType: InCart, ProductID: e.product, Amount: e.amount,
			Extra: Extra{ProductOptions: e.chosen},
		})
	}
	return lines
}

// set sets the pieces of a line.
func (l *Line) set(e *entry, problems *shopapi.Problems) {
	if e.add {
		l.Amount += e.amount
		problems.Range(e.field("[amount]"), l.Amount, 0, MaxAmount)
		return
	}
	l.Amount = e.amount
}

func withoutEmpty(lines []Line) []Line {
	kept := lines[:0]
	for _, l := range lines {
		if l.Amount > 0 {
			kept = append(kept, l)
		}
	}
	return kept
}
