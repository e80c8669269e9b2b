package countcache_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver/countcache"
	"github.com/shopapi/shopapi/store/driver/eval"
)

// heap is how many bytes of Go's memory are in use.
func heap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// However clients choose the conditions, the cache takes no more memory than its
// capacity.
func TestTheCacheIsBoundedByBytes(t *testing.T) {
	const capacity = 4 << 20
	tables := make([]*store.Schema, 40)
	for i := range tables {
		var err error
		if tables[i], err = store.NewSchema(fmt.Sprint("pots_", i), schema.Columns); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name  string
		where func(i int) []store.Cond
		order []store.Order
	}{
		{name: "short conditions", where: func(i int) []store.Cond {
			return []store.Cond{store.Equal("size", store.Int(int64(i)))}
		}},
		{name: "long texts", where: func(i int) []store.Cond {
			return []store.Cond{store.Contains("name", fmt.Sprint(i, strings.Repeat("x", 1000)))}
		}},
		{name: "texts that are longer when folded", where: func(i int) []store.Cond {
			return []store.Cond{store.Contains("name", fmt.Sprint(i, strings.Repeat("ΐ", 500)))}
		}},
		{name: "parts of long queries", where: func(i int) []store.Cond {
			c := store.Equal("glaze", store.String(fmt.Sprint(i, strings.Repeat("x", 1<<16))[:20]))
			if i%2 == 0 {
				c = store.Any(c)
			}
			return []store.Cond{c}
		}},
		{name: "lists of numbers", where: func(i int) []store.Cond {
			list := make([]int64, 400)
			for j := range list {
				list[j] = int64(j % 60)
			}
			list[0], list[1] = int64(i), int64(-i)
			return []store.Cond{store.InInts("size", list...)}
		}},
		{name: "lists of texts", where: func(i int) []store.Cond {
			list := make([]store.Value, 150)
			for j := range list {
				list[j] = store.String(fmt.Sprint(j))
			}
			list[0] = store.String(fmt.Sprint(i))
			return []store.Cond{store.In("glaze", list...)}
		}},
		{name: "many conditions", where: func(i int) []store.Cond {
			var list []store.Cond
			for j := range 60 {
				list = append(list, store.Any(store.NotEqual("size", store.Int(int64(i*j)))))
			}
			return list
		}},
		{name: "anchors", order: []store.Order{store.Asc("name")}, where: func(i int) []store.Cond {
			return []store.Cond{store.NotEqual("size", store.Int(int64(i)))}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := heap()
			cache := countcache.New(capacity)
			for i := range 3000 {
				if c.order != nil && i == 150 {
					break
				}
				table := tables[i%len(tables)]
				fill := cache.Begin(table, c.where(i), 1)
				if fill == nil {
					t.Fatal("nothing is cached")
				}
				fill.PutCount(int64(i))
				if c.order != nil {
					fill.PutAnchors(c.order, longAnchors(1000))
				}
				fill.End()
			}
			took := heap() - before
			if took > capacity*9/8 {
				t.Errorf("the cache takes %d bytes, want %d at most", took, capacity)
			}
			if took < capacity/4 {
				t.Errorf("the cache takes %d bytes, and could take %d", took, capacity)
			}
			runtime.KeepAlive(cache)
		})
	}
}

func longAnchors(n int) []countcache.Anchor {
	anchors := make([]countcache.Anchor, n)
	for i := range anchors {
		key := int64(i + 1)
		name := store.String(fmt.Sprintf("%06d%s", i, strings.Repeat("x", 200)))
		anchors[i] = countcache.Anchor{Position: eval.Position{By: []store.Value{store.Int(key), name}[1:], Key: key}, Rank: 32 * key}
	}
	return anchors
}

func TestLongConditionsAreNotCached(t *testing.T) {
	cache := countcache.New(8 << 20)
	ids := make([]int64, 1000)
	for i := range ids {
		ids[i] = int64(i)
	}
	for _, where := range [][]store.Cond{
		{store.Contains("name", strings.Repeat("x", 1025))},
		{store.InInts("size", ids...)},
		{store.Any(store.Contains("name", strings.Repeat("x", 600)), store.Contains("name", strings.Repeat("y", 600)))},
	} {
		if cache.Begin(schema, where, 1) != nil {
			t.Errorf("conditions of more than a kibibyte on %s are cached", where[0].Column)
		}
	}
	if cache.Begin(schema, []store.Cond{store.Contains("name", strings.Repeat("x", 900))}, 1) == nil {
		t.Error("conditions of less than a kibibyte are not cached")
	}
}

func TestACacheWithoutBytesHoldsNothing(t *testing.T) {
	for _, capacity := range []int64{0, -1} {
		cache := countcache.New(capacity)
		if cache.Begin(schema, nil, 1) != nil || cache.Wants(schema) {
			t.Errorf("a cache of %d bytes holds something", capacity)
		}
	}
}

// What many searches have cached is not searched for in each long text that is
// written, but dropped, those used least recently first.
func TestCachedSearchesDoNotSlowWrites(t *testing.T) {
	m := newModel()
	needle := func(i int) store.Cond {
		c := store.Contains("name", fmt.Sprint(i, strings.Repeat("a", 800)))
		if i%2 == 0 {
			return store.Any(c, ofSize(-1))
		}
		return c
	}
	size := store.AtLeast("size", store.Int(1))
	for i := range 200 {
		w := m.fill(t, needle(i))
		w.PutCount(0)
		w.End()
	}
	w := m.fill(t, size)
	w.PutCount(0)
	w.End()
	m.set(1, pot(1, 5, strings.Repeat("a", 60_000)))
	cached := 0
	for i := range 200 {
		if m.count(needle(i)) != "unknown" {
			cached++
		}
	}
	// The text is compared and searched: 120,000 bytes of the 4 MiB for each.
	if cached < 30 || cached > 35 {
		t.Errorf("%d of 200 searches were done over a text of 60,000 bytes, want 30 to 35", cached)
	}
	want(t, "a count used after the searches", m.count(size), "1")
	m.put(t, 0, needle(199))
	m.set(2, pot(2, 5, strings.Repeat("a", 800_000)))
	want(t, "a search, after a text too long to fold", m.count(needle(199)), "unknown")
	want(t, "a count without a search", m.count(size), "2")
}

// Deleting a long text costs as much as writing it.
func TestCachedSearchesDoNotSlowDeletions(t *testing.T) {
	m := newModel()
	m.set(1, pot(1, 5, strings.Repeat("a", 60_000)))
	needle := func(i int) store.Cond { return store.Contains("name", fmt.Sprint(i, strings.Repeat("a", 800))) }
	for i := range 200 {
		m.put(t, 0, needle(i))
		m.set(2, pot(2, int64(i), "bowl")) // the others are not used for a change more
	}
	m.set(1, nil)
	for i := range 200 {
		if known := m.count(needle(i)) != "unknown"; known != (i >= 200-34) {
			t.Errorf("search %d of 200: known %v, want the last 34, of 120,000 bytes each", i, known)
		}
	}
}

// Changes that a slow count waits for do not pile up.
func TestRecordedChangesAreBoundedByBytes(t *testing.T) {
	m := newModel()
	before := heap()
	w := m.fill(t)
	for i := range int64(500) {
		m.set(1, pot(1, i, fmt.Sprint(i, strings.Repeat("a", 100_000))))
	}
	if took := heap() - before; took > 4<<20 {
		t.Errorf("the changes of 50 MB take %d bytes", took)
	}
	w.PutCount(0)
	w.End()
	want(t, "a count during which too much has changed", m.count(), "unknown")
}
