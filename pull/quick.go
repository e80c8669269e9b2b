package pull

import (
	"context"
	"fmt"
	"strings"

	"github.com/shopapi/shopapi/store"
)

// changed completes the digests of items and returns the items to read: with [Options.Quick]
// the ones that lists show otherwise than when they were read.
func (c collection) changed(ctx context.Context, p *puller, items []item) ([]item, error) {
	if !c.quick || p.DryRun {
		return items, nil
	}
	if err := c.digestsIn(ctx, p, items); err != nil {
		return nil, err
	}
	if c.place != nil {
		for i := range items {
			items[i].digest = digestOf(items[i].digest.text(), c.place(p, items[i]))
		}
	}
	if !p.Quick || p.Overwrite {
		return items, nil
	}
	var read []item
	for first := 0; first < len(items); first += batch {
		some := items[first:min(first+batch, len(items))]
		known, err := p.knownItems(ctx, c.name, some)
		if err != nil {
			return nil, err
		}
		for _, it := range some {
			if k, ok := known[it.id]; !ok || k.Listed != it.digest.text() || c.mustRead != nil && c.mustRead(p, it) {
				read = append(read, it)
				continue
			}
			if c.skipped != nil {
				c.skipped(p, it)
			}
		}
	}
	p.leftOut += int64(len(items) - len(read))
	return read, nil
}

// knownItems reads the state of items.
func (p *puller) knownItems(ctx context.Context, entity string, items []item) (list map[string]known, err error) {
	ids := make([]string, len(items))
	for i := range items {
		ids[i] = items[i].id
	}
	err = p.st.View(ctx, func(_ context.Context, tx store.Tx) error {
		list, err = knownOf(tx, entity, ids)
		return err
	})
	return list, err
}

// digestsIn has the digests of items include what lists in other languages show.
func (c collection) digestsIn(ctx context.Context, p *puller, items []item) error {
	if !c.translated || len(items) == 0 {
		return nil
	}
	shown := map[string][]string{} // by id
	for _, code := range p.inLanguages() {
		for _, l := range c.lists {
			l.digests, l.brief, l.query = true, []string{}, cloneQuery(l.query)
			l.query.Set("sl", code)
			list, _, err := p.list(ctx, l)
			if err != nil && !isRefusal(err) {
				return err
			}
			for _, it := range list {
				shown[it.id] = append(shown[it.id], code, it.digest.text())
			}
		}
	}
	for i := range items {
		items[i].digest = digestOf(append(shown[items[i].id], items[i].digest.text())...)
	}
	return nil
}

// readSkipped reads the orders of shipments that are new or changed, if quick left them out:
// shipments follow from the goods that their orders hold.
func readSkipped(ctx context.Context, p *puller, shipments []item) error {
	var orders []item
	for _, it := range shipments {
		o := p.objectOf("shipments", it.id, it.all())
		if order := o.text("order_id"); p.skippedOrders[order] {
			orders = append(orders, item{id: order, list: "orders"})
			delete(p.skippedOrders, order)
		}
	}
	if len(orders) == 0 {
		return nil
	}
	return orderCollection.takeItems(ctx, p, orders, nil)
}

// ofReadOrder says that a shipment belongs to an order that was read.
func ofReadOrder(p *puller, it item) bool {
	o := p.objectOf("shipments", it.id, it.all())
	return !p.skippedOrders[o.text("order_id")]
}

// goodsOf reads the products of an order that quick left out: lines have their weight and
// whether they are tracked.
func (p *puller) goodsOf(ctx context.Context, o *object) error {
	for _, e := range o.list("products") {
		line := o.under(e.Value)
		id := line.int("product_id")
		text, ok := p.skippedProducts[id]
		if !ok {
			continue
		}
		delete(p.skippedProducts, id)
		members, err := p.read(ctx, "products/"+text, nil)
		if err != nil {
			if isRefusal(err) {
				continue // as a product that is gone
			}
			return err
		}
		p.weights[id] = goodsIn(p.objectOf("products", text, members))
	}
	return nil
}

// skippedProduct notes a product that quick left out.
func skippedProduct(p *puller, it item) {
	if id, ok := wholeNumber([]byte(`"` + it.id + `"`)); ok {
		p.skippedProducts[id] = it.id
	}
}

// skippedOrder notes an order that quick left out.
func skippedOrder(p *puller, it item) { p.skippedOrders[it.id] = true }

// hasSecret says that the run brings a user a key or a password.
func hasSecret(p *puller, it item) bool {
	if len(p.Keys) == 0 && len(p.Passwords) == 0 {
		return false
	}
	o := p.objectOf("users", it.id, it.all())
	email := strings.TrimSpace(o.text("email"))
	for _, list := range []map[string]string{p.Keys, p.Passwords} {
		for address := range list {
			if email == "" || strings.EqualFold(address, email) {
				return true
			}
		}
	}
	return false
}

// noteSkippedOptions adds products that quick left out to the ones whose options are read, if
// they had options.
func (p *puller) noteSkippedOptions(ctx context.Context) error {
	if len(p.skippedProducts) == 0 {
		return nil
	}
	s := p.schema("product_options")
	of := s.Index("product_id")
	with := map[int64]bool{}
	err := p.st.View(ctx, func(_ context.Context, tx store.Tx) error {
		clear(with)
		return tx.Select(s.All(), &store.Query{}, func(r []store.Value) error {
			with[r[of].Int()] = true
			return nil
		})
	})
	if err != nil {
		return err
	}
	left := 0
	for id, text := range p.skippedProducts {
		if !with[id] && !with[0] {
			left++
			continue
		}
		p.products = append(p.products, productID{id, text})
	}
	if left > 0 {
		p.report.note(fmt.Sprintf("options: %d products had none, and were not asked again (quick)", left))
	}
	return nil
}
