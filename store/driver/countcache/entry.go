package countcache

import (
	"container/list"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver/eval"
)

// An entry is the cache for one set of conditions.
type entry struct {
	table     *table
	key       string
	conds     []eval.Cond
	condBytes int64   // that conds take
	columns   columns // that conds and orders read
	searches  []int   // columns whose text conds search, as often as they do
	count     int64   // less than 0 when unknown
	since     uint64  // the first version whose count is known
	past      []past  // the earlier counts, oldest first
	ranks     map[string]*rankIndex

	element *list.Element // in the cache's list
	idle    int           // changes since it was used
	bytes   int64         // that the cache has counted for it
	ranked  bool          // counts as an entry with rank indexes
}

func newEntry(f *Fill) *entry {
	e := &entry{table: f.table, key: string(f.key), conds: f.conds, condBytes: f.condBytes, count: -1}
	e.columns.addConds(f.conds)
	e.searches = appendSearches(nil, f.conds)
	return e
}

// apply updates the entry by a change that led to a version.
func (e *entry) apply(ch *change, version uint64) {
	if !ch.touches(e.columns) {
		return
	}
	ch.fold(e.columns)
	before := ch.before.values != nil && eval.Match(e.conds, ch.before.values, ch.before.folded)
	after := ch.after.values != nil && eval.Match(e.conds, ch.after.values, ch.after.folded)
	if e.count >= 0 {
		e.setCount(e.count+delta(before, after), version)
	}
	for _, x := range e.ranks {
		x.apply(ch, before, after)
	}
}

func delta(before, after bool) (d int64) {
	if before {
		d--
	}
	if after {
		d++
	}
	return d
}

// appendSearches appends the columns whose text conditions search.
func appendSearches(list []int, conds []eval.Cond) []int {
	for i := range conds {
		if conds[i].Op == store.OpContains {
			list = append(list, conds[i].Column)
		}
		list = appendSearches(list, conds[i].Conds)
	}
	return list
}
