package pull

import (
	"context"
	"maps"
	"net/url"
	"slices"
	"strconv"

	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi/store"
)

var categoryCollection = inTree(collection{
	name: "categories", lists: []listing{{path: "categories", key: "category_id", brief: []string{"parent_id", "position"}}},
	single: true, translated: true, quick: true,
}, "categories", "category_id", func(p *puller, o *object) columns {
	return columns{"main_pair": p.pair(o, "main_pair")}
}, "product_count")

var pageCollection = inTree(collection{
	name: "pages", lists: []listing{{path: "pages", key: "page_id", brief: []string{"parent_id", "position"}}},
	single: true, translated: true, quick: true,
}, "pages", "page_id", func(p *puller, o *object) columns {
	switch kind := o.text("page_type"); kind {
	case "T", "L", "":
	default:
		p.report.notCarried("page types, of which the texts alone are taken", kind)
	}
	return columns{}
})

// inTree returns a collection whose objects form a tree.
func inTree(c collection, table, key string, set func(*puller, *object) columns, follows ...string) collection {
	c.arrange = func(p *puller, items []item) (sorted []item) {
		p.forests[c.name], sorted = plant(p, c.name, key, items)
		return sorted
	}
	c.place = func(p *puller, it item) string { return p.forests[c.name].place(it.id) }
	c.rows = func(_ context.Context, p *puller, o *object, in map[string]*object) ([]taken, error) {
		id, ok := o.number(key)
		if !ok {
			return nil, nil
		}
		s := p.schema(table)
		values := set(p, o)
		maps.Copy(values, p.forests[c.name].columns(o, id))
		values["lang_code"] = store.String(p.languageOf(table))
		r := o.row(s, values)
		first := own(s, r)
		first.follows = append(slices.Clip(follows), "id_path", "tree_order")
		o.stamp(&first)
		return []taken{{entity: c.name, id: o.id, raw: o, parts: []part{first, p.texts(s, id, r, in)}}}, nil
	}
	return c
}

var featureCollection = collection{
	name: "features", lists: []listing{{path: "features", key: "feature_id", brief: []string{}}}, single: true, translated: true,
	rows: func(_ context.Context, p *puller, o *object, in map[string]*object) ([]taken, error) {
		id, ok := o.number("feature_id")
		if !ok {
			return nil, nil
		}
		s, variants := p.schema("product_features"), p.schema("product_feature_variants")
		r := o.row(s, columns{"lang_code": store.String(p.languageOf(s.Name))})
		made, named := p.variants(o, in, variants, "feature_id", id)
		return []taken{{entity: "features", id: o.id, raw: o, parts: []part{own(s, r), p.texts(s, id, r, in), made, named}}}, nil
	},
}

// variants are the rows of an object's variants, and their texts. owner is the column that
// names the object.
func (p *puller) variants(o *object, in map[string]*object, s *store.Schema, owner string, id int64) (made, named part) {
	made = part{schema: s, owner: owner, of: store.Int(id), keyed: true}
	named = textsBelow(s, owner, id)
	translated := partsIn(in, "variants", "variant_id")
	for _, e := range o.objects("variants") {
		v := e.object
		if !v.has("variant_id") {
			if e.Index {
				o.problem("variants", "has an item without variant_id: it was not taken")
				continue
			}
			v.members["variant_id"] = []byte(strconv.Quote(e.Key))
		}
		variant, ok := v.number("variant_id")
		if !ok {
			continue
		}
		row := v.row(s, columns{owner: store.Int(id), "image_pair": p.pair(v, "image_pair")})
		made.rows = append(made.rows, row)
		named.rows = append(named.rows, p.texts(s, variant, row, translated[variant]).rows...)
		delete(translated, variant)
	}
	for _, variant := range slices.Sorted(maps.Keys(translated)) { // the old shop has no such texts
		o.problem("variants", "has texts in a language of "+strconv.FormatInt(variant, 10)+", which is not in the list")
	}
	return made, named
}

// partsIn are the translations of the parts of an object, such as the variants of a feature, by their
// ids.
func partsIn(in map[string]*object, list, key string) map[int64]map[string]*object {
	found := map[int64]map[string]*object{}
	for code, o := range in {
		for _, e := range o.list(list) {
			inner := o.under(e.Value)
			inner.ownTexts = o.ownTexts
			n, ok := wholeNumber(inner.members[key])
			if !ok || n == 0 {
				n = e.ID()
			}
			if found[n] == nil {
				found[n] = map[string]*object{}
			}
			found[n][code] = inner
		}
	}
	return found
}

// goods are the product data that lines of orders need and do not contain.
type goods struct {
	weight, freight decimal.Decimal
	tracking        string
	freeShipping    bool
}

func goodsIn(o *object) goods {
	return goods{o.decimal("weight", 3), o.decimal("shipping_freight", 2), o.text("tracking"), o.flag("free_shipping")}
}

var productCollection = collection{
	name: "products", single: true, translated: true, quick: true, skipped: skippedProduct,
	lists: []listing{
		{path: "products", key: "product_id", brief: []string{}},
		{path: "product_variations", envelope: "products", key: "product_id", brief: []string{}},
		{path: "master_products", envelope: "products", key: "product_id", brief: []string{}},
	},
	rows: func(_ context.Context, p *puller, o *object, in map[string]*object) ([]taken, error) {
		id, ok := o.number("product_id")
		if !ok {
			return nil, nil
		}
		s := p.schema("products")
		r := o.row(s, columns{
			"product_features": store.String("[]"), "main_pair": p.pair(o, "main_pair"), "image_pairs": p.pairs(o, "image_pairs"),
			"lang_code": store.String(p.languageOf(s.Name)),
		})
		p.weights[id] = goodsIn(o)
		p.products = append(p.products, productID{id, o.id})
		first := own(s, r)
		first.follows = []string{"amount", "updated_timestamp"}
		return []taken{{entity: "products", id: o.id, raw: o, parts: []part{
			first, p.texts(s, id, r, in), p.inCategories(o, id), p.featureValues(o, id),
		}}}, nil
	},
}

// A productID is the id of a product that was read.
type productID struct {
	id   int64
	text string
}

// inCategories are the categories of a product.
func (p *puller) inCategories(o *object, id int64) part {
	s := p.schema("products_categories")
	made := part{schema: s, owner: "product_id", of: store.Int(id)}
	main := o.int("main_category")
	ids := o.idList("category_ids")
	if main == 0 && len(ids) > 0 {
		main = ids[0]
	}
	seen := map[int64]bool{}
	for _, category := range ids {
		if seen[category] || category < 1 {
			continue
		}
		seen[category] = true
		if f := p.forests["categories"]; f != nil {
			if _, ok := f[category]; !ok {
				o.problem("category_ids", "names the category "+strconv.FormatInt(category, 10)+", which the old shop does not list")
			}
		}
		made.rows = append(made.rows, row{
			store.Int(0), store.Int(id), store.Int(category), store.Bool(category == main), store.Int(int64(len(made.rows))),
		})
	}
	return made
}

// idList is a field with ids: a list, or a text with commas.
func (o *object) idList(field string) (ids []int64) {
	for _, text := range splitList(o.text(field)) {
		n, ok := wholeNumber([]byte(strconv.Quote(text)))
		if !ok {
			o.problem(field, "holds what is no id")
			continue
		}
		ids = append(ids, n)
	}
	return ids
}

// featureValues are what a product has of features.
func (p *puller) featureValues(o *object, id int64) part {
	s := p.schema("product_features_values")
	made := part{schema: s, owner: "product_id", of: store.Int(id)}
	for _, e := range o.objects("product_features") {
		v := e.object
		if !v.has("feature_id") {
			v.members["feature_id"] = []byte(strconv.Quote(e.Key))
		}
		feature := v.int("feature_id")
		if feature < 1 {
			continue
		}
		add := func(variant int64, text string, number decimal.Decimal) {
			made.rows = append(made.rows, row{
				store.Int(0), store.Int(id), store.Int(feature), store.Int(variant), store.String(text), amount(number, 3),
			})
		}
		none := decimal.MustNew(0, 3)
		kind := v.text("feature_type")
		switch kind {
		case "M":
			for _, variant := range v.list("variants") {
				inner := v.under(variant.Value)
				n := inner.int("variant_id")
				if n == 0 {
					n = variant.ID()
				}
				if n > 0 && (!inner.has("selected") || inner.text("selected") != "") {
					add(n, "", none)
				}
			}
		case "S", "N", "E":
			if n := v.int("variant_id"); n > 0 {
				add(n, "", none)
			}
		case "O", "D":
			number := v.decimal("value_int", 3)
			if text := v.text("value"); text != "" || v.has("value_int") {
				add(0, text, number)
			}
		default:
			if text := v.text("value"); text != "" {
				add(0, text, none)
			} else if n := v.int("variant_id"); n > 0 {
				add(n, "", none)
			}
		}
	}
	return made
}

var variationGroupCollection = collection{
	name: "product_variations_groups", lists: []listing{{path: "product_variations_groups", envelope: "groups", key: "id"}},
	rows: func(_ context.Context, p *puller, o *object, _ map[string]*object) ([]taken, error) {
		id, ok := o.number("id")
		if !ok {
			return nil, nil
		}
		groups, products, features := p.schema("product_variation_groups"), p.schema("product_variation_group_products"), p.schema("product_variation_group_features")
		of := store.Int(id)
		company := int64(0)
		members := part{schema: products, owner: "group_id", of: of}
		for i, e := range o.list("products") {
			m := o.under(e.Value)
			if i == 0 {
				company = m.company()
			}
			members.rows = append(members.rows, row{store.Int(0), of, store.Int(m.int("product_id")), store.Int(int64(i))})
		}
		by := part{schema: features, owner: "group_id", of: of}
		for _, e := range o.list("features") {
			f := o.under(e.Value)
			by.rows = append(by.rows, row{store.Int(0), of, store.Int(f.int("feature_id")), store.String(f.text("purpose"))})
		}
		group := own(groups, o.row(groups, columns{"company_id": store.Int(company)}))
		return []taken{{entity: "product_variations_groups", id: o.id, raw: o, parts: []part{group, members, by}}}, nil
	},
}

// ofProduct is the list of what belongs to one product.
func ofProduct(l listing, product productID) listing {
	l.query = url.Values{"product_id": {product.text}}
	return l
}
