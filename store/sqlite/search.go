package sqlite

import (
	"strings"
	"sync"

	"github.com/shopapi/shopapi/store"
)

const (
	// maxCandidates is the number of rows that a search checks one by one. If more may
	// match, a scan in the order of the page finds its rows sooner, and takes no memory.
	maxCandidates = 4000

	// fewCandidates is how many rows of one trigram are few enough not to ask for the
	// others.
	fewCandidates = 200

	// maxTrigrams is how many trigrams of a text are asked for.
	maxTrigrams = 8

	trigram = 3 // characters
)

// narrow returns conditions that the same rows meet, with one on the key that comes of a
// search index, and whether there is one. Without one the rows are to be scanned.
func (t *tx) narrow(s *store.Schema, where []store.Cond) (narrowed []store.Cond, ok bool, err error) {
	if !isSearch(s, where) {
		return where, false, nil
	}
	if ok, err := t.conn.searches(s); err != nil || !ok {
		return where, false, err
	}
	if first, last, err := t.conn.queueEnds(s); err != nil || last-first >= maxCandidates {
		return where, false, err
	}
	n := narrowing{tx: t, schema: s}
	all := store.All(where...)
	ids, ok, err := n.candidates(&all)
	if err != nil || !ok {
		return where, false, err
	}
	queued, err := n.queued(where)
	if err != nil {
		return where, false, err
	}
	key := store.In(s.Key(), append(queued, ids...)...)
	return append([]store.Cond{key}, where...), true, nil
}

// queued returns the keys of the rows in the queue that meet conditions. A column of the table may
// have the name of a column of the queue, but not one with a dot.
func (n *narrowing) queued(where []store.Cond) ([]store.Value, error) {
	s, key := n.schema, quote(n.schema.Key())
	return n.tx.conn.selectKeys(searchSQL, s, "SELECT "+key+" FROM (SELECT id AS "+quote(queueSuffix)+" FROM "+quote(s.Name+queueSuffix)+
		") CROSS JOIN "+quote(s.Name)+" ON "+key+" = "+quote(queueSuffix), where)
}

// isSearch reports whether one of the conditions asks for a part of a searched column.
func isSearch(s *store.Schema, where []store.Cond) bool {
	for i := range where {
		c := &where[i]
		switch c.Op {
		case store.OpContains:
			if at := s.Index(c.Column); at >= 0 && s.Columns[at].Search {
				return true
			}
		case store.OpAll, store.OpAny:
			if isSearch(s, c.Conds) {
				return true
			}
		}
	}
	return false
}

// A narrowing is the search for the rows that may meet conditions.
type narrowing struct {
	tx     *tx
	schema *store.Schema
}

// candidates returns the keys of the rows that may meet a condition, without the rows in
// the queue. It reports false if any row may, or too many.
func (n *narrowing) candidates(c *store.Cond) (ids []store.Value, ok bool, err error) {
	switch c.Op {
	case store.OpContains:
		if at := n.schema.Index(c.Column); at < 0 || !n.schema.Columns[at].Search {
			return nil, false, nil
		}
		return n.holding(store.Fold(c.Values[0].Text()))
	case store.OpAll:
		for i := range c.Conds {
			some, found, err := n.candidates(&c.Conds[i])
			if err != nil {
				return nil, false, err
			}
			if found && (!ok || len(some) < len(ids)) {
				ids, ok = some, true
			}
		}
		return ids, ok, nil
	case store.OpAny:
		for i := range c.Conds {
			some, ok, err := n.candidates(&c.Conds[i])
			if err != nil || !ok || len(ids)+len(some) > maxCandidates {
				return nil, false, err
			}
			ids = append(ids[:len(ids):len(ids)], some...)
		}
		return ids, true, nil
	}
	return nil, false, nil
}

// holding returns the keys of the rows that have all trigrams of a text, in any of the
// columns, or more.
func (n *narrowing) holding(text string) (ids []store.Value, ok bool, err error) {
	if n.tx.found == nil {
		n.tx.found = make(map[string][]store.Value)
	}
	memo := n.schema.Name + "\n" + text
	ids, ok = n.tx.found[memo]
	if ok && n.tx.changes == nil {
		return ids, ids != nil, nil
	}
	ids, ok, err = n.search(trigramsOf(text))
	if err != nil {
		return nil, false, err
	}
	if ok && ids == nil {
		ids = []store.Value{}
	}
	n.tx.found[memo] = ids
	return ids, ok, nil
}

func (n *narrowing) search(trigrams []string) (ids []store.Value, ok bool, err error) {
	if len(trigrams) == 0 {
		return nil, false, nil
	}
	if len(trigrams) == 1 {
		return n.matching(trigrams[0], maxCandidates)
	}
	frequent := &n.tx.store.frequent
	var asked []string
	for _, one := range trigrams {
		if frequent.has(n.schema, one) {
			continue
		}
		if ids, ok, err = n.matching(one, fewCandidates); err != nil || ok {
			return ids, ok, err
		}
		asked = append(asked, one)
	}
	for _, one := range asked {
		if ok && len(ids) <= fewCandidates {
			break
		}
		some, found, err := n.matching(one, maxCandidates)
		if err != nil {
			return nil, false, err
		}
		switch {
		case !found:
			frequent.add(n.schema, one)
		case ok:
			ids = intersect(ids, some)
		default:
			ids, ok = some, true
		}
	}
	if ok {
		return ids, true, nil
	}
	return n.matching(strings.Join(trigrams, " AND "), maxCandidates)
}

// matching returns the keys of the rows that the index has for an expression, in their
// order.
func (n *narrowing) matching(expression string, most int) (ids []store.Value, ok bool, err error) {
	index := quote(n.schema.Name + searchSuffix)
	return n.ids("SELECT rowid FROM "+index+" WHERE "+index+" MATCH ? ORDER BY rowid LIMIT ?", most, store.String(expression))
}

// intersect returns the values in both ascending lists.
func intersect(a, b []store.Value) []store.Value {
	both := a[:0]
	for _, v := range a {
		for len(b) > 0 && b[0].Int() < v.Int() {
			b = b[1:]
		}
		if len(b) > 0 && b[0].Int() == v.Int() {
			both = append(both, v)
		}
	}
	return both
}

// A frequentTrigrams has trigrams that more than maxCandidates rows have, so that they
// need not be asked for each time. It may be wrong about rows that have changed since, at
// the price of time.
type frequentTrigrams struct {
	mu   sync.Mutex
	seen map[string]struct{} // by table and trigram
}

// maxFrequent is how many trigrams are known before all are forgotten.
const maxFrequent = 2000

func (f *frequentTrigrams) has(s *store.Schema, trigram string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	_, ok := f.seen[s.Name+trigram]
	return ok
}

func (f *frequentTrigrams) add(s *store.Schema, trigram string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.seen == nil || len(f.seen) >= maxFrequent {
		f.seen = make(map[string]struct{})
	}
	f.seen[s.Name+trigram] = struct{}{}
}

// ids returns the integers that a statement returns, whose last parameter is a limit. It
// reports false where there are more than most.
func (n *narrowing) ids(sql string, most int, args ...store.Value) (ids []store.Value, ok bool, err error) {
	args = append(args, store.Int(int64(most)+1))
	err = n.tx.conn.searchRows(n.schema, sql, args, func(row []store.Value) { ids = append(ids, row[0]) })
	if err != nil || len(ids) > most {
		return nil, false, err
	}
	return ids, true, nil
}

// trigramsOf returns trigrams of a text for a query of the index, evenly spaced if there
// are many; none if the text is shorter than a trigram.
func trigramsOf(text string) (list []string) {
	characters := []rune(text)
	last := len(characters) - trigram
	if last < 0 {
		return nil
	}
	seen := make(map[string]bool)
	steps := min(last, maxTrigrams-1)
	for i := 0; i <= steps; i++ {
		at := 0
		if steps > 0 {
			at = i * last / steps
		}
		one := string(characters[at : at+trigram])
		if !seen[one] {
			seen[one] = true
			list = append(list, `"`+strings.ReplaceAll(one, `"`, `""`)+`"`)
		}
	}
	return list
}
