package entitytest

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver"
)

var cacheChecks = []check{
	{"Requests", changes, cachedAcrossRequests, opens},
	{"Tables", reads, cachedAcrossTables, opens},
	{"Time", reads, cachedAcrossTime, opens},
}

// A cachePair is two shops over one store, one of which caches responses. Their
// responses must always be equal.
type cachePair struct {
	*world          // with the cache
	plain  *world   // without
	ids    []string // of objects
	seen   map[string]string
	hits   int
}

// pair starts the shops, with a sample of three objects.
func (w *world) pair() *cachePair {
	w.t.Helper()
	p := &cachePair{world: w, seen: map[string]string{}}
	w.start(shopapi.Options{Completed: func(_ *http.Request, done shopapi.Completion) {
		if done.Cached {
			p.hits++
		}
	}})
	plain := *w
	p.plain = &plain
	plain.startOver(w.store, shopapi.Options{Clock: w.Clock.Now, Limits: shopapi.Limits{CacheBytes: -1}})
	p.ids = w.stocked(3)
	w.want(w.Put(w.at(p.ids[0]), w.change()), 200, "PUT of Change")
	if len(p.description.Translated) > 0 {
		w.want(w.Put(w.at(p.ids[0])+"?sl=de", encode(w.t, w.texts(p.ids[0], " (de)"))), 200, "PUT with ?sl=de")
	}
	return p
}

// addresses returns the addresses whose responses depend on the objects.
func (p *cachePair) addresses() []string {
	list := []string{p.list(), p.all(), p.list("page=1", "items_per_page=2")}
	for _, key := range p.description.Sorts {
		list = append(list, p.list("sort_by="+key))
	}
	for parent, above := range p.sample.Above {
		list = append(list, "/api/2.0/"+parent+"/"+above+"/"+p.config.Entity)
	}
	for _, id := range p.ids {
		list = append(list, p.at(id))
	}
	if len(p.description.Translated) > 0 {
		list = append(list, p.list("sl=de"), p.at(p.ids[0])+"?sl=de")
	}
	return list
}

// compare sends requests to both shops, and reports whether any response has changed since the
// last call. A changed one is asked for twice, so that the second comes from the cache.
func (p *cachePair) compare(after string) (changed bool) {
	p.t.Helper()
	for _, address := range p.addresses() {
		want := p.plain.Get(address)
		times := 2
		if p.seen[address] == want.Body {
			times = 1
		}
		for range times {
			got := p.Get(address)
			if got.Status != want.Status || got.Status < 500 && (got.Body != want.Body || got.Header.Get("Link") != want.Header.Get("Link")) {
				p.t.Errorf("after %s GET %s is answered %d by a shop that caches and %d by one that does not: what the entity reads is more than rows of the store and the API (-without +with):\n%s",
					after, address, got.Status, want.Status, cmp.Diff(want.Body, got.Body))
			}
		}
		changed = changed || p.seen[address] != want.Body
		p.seen[address] = want.Body
	}
	return changed
}

// caches checks that responses came from the cache, if the entity allows caching and the
// store detects changes: otherwise the check would prove nothing.
func (p *cachePair) caches() {
	p.t.Helper()
	_, told := p.store.FailingStore.Store.(driver.Versioned)
	_, asked := p.store.FailingStore.Store.(driver.Asked)
	if p.description.Cacheable && (told || asked) && p.hits == 0 {
		p.t.Errorf("%s are Cacheable, but no response came from the cache: something that it reads is not recorded", p.config.Entity)
	}
}

// cachedAcrossRequests: each change by another process shows in the next response.
func cachedAcrossRequests(w *world) {
	p := w.pair()
	p.compare("the sample was made")
	id := p.ids[0]
	if w.offers(shopapi.OpCreate) {
		id = w.create(p.plain.Client, w.base, w.sample.Payload(w.made+1))
		w.made++
		p.ids = append(p.ids, id)
	}
	for _, step := range []struct {
		op     shopapi.Operation
		name   string
		answer func() *apitest.Answer
	}{
		{shopapi.OpCreate, "a POST", func() *apitest.Answer { return p.plain.Get(w.at(id)) }},
		{shopapi.OpUpdate, "a PUT", func() *apitest.Answer { return p.plain.Put(w.at(id), w.change()) }},
		{shopapi.OpDelete, "a DELETE", func() *apitest.Answer { return p.plain.Delete(w.at(id)) }},
	} {
		if !w.offers(step.op) {
			continue
		}
		if answer := step.answer(); answer.Status >= 300 {
			w.t.Fatalf("%s is answered %d %s", step.name, answer.Status, answer.Body)
		}
		if !p.compare(step.name) {
			w.t.Errorf("%s changed no response", step.name)
		}
	}
	p.caches()
}

// cachedAcrossTime: a response that depends on the time follows the clock.
func cachedAcrossTime(w *world) {
	p := w.pair()
	for _, d := range []time.Duration{0, time.Second, time.Hour, 24 * time.Hour, 400 * 24 * time.Hour} {
		w.Clock.Advance(d)
		p.compare("the clock went on by " + d.String())
	}
	p.caches()
}

// cachedAcrossTables: each kind of change of each table of the shop shows. The columns of a table
// change one by one only where a change of all of them shows, since most tables are of other
// entities.
func cachedAcrossTables(w *world) {
	p := w.pair()
	p.compare("the sample was made")
	changed := false
	slices.SortFunc(w.store.tables, func(a, b *store.Schema) int { return compare(a.Name, b.Name) })
	for _, table := range w.store.tables {
		columns := table.Columns[1:]
		if p.exchange(table, columns) {
			if !p.compare("a change of all columns of " + table.Name) {
				columns = nil
			}
			changed = changed || columns != nil
		}
		for i := range columns {
			if p.exchange(table, columns[i:i+1]) {
				changed = p.compare("a change of "+table.Name+"."+columns[i].Name) || changed
			}
		}
		if p.duplicate(table) {
			changed = p.compare("a new row of "+table.Name) || changed
		}
	}
	for _, table := range w.store.tables {
		if p.removeLast(table) {
			changed = p.compare("a row of "+table.Name+" went") || changed
		}
	}
	if !changed {
		w.t.Errorf("no change of any table changed a response")
	}
	p.caches()
}

// rows reads a table.
func (p *cachePair) rows(tx store.Tx, table *store.Schema) (rows [][]store.Value, err error) {
	err = tx.Select(table.All(), &store.Query{}, func(row []store.Value) error {
		rows = append(rows, slices.Clone(row))
		return nil
	})
	return rows, err
}

// update makes a change without the shops. done is false if there was nothing to change,
// or a unique index refused it.
func (p *cachePair) update(table *store.Schema, change func(tx store.Tx, rows [][]store.Value) error) (done bool) {
	p.t.Helper()
	err := p.store.Update(p.t.Context(), func(_ context.Context, tx store.Tx) error {
		rows, err := p.rows(tx, table)
		if err != nil {
			return err
		}
		return change(tx, rows)
	})
	if err != nil && !errors.Is(err, store.ErrConflict) && !errors.Is(err, errNothing) {
		p.t.Fatalf("changing the table %s: %v", table.Name, err)
	}
	return err == nil
}

var errNothing = errors.New("entitytest: nothing to change")

// exchange sets columns of the last row to the values of other rows, or to another number where
// all rows have the same. done is false if nothing could change.
func (p *cachePair) exchange(table *store.Schema, columns []store.Column) (done bool) {
	p.t.Helper()
	return p.update(table, func(tx store.Tx, rows [][]store.Value) error {
		if len(rows) == 0 {
			return errNothing
		}
		last := rows[len(rows)-1]
		before := slices.Clone(last)
		for _, column := range columns {
			i := table.Index(column.Name)
			other := slices.IndexFunc(rows, func(row []store.Value) bool { return row[i] != last[i] })
			switch {
			case other >= 0:
				last[i] = rows[other][i]
			case column.Kind == store.Boolean:
				last[i] = store.Int(1 - last[i].Int())
			case column.Kind == store.Integer || column.Kind == store.Decimal:
				last[i] = store.Int(last[i].Int() + 1)
			}
		}
		if slices.Equal(last, before) {
			return errNothing
		}
		return tx.Update(table, last)
	})
}

// duplicate adds a row like the last one.
func (p *cachePair) duplicate(table *store.Schema) bool {
	p.t.Helper()
	return p.update(table, func(tx store.Tx, rows [][]store.Value) error {
		if len(rows) == 0 {
			return errNothing
		}
		last := rows[len(rows)-1]
		last[0] = store.Int(0)
		_, err := tx.Insert(table, last)
		return err
	})
}

// removeLast deletes the last row.
func (p *cachePair) removeLast(table *store.Schema) bool {
	p.t.Helper()
	return p.update(table, func(tx store.Tx, rows [][]store.Value) error {
		if len(rows) == 0 {
			return errNothing
		}
		_, err := tx.Delete(table, []store.Cond{store.Equal(table.Key(), rows[len(rows)-1][0])})
		return err
	})
}
