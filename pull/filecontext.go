package pull

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/extensions/files"
	"github.com/shopapi/shopapi/orders"
	"github.com/shopapi/shopapi/products"
	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/memory"
)

// isEmpty reports whether an entity has no objects, or only the objects that every new shop has.
func isEmpty(ctx context.Context, sh *shop.Shop, entity string) (bool, error) {
	here, err := firstObjects(ctx, sh, entity)
	if err != nil || len(here) == 0 {
		return err == nil, err
	}
	if newShops[seedEntity(entity)] == nil || len(here) > maxSeeds {
		return false, nil
	}
	if entity == "users" { // a new shop has its first administrator
		return len(here) == 1 && string(here[0]["is_root"]) == `"Y"`, nil
	}
	fresh, err := shop.New(ctx, memory.New(), &shop.Options{Options: shopapi.Options{Edition: sh.Edition(), Dialect: sh.Dialect()}})
	if err != nil {
		return false, err
	}
	there, err := firstObjects(ctx, fresh, entity)
	return slices.EqualFunc(here, there, sameAsNew), err
}

// maxSeeds is more than the number of objects that a new shop has of an entity.
const maxSeeds = 20

// sameAsNew reports whether an object has the fields of one in a new shop, but for the times at
// which they were written, and the language, which is the default language of the shop. Custom fields
// have no values.
func sameAsNew(here, fresh map[string]json.RawMessage) bool {
	for name, value := range here {
		had, ok := fresh[name]
		switch {
		case name == "timestamp" || name == "updated_at" || name == "lang_code":
		case ok && !bytes.Equal(value, had), !ok && string(value) != "null":
			return false
		}
	}
	return len(here) >= len(fresh)
}

// errEnough ends an export.
var errEnough = errors.New("pull: there are enough objects")

// firstObjects returns the first objects of an entity, at most some more than a new shop has.
func firstObjects(ctx context.Context, sh *shop.Shop, entity string) (list []map[string]json.RawMessage, err error) {
	var lines bytes.Buffer
	err = files.Export(ctx, &boundedWriter{&lines, maxSeeds << 14}, sh.API, entity, nil)
	if err != nil && !errors.Is(err, errEnough) {
		return nil, err
	}
	decoder := json.NewDecoder(&lines)
	for len(list) <= maxSeeds {
		var object map[string]json.RawMessage
		if err := decoder.Decode(&object); errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			break
		} else if err != nil {
			return nil, err
		}
		list = append(list, object)
	}
	return list, nil
}

// A boundedWriter fails with errEnough after so many bytes.
type boundedWriter struct {
	to   *bytes.Buffer
	left int
}

func (w *boundedWriter) Write(b []byte) (int, error) {
	n, _ := w.to.Write(b[:min(len(b), w.left)])
	if w.left -= n; n < len(b) {
		return n, errEnough
	}
	return n, nil
}

// baseLanguage returns the language of the texts of objects in this shop.
func (p *puller) baseLanguage(ctx context.Context) (code string, err error) {
	code = firstLanguage
	s := p.schema("base_language")
	err = p.each(ctx, s, func(r []store.Value) { code = r[1].Text() })
	return code, err
}

// each calls a function with all rows of a table.
func (p *puller) each(ctx context.Context, s *store.Schema, do func(r []store.Value)) error {
	return p.st.View(ctx, func(_ context.Context, tx store.Tx) error {
		return tx.Select(s.All(), &store.Query{}, func(r []store.Value) error {
			do(r)
			return nil
		})
	})
}

// readContext reads the rows of other entities that orders and shipments follow from, which a pull
// has read before them.
func (p *puller) readContext(ctx context.Context, entity string) error {
	if entity != "orders" && entity != "shipments" {
		return nil
	}
	status, params := p.column("statuses", "status"), p.column("statuses", "params")
	err := p.each(ctx, p.schema("statuses"), func(r []store.Value) {
		o := p.objectOf("statuses", "", nil).under(json.RawMessage(r[params].Text()))
		p.stock[r[status].Text()] = o.text("inventory") == "D"
	})
	if err != nil {
		return err
	}
	weight, freight := p.column("products", "weight"), p.column("products", "shipping_freight")
	tracking, free := p.column("products", "tracking"), p.column("products", "free_shipping")
	err = p.each(ctx, p.schema("products"), func(r []store.Value) {
		p.weights[r[0].Int()] = goods{decimal.MustNew(r[weight].Int(), 3), decimal.MustNew(r[freight].Int(), 2), r[tracking].Text(), r[free].Int() != 0}
	})
	if err != nil {
		return err
	}
	product, chosen := p.column("product_options_inventory", "product_id"), p.column("product_options_inventory", "combination")
	err = p.each(ctx, p.schema("product_options_inventory"), func(r []store.Value) {
		p.noteCombination(r[product].Int(), r[0].Int(), r[chosen].Text())
	})
	if err != nil || entity != "shipments" {
		return err
	}
	return p.readLines(ctx)
}

// readLines notes the lines of orders that hold pieces of the stock.
func (p *puller) readLines(ctx context.Context) error {
	status, parent, lines := p.column("orders", "status"), p.column("orders", "is_parent_order"), p.column("orders", "products")
	var wrong error
	err := p.each(ctx, p.schema("orders"), func(r []store.Value) {
		if !p.stock[r[status].Text()] || r[parent].Int() != 0 {
			return
		}
		var list orders.Lines
		if err := list.UnmarshalText([]byte(r[lines].Text())); err != nil {
			wrong = fmt.Errorf("pull: order %d: %w", r[0].Int(), err)
			return
		}
		for i := range list {
			l := &list[i]
			of := p.weights[l.ProductID]
			if of.tracking == "" || of.tracking == products.DoNotTrack {
				continue
			}
			from := orders.Consumption{ItemID: l.ItemID, ProductID: l.ProductID}
			if of.tracking == products.TrackByOptions {
				from.Combination = l.Combination
			}
			p.shipped[shippedLine{shopapi.FormatID(r[0].Int()), l.ItemID}] = from
		}
	})
	return errors.Join(err, wrong)
}

// column is the index of a column of a table.
func (p *puller) column(table, name string) int { return p.schema(table).Index(name) }
