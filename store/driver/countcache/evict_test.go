package countcache_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver"
	"github.com/shopapi/shopapi/store/driver/countcache"
	"github.com/shopapi/shopapi/store/driver/eval"
)

// ofSize are the conditions of an entry of its own.
func ofSize(i int64) store.Cond { return store.Equal("size", store.Int(i)) }

// put caches a count.
func (m *model) put(t *testing.T, n int64, where ...store.Cond) {
	t.Helper()
	w := m.fill(t, where...)
	w.PutCount(n)
	w.End()
}

// An entry that is not used stays for 4,096 changes, counted from its last use.
func TestAnEntryStaysFor4096Changes(t *testing.T) {
	m := newModel()
	m.put(t, 0, ofSize(-1))
	change := func(n int64) {
		for i := range n {
			m.set(1, pot(1, i, "bowl"))
		}
	}
	for range 3 {
		change(4096)
		want(t, "after 4096 changes", m.count(ofSize(-1)), "0")
	}
	change(4096)
	m.put(t, 0, ofSize(-1))
	change(4096)
	want(t, "after 4096 changes since it was put again", m.count(ofSize(-1)), "0")
	change(4097)
	want(t, "after 4097 changes", m.count(ofSize(-1)), "unknown")
}

// A table has 256 entries; a further one takes the place of the one used least recently.
func TestTheEntryUsedLeastRecentlyIsEvicted(t *testing.T) {
	m := newModel()
	for i := range int64(256) {
		m.put(t, i, ofSize(i))
	}
	want(t, "the first of 256", m.count(ofSize(0)), "0") // which uses it
	m.put(t, 1, ofSize(1))
	m.put(t, 256, ofSize(256))
	m.put(t, 257, ofSize(257))
	for i, value := range []string{"0", "1", "unknown", "unknown", "4"} {
		want(t, fmt.Sprint("count ", i, " after two more entries"), m.count(ofSize(int64(i))), value)
	}
}

// A fill is updated by up to 1,024 changes. Changes before it do not count.
func TestAFillIsUpdatedBy1024Changes(t *testing.T) {
	short, err := store.NewSchema("shards", schema.Columns[:1])
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		changes int
		want    string
	}{{1024, "1024 true"}, {1025, "0 false"}} {
		cache, version := countcache.New(8<<20), uint64(1)
		insert := func(n int) {
			for range n {
				row := []store.Value{store.Int(int64(version))}
				cache.Committed(&countcache.Commit{Schema: short, From: version, To: version + 1, Changes: []driver.RowChange{{After: row}}})
				version++
			}
		}
		put := func(changes int, where ...store.Cond) {
			w := cache.Begin(short, where, version)
			insert(changes)
			w.PutCount(0)
			w.End()
		}
		put(0, store.Equal("id", store.Int(-1))) // so that changes are applied before the next fill
		insert(2000)
		put(c.changes)
		n, ok := cache.Count(short, nil, version)
		want(t, fmt.Sprint("after ", c.changes, " changes"), fmt.Sprint(n, ok), c.want)
		put(0)
		n, ok = cache.Count(short, nil, version)
		want(t, "put by the next fill", fmt.Sprint(n, ok), "0 true")
	}
}

// A reader of a later version or of another schema replaces a table of the cache. A reader
// of an earlier version caches nothing.
func TestATableIsOfOneVersion(t *testing.T) {
	m := newModel()
	m.put(t, 1)
	m.version += 3 // commits of another process, of which the cache learns by its readers
	m.put(t, 2)
	want(t, "of the later version", m.count(), "2")
	if m.cache.Begin(schema, nil, m.version-1) != nil {
		t.Error("a count of an earlier version would be cached")
	}
	want(t, "after a reader of an earlier version", m.count(), "2")

	other, err := store.NewSchema(schema.Name, schema.Columns[:2])
	if err != nil {
		t.Fatal(err)
	}
	if m.cache.Begin(other, nil, m.version-1) != nil {
		t.Error("a count of an earlier version and another schema would be cached")
	}
	want(t, "after a reader of an earlier version and another schema", m.count(), "2")
	w := m.cache.Begin(other, nil, m.version)
	if w == nil {
		t.Fatal("a count of another schema is not cached")
	}
	w.PutCount(3)
	w.End()
	if n, ok := m.cache.Count(other, nil, m.version); n != 3 || !ok {
		t.Errorf("of the other schema: %d, %v", n, ok)
	}
	want(t, "of the schema before", m.count(), "unknown")
	if _, _, ok := m.cache.Nearest(schema, nil, nil, m.version, 1000); ok {
		t.Error("an anchor of the schema before is given")
	}
}

// A table that is replaced leaves its room to others.
func TestAReplacedTableTakesNoRoom(t *testing.T) {
	other, err := store.NewSchema("cups", schema.Columns)
	if err != nil {
		t.Fatal(err)
	}
	cache := countcache.New(1 << 20)
	put := func(s *store.Schema, version uint64, where ...store.Cond) {
		t.Helper()
		w := cache.Begin(s, where, version)
		if w == nil {
			t.Fatal("nothing can be cached")
		}
		w.PutCount(1)
		w.End()
	}
	put(other, 1)
	for version := range uint64(20) {
		for i := range 100 {
			put(schema, 1+version, store.Contains("name", fmt.Sprint(i, strings.Repeat("x", 900))))
		}
	}
	if _, ok := cache.Count(other, nil, 1); !ok {
		t.Error("the count of another table is gone, though 100 entries fit beside it")
	}
}

// Anchors leave first, then counts, however often that has happened before.
func TestAnchorsLeaveBeforeCounts(t *testing.T) {
	m := newModelOf(256 << 10)
	anchors := make([]countcache.Anchor, 500)
	for i := range anchors {
		anchors[i] = countcache.Anchor{Position: eval.Position{Key: int64(i + 1)}, Rank: 32 * int64(i+1)}
	}
	text := func(i int) store.Cond { return store.Contains("name", fmt.Sprint(i, strings.Repeat("x", 900))) }
	for round := range 200 {
		m.put(t, 1, ofSize(-2))
		for range 3 {
			w := m.fill(t, ofSize(-1))
			w.PutAnchors(nil, anchors)
			w.PutCount(2)
			w.End()
		}
		n := 0
		for _, _, ok := m.cache.Nearest(schema, []store.Cond{ofSize(-1)}, nil, m.version, 1000); ok && n < 250; n++ {
			m.put(t, 3, text(250*round+n))
			// Nearest would use the entry.
			ok = m.cache.Anchors(schema, ofSize(-1)) > 0
		}
		if n == 0 || n == 250 {
			t.Fatalf("round %d: the anchors leave after %d counts", round, n)
		}
		want(t, fmt.Sprint("round ", round, ": a count used least recently, when the anchors leave"), m.count(ofSize(-2)), "1")
		want(t, fmt.Sprint("round ", round, ": the count beside the anchors"), m.count(ofSize(-1)), "2")
		for i := range 250 {
			m.put(t, 3, text(-i))
		}
		want(t, fmt.Sprint("round ", round, ": a count used least recently, when counts leave"), m.count(ofSize(-2)), "unknown")
		left := 0
		for i := range 250 {
			if m.count(text(-i)) == "3" {
				left++
			}
		}
		if left < 50 || left > 128 {
			t.Fatalf("round %d: %d counts of about 2 KiB are in 256 KiB", round, left)
		}
		m.version += 2 // the next round begins with an empty cache
	}
}

// A commit of many changes is applied to each entry, one change after the other.
func TestCommitsOfManyChanges(t *testing.T) {
	m := newModel()
	m.put(t, 0)
	w := m.fill(t, ofSize(1))
	m.version++
	changes := []driver.RowChange{{After: pot(1, 1, "a")}, {After: pot(2, 1, "b")}, {Before: pot(1, 1, "a")}, {After: pot(3, 2, "c")}}
	m.cache.Committed(&countcache.Commit{Schema: schema, From: m.version - 1, To: m.version, Changes: changes})
	w.PutCount(0)
	w.End()
	want(t, "all", m.count(), "2")
	want(t, "of a size, counted before the commit", m.count(ofSize(1)), "1")
}
