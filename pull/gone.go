package pull

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/discussions"
	"github.com/shopapi/shopapi/store"
)

// A gone is an entity of which objects may be removed.
type gone struct {
	name  string
	paths []string // at which the old shop would answer for an object

	// parts returns the parts of an object, without rows.
	parts func(p *puller, id store.Value) []part
}

// removable are the entities of which objects are removed, in the reverse order of
// [entities]. Settings and languages stay: nobody removes them by chance.
func removable() []gone {
	one := func(name, table string, follows, kept []string) gone {
		return gone{name, []string{name}, func(p *puller, id store.Value) []part {
			s := p.schema(table)
			list := []part{{schema: s, owner: s.Key(), of: id, keyed: true, follows: follows, kept: kept}}
			if s.Texts() != nil {
				list = append(list, part{schema: s.Texts(), owner: store.TextObject, of: id})
			}
			return list
		}}
	}
	with := func(g gone, more ...func(p *puller, id store.Value) part) gone {
		first := g.parts
		g.parts = func(p *puller, id store.Value) []part {
			list := first(p, id)
			for _, m := range more {
				list = append(list, m(p, id))
			}
			return list
		}
		return g
	}
	table := func(name, owner string, keyed bool) func(*puller, store.Value) part {
		return func(p *puller, id store.Value) part {
			return part{schema: p.schema(name), owner: owner, of: id, keyed: keyed}
		}
	}
	below := func(name string) func(*puller, store.Value) part { // orders
		return func(p *puller, id store.Value) part {
			return part{schema: p.schema(name), owner: "order_id", of: id, optional: true}
		}
	}
	textsOf := func(name, owner string) func(*puller, store.Value) part {
		return func(p *puller, id store.Value) part { return textsBelow(p.schema(name), owner, id.Int()) }
	}
	stamp := []string{"updated_at"}
	tree := []string{"id_path", "tree_order", "updated_at"}
	products := with(one("products", "products", []string{"amount", "updated_timestamp"}, nil),
		table("products_categories", "product_id", false), table("product_features_values", "product_id", false))
	products.paths = []string{"products", "product_variations", "master_products"}
	return []gone{
		one("call_requests", "call_requests", nil, []string{"email"}),
		one("shipments", "shipments", nil, nil),
		with(one("orders", "orders", append(stamp, "counted"), append(stamp, "counted")), below("order_history"), below("order_documents")),
		with(one("carts", "carts", nil, []string{"email", "phone"}), table("cart_products", "user_id", false)),
		one("blocks", "blocks", nil, nil),
		one("pages", "pages", tree, stamp),
		one("discussions", "discussions", stamp, stamp),
		with(one("product_variations_groups", "product_variation_groups", nil, nil),
			table("product_variation_group_products", "group_id", false), table("product_variation_group_features", "group_id", false)),
		one("exceptions", "product_options_exceptions", nil, nil),
		one("combinations", "product_options_inventory", []string{"amount"}, nil),
		with(one("options", "product_options", nil, nil),
			table("product_option_variants", "option_id", true), textsOf("product_option_variants", "option_id")),
		products,
		with(one("features", "product_features", nil, nil),
			table("product_feature_variants", "feature_id", true), textsOf("product_feature_variants", "feature_id")),
		one("categories", "categories", append([]string{"product_count"}, tree...), stamp),
		one("shippings", "shippings", nil, nil),
		one("payments", "payments", nil, []string{"processor_params"}),
		one("taxes", "taxes", nil, []string{"rates"}),
		with(one("users", "users", stamp, []string{"api_key_hash", "api_key_created", "password_hash", "updated_at"}), table("usergroup_links", "user_id", false)),
		one("usergroups", "usergroups", nil, nil),
	}
}

// removeGone deletes objects that were deleted in the old shop.
func (p *puller) removeGone(ctx context.Context) error {
	if !p.Delete {
		return nil
	}
	for _, g := range removable() {
		if !p.completed[g.name] {
			p.report.note(g.name + ": nothing was removed, since not all could be read")
			continue
		}
		if err := p.removeOf(ctx, g); err != nil {
			return fmt.Errorf("pull: removing %s: %w", g.name, err)
		}
	}
	return nil
}

// removeOf deletes the objects of one entity that were deleted in the old shop.
func (p *puller) removeOf(ctx context.Context, g gone) error {
	var missing []known
	all := 0
	err := p.st.View(ctx, func(_ context.Context, tx store.Tx) error {
		missing, all = nil, 0
		return knowns.Each(tx, store.Query{Where: []store.Cond{store.Equal("entity", store.String(g.name))}}, func(k *known) error {
			if all++; !p.seen[g.name][k.Object] {
				missing = append(missing, *k)
			}
			return nil
		})
	})
	if err != nil {
		return err
	}
	if n := len(missing); n > 10 && n*10 > all && !p.DeleteAll {
		p.report.problem(Problem{g.name, "", "", fmt.Sprintf("%d of %d are gone in the old shop: so many are removed with -delete=all alone", n, all)})
		return nil
	}
	for _, k := range missing {
		isGone, err := p.isGone(ctx, g, k.Object)
		if err != nil {
			return err
		}
		if !isGone && p.Quick && g.name == "orders" {
			continue // a parent that no list shows, of orders that were left out
		}
		if !isGone {
			p.report.problem(Problem{g.name, k.Object, "", "no list has it, but the old shop does not answer 404 for it: it stays"})
			continue
		}
		if p.DryRun {
			continue
		}
		var problem string
		err = p.st.Update(ctx, func(ctx context.Context, tx store.Tx) error {
			problem, err = p.remove(ctx, tx, g, k)
			return err
		})
		switch {
		case err != nil:
			return err
		case problem != "":
			p.report.problem(Problem{g.name, k.Object, "", problem})
		default:
			p.report.Written++
		}
	}
	return nil
}

// isGone reports whether the old shop answers 404 for an object.
func (p *puller) isGone(ctx context.Context, g gone, id string) (bool, error) {
	for _, path := range g.paths {
		_, err := p.old.get(ctx, path+"/"+url.PathEscape(id), nil)
		if err == nil || !isRefusal(err) {
			return false, err
		}
		if !isStatus(err, http.StatusNotFound) {
			return false, nil
		}
	}
	return true, nil
}

// remove removes an object, or says why it stays.
func (p *puller) remove(ctx context.Context, tx store.Tx, g gone, k known) (problem string, err error) {
	id, ok := wholeNumber([]byte(k.Object))
	if !ok {
		return "has no number", nil
	}
	parts := g.parts(p, store.Int(id))
	w := &writing{puller: p, ctx: ctx, tx: tx}
	for i := range parts {
		if parts[i].rows, err = w.rows(&parts[i]); err != nil {
			return "", err
		}
	}
	if len(parts[0].rows) == 0 { // it was removed here too
		return "", forget(tx, k)
	}
	if k.Here != sum(parts, true).text() {
		return "is gone there, and was changed here: it stays", nil
	}
	by, err := p.named(tx, parts, id)
	if err != nil || by != "" {
		return "is gone there, and " + by + " of this shop names it: it stays", err
	}
	w.log(k.Entity, k.Object, shopapi.OpDelete)
	for i := range slices.Backward(parts) {
		if _, err := tx.Delete(parts[i].schema, parts[i].where()); err != nil {
			return "", err
		}
	}
	if err := p.removeThread(tx, g.name, id); err != nil {
		return "", err
	}
	return "", forget(tx, k)
}

// removeThread removes the thread of an object, unless it has posts, which this shop wrote or which stay.
func (p *puller) removeThread(tx store.Tx, entity string, id int64) error {
	kind := discussions.TypeOf(entity)
	if kind == "" {
		return nil
	}
	s, thread := p.schema("discussion_threads"), int64(0)
	about := []store.Cond{store.Equal("object_type", store.String(kind)), store.Equal("object_id", store.Int(id))}
	err := tx.Select(s.All(), &store.Query{Where: about}, func(r []store.Value) error {
		thread = r[0].Int()
		return nil
	})
	if err != nil || thread == 0 {
		return err
	}
	if n, err := tx.Count(p.schema("discussions"), []store.Cond{store.Equal("thread_id", store.Int(thread))}); err != nil || n > 0 {
		return err
	}
	if _, err := tx.Delete(s, about); err != nil {
		return err
	}
	pulled, err := knownOf(tx, "discussion_threads", []string{shopapi.FormatID(thread)})
	if k, ok := pulled[shopapi.FormatID(thread)]; ok && err == nil {
		err = forget(tx, k)
	}
	return err
}

// forget deletes the state of an object.
func forget(tx store.Tx, k known) error {
	_, err := tx.Delete(knowns.Schema(), []store.Cond{store.Equal("known_id", store.Int(k.KnownID))})
	return err
}

// above are the columns of a table that name another row of it.
var above = map[string][]string{
	"categories": {"parent_id"}, "pages": {"parent_id"}, "product_features": {"parent_id"},
	"products": {"parent_product_id", "master_product_id"}, "orders": {"parent_order_id"},
}

// named returns a table with a row of this shop's own that names an object, "" for none.
func (p *puller) named(tx store.Tx, parts []part, id int64) (string, error) {
	key := parts[0].schema.Key()
	if key == "id" {
		key = "group_id"
	}
	for _, g := range removable() {
		of := g.parts(p, store.Int(0))
		for i := range of {
			columns := []string{key}
			if of[0].schema == parts[0].schema {
				columns = above[of[i].schema.Name]
			}
			for _, column := range columns {
				own, err := p.hasOwn(tx, g.name, &of[i], column, id)
				if err != nil {
					return "", err
				}
				if own {
					return "a row of " + of[i].schema.Name, nil
				}
			}
		}
	}
	return "", nil
}

// hasOwn reports whether a table has a row of an object that no pull wrote, with the value in a
// column.
func (p *puller) hasOwn(tx store.Tx, entity string, of *part, column string, id int64) (bool, error) {
	s := of.schema
	if s.Index(column) < 0 || of.below.Column != "" {
		return false, nil
	}
	owner := s.Index(of.owner)
	ids := map[string]bool{}
	err := tx.Select(s.All(), &store.Query{Where: []store.Cond{store.Equal(column, store.Int(id))}}, func(r []store.Value) error {
		ids[shopapi.FormatID(r[owner].Int())] = true
		return nil
	})
	if err != nil || len(ids) == 0 {
		return false, err
	}
	pulled, err := knownOf(tx, entity, slices.Collect(maps.Keys(ids)))
	return len(pulled) < len(ids), err
}
