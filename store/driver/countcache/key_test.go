package countcache_test

import (
	"fmt"
	"strings"
	"testing"
	"unsafe"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver/countcache"
	"github.com/shopapi/shopapi/store/driver/eval"
)

// Each set of conditions has its own count.
func TestConditionsAreToldApart(t *testing.T) {
	m := newModel()
	a, b := store.Equal("size", store.Int(1)), store.Equal("size", store.Int(2))
	for i, where := range [][]store.Cond{
		{}, {a}, {b}, {a, b}, {a, a},
		{store.Equal("id", store.Int(1))},
		{store.NotEqual("size", store.Int(1))}, {store.AtLeast("size", store.Int(1))}, {store.Less("size", store.Int(1))},
		{store.InInts("size", 1)}, {store.InInts("size", 1, 2)}, {store.InInts("size")},
		{store.Any(a), b}, {store.Any(a, b)}, {store.All(a, b)}, {store.Not(a), b}, {store.Any(store.Any(a), b)}, {store.Any(store.Any(a, b))},
		{store.Equal("mark", store.String(""))}, {store.Equal("mark", store.String("1"))}, {store.Equal("mark", store.Int(1))}, {store.Equal("mark", store.Null)},
		{store.In("mark", store.String("ab"), store.String("c"))}, {store.In("mark", store.String("a"), store.String("bc"))},
		{store.EqualFold("name", "a")}, {store.BeginsFold("name", "a")}, {store.Contains("name", "a")},
		{store.AtMostColumn("mark", "name")}, {store.AtMostColumn("mark", "glaze")},
	} {
		want(t, fmt.Sprintf("%+v before it is put", where), m.count(where...), "unknown")
		m.put(t, int64(i), where...)
		want(t, fmt.Sprintf("%+v", where), m.count(where...), fmt.Sprint(i))
	}
}

// Each order has its own anchors.
func TestOrdersAreToldApart(t *testing.T) {
	m := newModel()
	for i, order := range [][]store.Order{
		nil, {store.Asc("size")}, {store.Desc("size")}, {store.Asc("name")}, {store.Asc("size"), store.Asc("name")},
		{store.Asc("name"), store.Asc("size")}, {store.Desc("name"), store.Desc("size")},
	} {
		if _, _, ok := m.cache.Nearest(schema, nil, order, m.version, 100); ok {
			t.Errorf("%+v has an anchor before one is put", order)
		}
		by := make([]store.Value, len(order))
		for j := range by {
			by[j] = store.Int(1)
		}
		w := m.fill(t)
		w.PutAnchors(order, []countcache.Anchor{{Position: eval.Position{By: by, Key: 1}, Rank: int64(50 + i)}})
		w.End()
		if a, _, ok := m.cache.Nearest(schema, nil, order, m.version, 100); !ok || a.Rank != int64(50+i) {
			t.Errorf("%+v: rank %d, %v; want %d", order, a.Rank, ok, 50+i)
		}
	}
}

// The cache copies conditions: callers use their memory again.
func TestConditionsAreCopied(t *testing.T) {
	m := newModel()
	where := func() []store.Cond {
		return []store.Cond{store.InInts("size", 1, 2), store.Any(store.Equal("mark", store.String("bowl")), store.InInts("id", 5))}
	}
	mine := where()
	text := func() *byte { return unsafe.StringData(mine[1].Conds[0].Values[0].Text()) }
	before := text()
	w := m.fill(t, mine...)
	if text() != before {
		t.Error("Begin changed the conditions of its caller, which other goroutines may read")
	}
	w.PutCount(0)
	w.End()
	for i := range mine {
		for j := range mine[i].Values {
			mine[i].Values[j] = store.Int(9)
		}
		for j := range mine[i].Conds {
			mine[i].Conds[j].Values[0] = store.Int(9)
		}
	}
	m.set(5, pot(5, 2, "bowl"))
	if got := m.count(where()...); got != "1" {
		t.Errorf("%s rows match, want 1", got)
	}
}

// The key of conditions has at most 1,024 bytes.
func TestKeysOfConditionsAreLimited(t *testing.T) {
	cache := countcache.New(8 << 20)
	// The number of conditions and of values, the operator, the kind of the value and the
	// end take a byte each, the column 5 and the length of the text 2.
	const beside = 1 + 1 + 5 + 1 + 1 + 2 + 1
	for _, c := range []struct {
		size int
		want bool
	}{{1024, true}, {1025, false}} {
		fill := cache.Begin(schema, []store.Cond{store.Equal("mark", store.String(strings.Repeat("x", c.size-beside)))}, 1)
		if (fill != nil) != c.want {
			t.Errorf("a key of %d bytes: cached %v, want %v", c.size, fill != nil, c.want)
		}
	}
}
