package pull

import (
	"context"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/shopapi/shopapi/companies"
	"github.com/shopapi/shopapi/orders"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/users"
)

// companyCollection is stores or vendors, which are rows of one table.
func companyCollection(name string) collection {
	return collection{
		name: name, lists: []listing{{path: name, key: "company_id", brief: []string{}}}, single: true,
		rows: func(ctx context.Context, p *puller, o *object, _ map[string]*object) ([]taken, error) {
			id, ok := o.number("company_id")
			if !ok {
				return nil, nil
			}
			s := p.schema("companies")
			set := columns{}
			if !o.has("redirect_customer") {
				set["redirect_customer"] = store.Bool(true)
			}
			if !o.has("commission_type") {
				set["commission_type"] = store.String("P")
			}
			if !o.has("entry_page") {
				set["entry_page"] = store.String(companies.IndexPage)
			}
			list := []part{own(s, o.row(s, set))}
			if name == "stores" {
				texts, err := p.statusTexts(ctx, o, id)
				if err != nil {
					return nil, err
				}
				values, err := p.ownSettings(ctx, o, id)
				if err != nil {
					return nil, err
				}
				list = append(append(list, texts...), values)
			}
			return []taken{{entity: name, id: o.id, raw: o, parts: list}}, nil
		},
	}
}

// statusTexts copies a storefront's texts to customers that differ from the whole shop's, in the base
// language and in the others.
func (p *puller) statusTexts(ctx context.Context, of *object, id int64) (list []part, err error) {
	inBase := part{schema: p.schema("store_status_texts"), owner: "company_id", of: store.Int(id)}
	others := part{schema: p.schema("store_status_translations"), owner: "company_id", of: store.Int(id), optional: true}
	base, err := p.readStatusTexts(ctx, of, nil)
	if isRefusal(err) {
		of.problem("statuses", err.Error()+": what was taken before stays")
		inBase.unread, others.unread = true, true
		return []part{inBase, others}, nil
	}
	if err != nil {
		return nil, err
	}
	for _, status := range slices.Sorted(maps.Keys(base)) {
		if t := base[status]; t.differs(t.whole) {
			inBase.rows = append(inBase.rows, append(row{store.Int(0), store.Int(id), store.Int(status)}, t.columns(t.whole)...))
		}
	}
	for _, code := range p.inLanguages() {
		translated, err := p.readStatusTexts(ctx, of, url.Values{"sl": {code}})
		if isRefusal(err) {
			of.problem("statuses", "in the language "+code+": "+err.Error()+": what was taken before stays")
			others.unreadIn = append(others.unreadIn, code)
			continue
		}
		if err != nil {
			return nil, err
		}
		for _, status := range slices.Sorted(maps.Keys(translated)) {
			t := translated[status]
			shown := t.whole // without a translation
			for i := range shown {
				if b, ok := base[status]; ok && b.own[i] != b.whole[i] {
					shown[i] = b.own[i]
				}
			}
			if t.differs(shown) {
				others.rows = append(others.rows, append(row{store.Int(0), store.Int(id), store.Int(status), store.String(code)}, t.columns(shown)...))
			}
		}
	}
	return []part{inBase, others}, nil
}

// A statusText is the subject and the text of an e-mail about a status: a storefront's and the whole
// shop's.
type statusText struct{ own, whole [2]string }

func (t *statusText) differs(from [2]string) bool { return t.own != from }

// columns are the texts, null where they do not differ.
func (t *statusText) columns(from [2]string) row {
	r := row{store.Null, store.Null}
	for i := range r {
		if t.own[i] != from[i] {
			r[i] = store.String(t.own[i])
		}
	}
	return r
}

// readStatusTexts reads the texts of a storefront by the ids of statuses. A server without them has
// none; any other refusal is an error.
func (p *puller) readStatusTexts(ctx context.Context, of *object, query url.Values) (map[int64]statusText, error) {
	read := func(l listing) (map[int64][2]string, error) {
		items, _, err := p.list(ctx, l)
		if isStatus(err, http.StatusNotFound) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		texts := map[int64][2]string{}
		for _, it := range items {
			o := p.objectOf("stores", of.id, it.all())
			texts[o.int("status_id")] = [2]string{o.text("email_subj"), o.text("email_header")}
		}
		return texts, nil
	}
	whole, err := read(listing{path: "statuses", key: "status_id", query: query})
	if err != nil {
		return nil, err
	}
	own, err := read(listing{path: "stores/" + of.id + "/statuses", envelope: "statuses", key: "status_id", query: query})
	if err != nil {
		return nil, err
	}
	texts := map[int64]statusText{}
	for status, t := range own {
		if w, ok := whole[status]; ok {
			texts[status] = statusText{own: t, whole: w}
		}
	}
	return texts, nil
}

func ignoreRefusal(err error) error {
	if isRefusal(err) {
		return nil
	}
	return err
}

// simple returns a collection whose objects are one row, with translated texts.
func simple(c collection, table, key string, set func(p *puller, o *object) columns, kept ...string) collection {
	c.rows = func(_ context.Context, p *puller, o *object, in map[string]*object) ([]taken, error) {
		id, ok := o.number(key)
		if !ok {
			return nil, nil
		}
		s := p.schema(table)
		var values columns
		if set != nil {
			if values = set(p, o); values == nil {
				return nil, nil
			}
		}
		r := o.row(s, values)
		r[0] = store.Int(id)
		if i := s.Index(store.TextLanguage); i >= 0 && c.translated {
			r[i] = store.String(p.languageOf(table))
		}
		first := own(s, r)
		first.kept = kept
		parts := []part{first}
		if s.Texts() != nil {
			parts = append(parts, p.texts(s, id, r, in))
		}
		return []taken{{entity: c.name, id: o.id, raw: o, parts: parts}}, nil
	}
	return c
}

var languageCollection = simple(collection{
	name: "languages", lists: []listing{{path: "languages", key: "lang_id"}},
}, "languages", "lang_id", nil)

// Language variables have names for ids. The keys of their rows are given here.
var langvarCollection = collection{
	name: "langvars", lists: []listing{{path: "langvars", key: "name"}}, translated: true,
	rows: func(_ context.Context, p *puller, o *object, in map[string]*object) ([]taken, error) {
		s := p.schema("language_variables")
		name := o.text("name")
		if name == "" {
			o.problem("name", "is missing")
			return nil, nil
		}
		r := o.row(s, columns{s.Key(): store.Int(0), "lang_code": store.String(p.languageOf(s.Name))})
		list := []taken{{entity: "langvars", id: name, raw: o, parts: []part{{schema: s, owner: "name", of: store.String(name), rows: []row{r}}}}}
		if len(in) > 0 || len(p.refusedIn) > 0 {
			more := p.texts(s, 0, r, in)
			more.linked = true
			list[0].parts = append(list[0].parts, more)
		}
		return list, nil
	},
}

var usergroupCollection = simple(collection{
	name: "usergroups", lists: []listing{{path: "usergroups", key: "usergroup_id"}}, single: false,
}, "usergroups", "usergroup_id", func(p *puller, o *object) columns {
	if id := o.int("usergroup_id"); id == users.Guests || id == users.Registered {
		return nil // every shop has these
	}
	names, err := users.NewPrivileges(strings.Split(o.text("privileges"), ",")...)
	if err != nil {
		o.problem("privileges", err.Error())
	}
	for name := range names.All() {
		if !slices.Contains(p.privileges(), name) {
			p.report.notCarried("privileges", name)
		}
	}
	return columns{"privileges": store.String(string(names))}
})

var statusCollection = simple(collection{
	name: "statuses", lists: []listing{{path: "statuses", key: "status_id"}}, translated: true,
}, "statuses", "status_id", func(p *puller, o *object) columns {
	if kind := o.text("type"); kind != "" && kind != "O" {
		p.report.notCarried("statuses of type", kind)
		return nil
	}
	p.stock[o.text("status")] = o.under(o.members["params"]).text("inventory") == "D"
	return columns{"params": canonical[orders.Params](o, "params", new(orders.Params)), "type": store.String("O")}
})

var taxCollection = func() collection {
	c := simple(collection{
		name: "taxes", lists: []listing{{path: "taxes", key: "tax_id", brief: []string{}}}, single: true, translated: true,
	}, "taxes", "tax_id", func(p *puller, o *object) columns {
		if p.source != "" && len(o.list("rates")) == 0 {
			o.problem("rates", "are not told by the old shop: the tax was taken without rates. Set them before the first order")
		}
		return columns{"rates": taxRates(o)}
	})
	withRates := c.rows
	c.rows = func(ctx context.Context, p *puller, o *object, in map[string]*object) ([]taken, error) {
		list, err := withRates(ctx, p, o, in)
		for i := range list {
			list[i].parts[0].kept = []string{"rates"}
		}
		return list, err
	}
	return c
}()

var paymentCollection = simple(collection{
	name: "payments", lists: []listing{{path: "payments", key: "payment_id", brief: []string{}}}, single: true, translated: true,
}, "payments", "payment_id", func(p *puller, o *object) columns {
	return columns{"processor_params": compact(o, "processor_params")}
}, "processor_params")

var shippingCollection = simple(collection{
	name: "shippings", lists: []listing{{path: "shippings", key: "shipping_id", brief: []string{}}}, single: true, translated: true,
}, "shippings", "shipping_id", func(_ *puller, o *object) columns {
	return columns{"rates": shippingRates(o)}
})

var discussionCollection = collection{
	name: "discussions", lists: []listing{{path: "discussions", key: "post_id"}},
	rows: func(_ context.Context, p *puller, o *object, _ map[string]*object) ([]taken, error) {
		if _, ok := o.number("post_id"); !ok {
			return nil, nil
		}
		posts, threads := p.schema("discussions"), p.schema("discussion_threads")
		row := own(posts, o.row(posts, nil))
		o.stamp(&row)
		post := taken{entity: "discussions", id: o.id, raw: o, parts: []part{row}}
		thread, ok := wholeNumber(o.members["thread_id"])
		if !ok || thread < 1 || p.threads[thread] {
			return []taken{post}, nil
		}
		p.threads[thread] = true
		t := taken{entity: "discussion_threads", id: o.text("thread_id"), raw: o, parts: []part{own(threads, o.row(threads, nil))}}
		return []taken{t, post}, nil
	},
}

var blockCollection = simple(collection{
	name: "blocks", lists: []listing{{path: "blocks", key: "block_id", brief: []string{}}}, single: true, translated: true,
}, "blocks", "block_id", func(_ *puller, o *object) columns {
	return columns{"properties": compact(o, "properties"), "content": compact(o, "content")}
})

var callRequestCollection = simple(collection{
	name: "call_requests", lists: []listing{{path: "call_requests", key: "request_id"}},
}, "call_requests", "request_id", func(_ *puller, o *object) columns {
	return columns{"cart_products": compact(o, "cart_products")}
}, "email")
