package pull

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"
)

// An entity is an entity that a run pulls, in the order of [entities].
type entity struct {
	name string
	take func(ctx context.Context, p *puller) error
}

// A collection is an entity whose objects are read alike.
type collection struct {
	name   string // in the report
	lists  []listing
	single bool // each object is read by itself, since lists do not have all of it

	// translated says that objects are read in each language.
	translated bool

	// arrange orders the items that the lists have, and may look at all of them.
	arrange func(p *puller, items []item) []item

	// rows converts an object to rows: the object in the base language, and in other
	// languages by code. An item that is not pulled has no rows.
	rows func(ctx context.Context, p *puller, o *object, in map[string]*object) ([]taken, error)

	// quick says that [Options.Quick] leaves out objects that lists show as they did when
	// they were read.
	quick bool

	// place is what the rows of an object follow from beside the object.
	place func(p *puller, it item) string

	// mustRead says that an object is read though lists show it as before.
	mustRead func(p *puller, it item) bool

	// skipped is called for each object that is left out.
	skipped func(p *puller, it item)

	// prepare is called with all items before the first one is read.
	prepare func(ctx context.Context, p *puller, items []item) error

	// children reads what other addresses have of an object, at the same time as other objects.
	children func(ctx context.Context, p *puller, o *object) error

	// follow are items that an object makes known, such as an order that no list has.
	follow func(o *object, has func(id string) bool) []item
}

func (c collection) entity() entity { return entity{c.name, c.take} }

// batch is how many objects are written in one transaction at most.
const batch = 100

// batchTime is the time that a batch waits for more objects, so that pulled objects are
// written soon.
const batchTime = 2 * time.Second

// take implements [entity]. Lists that have all of their objects are taken page by page, so
// that a run never holds them whole.
func (c collection) take(ctx context.Context, p *puller) error {
	var items []item
	each := func(page []item) error {
		items = append(items, page...)
		return nil
	}
	if !c.single && !c.translated && c.arrange == nil {
		each = func(page []item) error { return c.takeListed(ctx, p, page) }
	}
	if err := c.readLists(ctx, p, each); err != nil {
		return err
	}
	if c.arrange != nil {
		items = c.arrange(p, items)
	}
	if err := c.takeListed(ctx, p, slices.Clip(items)); err != nil {
		return err
	}
	p.tell(c.name, p.done, p.report.Counts[c.name].There)
	if left := p.leftOut; left > 0 {
		p.report.note(fmt.Sprintf("%s: %d of %d were not read, since lists show them as before (quick)", c.name, left, p.report.Counts[c.name].There))
	}
	return nil
}

// takeListed takes objects that lists have.
func (c collection) takeListed(ctx context.Context, p *puller, items []item) error {
	in, err := c.itemsIn(ctx, p, items)
	if err != nil {
		return err
	}
	p.report.Counts[c.name].There += int64(len(items))
	if items, err = c.changed(ctx, p, items); err != nil {
		return err
	}
	if c.prepare != nil {
		if err := c.prepare(ctx, p, items); err != nil {
			return err
		}
	}
	return c.takeItems(ctx, p, items, in)
}

// readLists calls each with the items of the lists, page by page, each item once.
func (c collection) readLists(ctx context.Context, p *puller, each func(page []item) error) error {
	seen := p.seen[c.name]
	refused := 0
	for _, l := range c.lists {
		l.digests, l.counted = c.quick, true
		complete, err := p.stream(ctx, l, func(page []item) error {
			return each(slices.DeleteFunc(page, func(it item) bool {
				if seen[it.id] {
					return true
				}
				seen[it.id] = true
				return false
			}))
		})
		if isRefusal(err) && len(c.lists) > 1 {
			if !isStatus(err, http.StatusNotFound) {
				p.completed[c.name] = false
				p.report.problem(Problem{c.name, "", "", l.path + ": " + err.Error()})
			}
			if refused++; refused == len(c.lists) {
				return err
			}
			continue
		}
		if err != nil {
			return err
		}
		if !complete {
			p.completed[c.name] = false
			p.report.problem(Problem{c.name, "", "", "the list " + l.path + " shifted while it was read, again and again: objects may be missing. Run the same command again"})
		}
	}
	return nil
}

// itemsIn reads the lists in the other languages, where lists have all of an object.
func (c collection) itemsIn(ctx context.Context, p *puller, items []item) (map[string]map[string]item, error) {
	p.refusedIn = nil
	if c.single || !c.translated || len(items) == 0 {
		return nil, nil
	}
	in := map[string]map[string]item{}
	for _, code := range p.inLanguages() {
		in[code] = map[string]item{}
		for _, l := range c.lists {
			l.query = cloneQuery(l.query)
			l.query.Set("sl", code)
			list, _, err := p.list(ctx, l)
			if err != nil && !isRefusal(err) {
				return nil, err
			}
			if err != nil && !(isStatus(err, http.StatusNotFound) && len(c.lists) > 1) {
				p.report.problem(Problem{c.name, "", "", "the texts in the language " + code + ": " + err.Error() + ": what was taken before stays"})
				if !slices.Contains(p.refusedIn, code) {
					p.refusedIn = append(p.refusedIn, code)
				}
			}
			for _, it := range list {
				in[code][it.id] = it
			}
		}
	}
	return in, nil
}

// A fetched is an object in all languages.
type fetched struct {
	object *object
	in     map[string]*object
	err    error
	listed digest
}

func (c collection) takeItems(ctx context.Context, p *puller, items []item, in map[string]map[string]item) error {
	count := p.report.Counts[c.name]
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	has := func(id string) bool { return p.seen[c.name][id] }
	var list []taken
	last := time.Now()
	flush := func() error {
		err := p.write(ctx, list)
		list, last = nil, time.Now()
		return err
	}
	for len(items) > 0 {
		var more []item
		for f := range c.fetchAll(ctx, p, items, in) {
			p.done++
			if f.err != nil {
				if !isRefusal(f.err) {
					return f.err
				}
				c.failed(p, f)
				continue
			}
			if c.follow != nil {
				for _, it := range c.follow(f.object, has) {
					p.seen[c.name][it.id] = true
					count.There++
					more = append(more, it)
				}
			}
			rows, err := c.rows(ctx, p, f.object, f.in)
			if err != nil {
				return err
			}
			for i := range rows {
				if rows[i].entity == c.name && rows[i].id == f.object.id {
					rows[i].listed = f.listed
				}
			}
			list = append(list, rows...)
			if len(list) >= batch || time.Since(last) > batchTime {
				if err := flush(); err != nil {
					return err
				}
				p.tell(c.name, p.done, max(count.There, p.listed))
			}
		}
		items = more
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return flush()
}

// failed reports an object that could not be read, unless it was deleted meanwhile.
func (c collection) failed(p *puller, f fetched) {
	if isStatus(f.err, http.StatusNotFound) {
		delete(p.seen[c.name], f.object.id)
		p.report.Counts[c.name].There--
		return
	}
	p.completed[c.name] = false
	p.report.problem(Problem{c.name, f.object.id, "", f.err.Error()})
}

// fetchAll reads objects, several at the same time, and yields them in their order.
func (c collection) fetchAll(ctx context.Context, p *puller, items []item, in map[string]map[string]item) func(func(fetched) bool) {
	return func(yield func(fetched) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		coming := make(chan chan fetched, 2*p.connections())
		go func() {
			defer close(coming)
			for _, it := range items {
				one := make(chan fetched, 1)
				select {
				case coming <- one:
				case <-ctx.Done():
					return
				}
				if !c.single {
					one <- c.listed(p, it, in)
					continue
				}
				go func() { one <- c.fetch(ctx, p, it) }()
			}
		}()
		for one := range coming {
			if !yield(<-one) {
				return
			}
		}
	}
}

// listed is an object that lists have all of.
func (c collection) listed(p *puller, it item, in map[string]map[string]item) fetched {
	f := fetched{object: c.object(p, it.id, it.all()), in: map[string]*object{}, listed: it.digest}
	for code, items := range in {
		if other, ok := items[it.id]; ok {
			f.in[code] = c.object(p, it.id, other.all())
		}
	}
	return f
}

// fetch reads an object by itself.
func (c collection) fetch(ctx context.Context, p *puller, it item) fetched {
	f := fetched{object: c.object(p, it.id, nil), in: map[string]*object{}, listed: it.digest}
	f.object.members, f.err = c.read(ctx, p, it, nil)
	if f.err == nil && c.children != nil {
		f.err = c.children(ctx, p, f.object)
	}
	if f.err != nil || !c.translated {
		return f
	}
	for _, code := range p.inLanguages() {
		members, err := c.read(ctx, p, it, url.Values{"sl": {code}})
		if err != nil {
			f.err = err
			return f
		}
		f.in[code] = c.object(p, it.id, members)
	}
	return f
}

// read reads the object of an item. An answer with another id is refused.
func (c collection) read(ctx context.Context, p *puller, it item, query url.Values) (map[string]json.RawMessage, error) {
	members, err := p.read(ctx, it.path(), query)
	if err != nil {
		return nil, err
	}
	if c.name == "users" || c.name == "orders" {
		p.spreadCustomer(members)
	}
	asked, isNumber := wholeNumber(json.RawMessage(strconv.Quote(it.id)))
	for _, l := range c.lists {
		if raw := members[l.key]; isNumber && l.path == it.list && len(raw) > 0 {
			if id, ok := wholeNumber(raw); ok && id > 0 && id != asked {
				return nil, &refusal{status: http.StatusOK, text: fmt.Sprintf("with the %s %d", l.key, id)}
			}
		}
	}
	return members, nil
}

func (c collection) object(p *puller, id string, members map[string]json.RawMessage) *object {
	return p.objectOf(c.name, id, members)
}

// read reads one object.
func (p *puller) read(ctx context.Context, path string, query url.Values) (map[string]json.RawMessage, error) {
	raw, err := p.old.get(ctx, path, query)
	if err != nil {
		return nil, err
	}
	members, ok := parseObject(raw)
	if !ok || len(members) == 0 {
		return nil, &refusal{status: http.StatusOK, text: "with no object"}
	}
	return members, nil
}

// maxID is the highest id of an object that is taken: new objects have enough ids above it.
const maxID = 1 << 62

// number is the id of an object, which has to be a whole number from 1 to maxID. An object that
// does not have it gets the one by which it was read.
func (o *object) number(key string) (int64, bool) {
	raw := o.members[key]
	if !o.has(key) {
		raw = json.RawMessage(strconv.Quote(o.id))
	}
	id, ok := wholeNumber(raw)
	if !ok || id < 1 {
		o.problem(key, "is no id: the object was not taken")
		return 0, false
	}
	if id > maxID && !isUnnumbered(o.entity) {
		o.problem(key, "is too large: new objects get ids above it. The object was not taken")
		return 0, false
	}
	if !o.has(key) {
		o.members[key] = raw
	}
	return id, true
}
