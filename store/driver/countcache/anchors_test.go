package countcache_test

import (
	"fmt"
	"testing"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver"
	"github.com/shopapi/shopapi/store/driver/countcache"
	"github.com/shopapi/shopapi/store/driver/eval"
)

// anchor is an anchor of rows ordered by columns that all are 1.
func anchor(rank int64, columns int) countcache.Anchor {
	a := countcache.Anchor{Position: eval.Position{Key: rank, By: make([]store.Value, columns)}, Rank: rank}
	for i := range a.By {
		a.By[i] = store.Int(1)
	}
	return a
}

func (m *model) putAnchors(t *testing.T, order []store.Order, rank int64, where ...store.Cond) {
	t.Helper()
	w := m.fill(t, where...)
	w.PutAnchors(order, []countcache.Anchor{anchor(rank, len(order))})
	w.End()
}

// rank is the rank of the last anchor, 0 if there is none.
func (m *model) rank(order []store.Order, where ...store.Cond) int64 {
	a, _, ok := m.cache.Nearest(schema, where, order, m.version, 1000)
	if !ok {
		return 0
	}
	return a.Rank
}

// Anchors are given for their own version, and for the question that was asked.
func TestAnchorsOfOtherVersionsAreNotGiven(t *testing.T) {
	m := newModel()
	nothing := func(what string, s *store.Schema, version uint64, where ...store.Cond) {
		t.Helper()
		if _, step, ok := m.cache.Nearest(s, where, nil, version, 1000); ok || step != 32 {
			t.Errorf("%s: an anchor is given: %v, step %d; want none, and step 32", what, ok, step)
		}
	}
	nothing("nothing cached", schema, m.version)
	m.putAnchors(t, nil, 100)
	if m.rank(nil) != 100 {
		t.Error("the anchor is not cached")
	}
	nothing("the version before", schema, m.version-1)
	nothing("the version after", schema, m.version+1)
	nothing("other conditions", schema, m.version, ofSize(1))
	nothing("a sub-query", schema, m.version, store.InQuery("size", schema, "id"))
	if _, _, ok := m.cache.Nearest(schema, nil, nil, m.version, 99); ok {
		t.Error("an anchor of rank 100 is given for rank 99")
	}
}

// Anchors of a fill that missed changes are not cached.
func TestAnchorsOfAFillThatMissedChanges(t *testing.T) {
	m := newModel()
	w := m.fill(t)
	for i := range int64(2000) {
		m.set(1, pot(1, i, "bowl"))
	}
	w.PutAnchors(nil, []countcache.Anchor{anchor(100, 0)})
	w.End()
	if m.rank(nil) != 0 {
		t.Error("the anchor is cached")
	}
	w = m.fill(t)
	w.PutAnchors(nil, nil)
	w.End()
	if m.cache.Wants(schema) {
		t.Error("a fill without anchors has cached something")
	}
}

// The entries of reads of pages are used, like the entries of counts.
func TestAnchorsThatAreUsedStay(t *testing.T) {
	m := newModel()
	m.putAnchors(t, nil, 100, ofSize(-1))
	m.putAnchors(t, nil, 100, ofSize(-2))
	for i := range int64(254) {
		m.put(t, 0, ofSize(i))
	}
	m.rank(nil, ofSize(-1))
	m.put(t, 0, ofSize(254))
	if m.rank(nil, ofSize(-1)) != 100 {
		t.Error("the anchor used last was evicted")
	}
	if m.rank(nil, ofSize(-2)) != 0 {
		t.Error("the anchor used least recently was not evicted")
	}
}

// Conditions have anchors in eight orders; the anchors of a ninth order replace all of them.
func TestAnchorsInManyOrders(t *testing.T) {
	m := newModel()
	columns := []string{"id", "size", "name", "mark"}
	order := func(i int) []store.Order {
		o := []store.Order{store.Asc(columns[i%4])}
		if i >= 4 {
			o = append(o, store.Asc(columns[(i+1)%4]))
		}
		return o
	}
	for i := range 8 {
		m.putAnchors(t, order(i), int64(10+i))
	}
	for i := range 8 {
		if got := m.rank(order(i)); got != int64(10+i) {
			t.Errorf("order %d of 8: rank %d, want %d", i, got, 10+i)
		}
	}
	ninth := []store.Order{store.Desc("size")}
	m.putAnchors(t, ninth, 50)
	if got := fmt.Sprint(m.rank(order(7)), m.rank(ninth)); got != "0 50" {
		t.Errorf("after a ninth order the ranks are %s, want 0 50", got)
	}
}

// A commit of many rows drops entries with many anchors, each of which may move, and keeps
// entries with few.
func TestManyAnchorsDoNotSlowCommits(t *testing.T) {
	m := newModel()
	var anchors []countcache.Anchor
	for i := range int64(1000) {
		anchors = append(anchors, anchor(i+1, 0))
	}
	w := m.fill(t, ofSize(-1))
	w.PutAnchors(nil, anchors)
	w.End()
	m.putAnchors(t, nil, 100, ofSize(-2))
	changes := make([]driver.RowChange, 4000) // 4000 * (64+1000) bytes are more than 4 MiB
	for i := range changes {
		changes[i].After = pot(int64(10_000+i), 1, "")
	}
	m.version++
	m.cache.Committed(&countcache.Commit{Schema: schema, From: m.version - 1, To: m.version, Changes: changes})
	if got := fmt.Sprint(m.rank(nil, ofSize(-1)), m.rank(nil, ofSize(-2))); got != "0 100" {
		t.Errorf("the ranks are %s, want 0 100", got)
	}
}

// An entry larger than the whole cache is not cached.
func TestAnchorsInASmallCache(t *testing.T) {
	m := newModelOf(100)
	m.putAnchors(t, nil, 100)
	if m.rank(nil) != 0 || m.count() != "unknown" {
		t.Error("a cache of 100 bytes holds an anchor")
	}
}
