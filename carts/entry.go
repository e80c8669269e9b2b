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

// An entry is a change of one line of a cart.
type entry struct {
	item    int64             // the id of a line; 0 if the key decides
	key     string            // in a payload: an item id of the cart, or else the id of a product
	index   bool              // the key is only an index
	line    bool              // the key must be an item id
	product int64             // 0 if the key decides
	amount  int64             // pieces; 0 removes the line
	options options.Selection // nil keeps the options of the line
	add     bool              // adds the pieces to the existing ones

	at     int // index of the line, -1 for a new one
	chosen Options
}

// field names a part of an entry in messages.
func (e *entry) field(name string) string { return "products[" + e.key + "]" + name }

var errNoProducts = errors.New(`must be an object of products, such as {"12": {"amount": 2}}`)

// entriesOf reads the products of a payload: an object, or an array whose items name
// their products. It adds the problems of each.
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

// read reads one product of a payload.
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

// lay returns the lines after applying the entries. It returns a 400 [*shopapi.Error]
// that names every problem. If drop is set, it leaves out the entries with problems instead.
func (c *Carts) lay(ctx context.Context, tx store.Tx, lines []Line, entries []entry, drop bool) ([]Line, error) {
	var problems shopapi.Problems
	l := layOut(lines)
	for i := range entries {
		if err := l.locate(&entries[i], &problems); err != nil {
			return nil, err
		}
	}
	if err := c.checkProducts(ctx, tx, entries, &problems); err != nil {
		return nil, err
	}
	if err := c.resolve(ctx, tx, entries, &problems); err != nil {
		return nil, err
	}
	if drop {
		l.layFitting(entries, &problems)
		return l.lines, nil
	}
	if err := problems.Err(); err != nil {
		return nil, err
	}
	for i := range entries {
		l.lay(&entries[i], &problems)
	}
	l.check(&problems)
	return withoutEmpty(l.lines), problems.Err()
}

// asksProduct reports whether an entry depends on its product: it makes a line, or gives
// an existing one other options.
func (e *entry) asksProduct() bool {
	return e.amount > 0 && e.product > 0 && (e.at < 0 || e.options != nil)
}

// checkProducts adds a problem for each line that gets a product or options, and whose
// product does not exist, is not visible or cannot be bought.
func (c *Carts) checkProducts(ctx context.Context, tx store.Tx, entries []entry, problems *shopapi.Problems) error {
	var wanted []*Line
	for i := range entries {
		if e := &entries[i]; e.asksProduct() {
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
		if !e.asksProduct() {
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

// resolve brings the options of entries into the form that is stored, and adds their
// problems.
func (c *Carts) resolve(ctx context.Context, tx store.Tx, entries []entry, problems *shopapi.Problems) error {
	var asked []options.Line
	var of []*entry
	for i := range entries {
		e := &entries[i]
		e.chosen = chosenOf(e.options)
		if !e.asksProduct() || problems.Has(e.field("")) {
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
