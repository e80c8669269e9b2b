package pull

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"

	"github.com/shopapi/shopapi/exceptions"
	"github.com/shopapi/shopapi/options"
)

// A perProduct is an entity whose lists are of one product each.
type perProduct struct {
	collection

	// products returns the products that may have such objects.
	products func(p *puller) []productID
}

func (c perProduct) entity() entity { return entity{c.name, c.take} }

var optionCollection = collection{
	name: "options", lists: []listing{{path: "options", key: "option_id"}}, translated: true,
	rows: func(_ context.Context, p *puller, o *object, in map[string]*object) ([]taken, error) {
		id, ok := o.number("option_id")
		if !ok {
			return nil, nil
		}
		s, variants := p.schema("product_options"), p.schema("product_option_variants")
		product := o.int("product_id")
		if product == 0 {
			o.problem("product_id", "is 0: the option is shared by products there. Here it belongs to no product; give it to each that has it")
		}
		if !slices.Contains(p.withOptions, product) {
			p.withOptions = append(p.withOptions, product)
		}
		r := o.row(s, nil)
		made, named := p.variants(o, in, variants, "option_id", id)
		return []taken{{entity: "options", id: o.id, raw: o, parts: []part{own(s, r), p.texts(s, id, r, in), made, named}}}, nil
	},
}

var combinationCollection = collection{
	name: "combinations", lists: []listing{{path: "combinations", key: "combination_hash"}},
	rows: func(_ context.Context, p *puller, o *object, _ map[string]*object) ([]taken, error) {
		id, ok := o.number("combination_hash")
		if !ok {
			return nil, nil
		}
		s := p.schema("product_options_inventory")
		chosen := canonical[options.VariantOf](o, "combination", new(options.VariantOf))
		first := own(s, o.row(s, columns{"combination": chosen, "image_pairs": p.pair(o, "image_pairs")}))
		first.follows = []string{"amount"}
		p.noteCombination(o.int("product_id"), id, chosen.Text())
		return []taken{{entity: "combinations", id: o.id, raw: o, parts: []part{first}}}, nil
	},
}

// noteCombination notes a combination of a product, by which lines of orders have their stock.
func (p *puller) noteCombination(product, hash int64, chosen string) {
	var of options.VariantOf
	if err := json.Unmarshal([]byte(chosen), &of); err == nil && len(of) > 0 {
		p.combinations[product] = append(p.combinations[product], combination{hash, of})
	}
}

var exceptionCollection = collection{
	name: "exceptions", lists: []listing{{path: "exceptions", key: "exception_id"}},
	rows: func(_ context.Context, p *puller, o *object, _ map[string]*object) ([]taken, error) {
		if _, ok := o.number("exception_id"); !ok {
			return nil, nil
		}
		s := p.schema("product_options_exceptions")
		return []taken{{entity: "exceptions", id: o.id, raw: o, parts: []part{own(s, o.row(s, columns{
			"combination": canonical[exceptions.Combination](o, "combination", new(exceptions.Combination)),
		}))}}}, nil
	},
}

// A combination is a combination of a product, with the chosen variants by option.
type combination struct {
	hash   int64
	chosen options.VariantOf
}

// fits reports whether variants by option, of a line, are the ones of the combination.
func (c *combination) fits(inventory options.VariantOf) bool {
	for option, variant := range c.chosen {
		if inventory[option] != variant {
			return false
		}
	}
	return true
}

// productsWithOptions are the products of which an option was read.
func (p *puller) productsWithOptions() []productID {
	with := map[int64]bool{}
	for _, id := range p.withOptions {
		with[id] = true
	}
	var list []productID
	for _, product := range p.products {
		if with[product.id] || with[0] {
			list = append(list, product)
		}
	}
	return list
}

// productsAsked is how many products the old shop is asked for until a refusal counts for all of
// them: it does not have the entity, or does not show it.
const productsAsked = 3

// take reads the lists of all products, several at the same time.
func (c perProduct) take(ctx context.Context, p *puller) error {
	type lists struct {
		items []item
		in    map[string]map[string]item
		of    productID
		err   error
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if c.name == "options" {
		if err := p.noteSkippedOptions(ctx); err != nil {
			return err
		}
	}
	products := c.products(p)
	coming := make(chan chan lists, 2*p.connections())
	go func() {
		defer close(coming)
		for _, product := range products {
			one := make(chan lists, 1)
			select {
			case coming <- one:
			case <-ctx.Done():
				return
			}
			go func() {
				l := lists{of: product}
				l.items, l.in, l.err = c.read(ctx, p, product)
				one <- l
			}()
		}
	}()
	var list []taken
	count := p.report.Counts[c.name]
	done := int64(0)
	answered := false
	var refused []Problem // before the first answer
	for one := range coming {
		l := <-one
		done++
		switch {
		case l.err == nil:
			answered = true
		case !isRefusal(l.err), !answered && done >= min(productsAsked, int64(len(products))):
			return l.err
		case !isStatus(l.err, http.StatusNotFound): // the product was not deleted meanwhile
			refused = append(refused, Problem{c.name, "product " + l.of.text, "", l.err.Error()})
		}
		if !answered {
			continue
		}
		for _, problem := range refused {
			p.completed[c.name] = false
			p.report.problem(problem)
		}
		refused = nil
		for _, it := range l.items {
			if p.seen[c.name][it.id] {
				continue
			}
			p.seen[c.name][it.id] = true
			count.There++
			f := c.listed(p, it, l.in)
			if !f.object.has("product_id") {
				f.object.members["product_id"] = []byte(strconv.Quote(l.of.text))
			}
			rows, err := c.rows(ctx, p, f.object, f.in)
			if err != nil {
				return err
			}
			list = append(list, rows...)
		}
		if len(list) >= batch {
			if err := p.write(ctx, list); err != nil {
				return err
			}
			list = nil
			p.tell(c.name+" of products", done, int64(len(products)))
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := p.write(ctx, list); err != nil {
		return err
	}
	p.tell(c.name+" of products", done, int64(len(products)))
	return nil
}

// read reads the list of one product, in all languages.
func (c perProduct) read(ctx context.Context, p *puller, product productID) (items []item, in map[string]map[string]item, err error) {
	l := ofProduct(c.lists[0], product)
	raw, err := p.old.get(ctx, l.path, l.query)
	if err != nil {
		return nil, nil, err
	}
	if items, _, err = l.parse(raw); err != nil || !c.translated || len(items) == 0 {
		return items, nil, err
	}
	in = map[string]map[string]item{}
	for _, code := range p.inLanguages() {
		query := cloneQuery(l.query)
		query.Set("sl", code)
		raw, err := p.old.get(ctx, l.path, query)
		if err != nil {
			return nil, nil, err
		}
		list, _, err := l.parse(raw)
		if err != nil {
			return nil, nil, err
		}
		in[code] = map[string]item{}
		for _, it := range list {
			in[code][it.id] = it
		}
	}
	return items, in, nil
}
