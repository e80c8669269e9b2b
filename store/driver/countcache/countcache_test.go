package countcache_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	_ "github.com/shopapi/shopapi/internal/fasttest"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver"
	"github.com/shopapi/shopapi/store/driver/countcache"
	"github.com/shopapi/shopapi/store/driver/eval"
)

var schema = mustSchema()

func mustSchema() *store.Schema {
	s, err := store.NewSchema("pots", []store.Column{
		{Name: "id", Kind: store.Integer},
		{Name: "size", Kind: store.Integer},
		{Name: "name", Kind: store.Text, Fold: true},
		{Name: "glaze", Kind: store.Text, Null: true},
		{Name: "mark", Kind: store.Text},
	})
	if err != nil {
		panic(err)
	}
	return s
}

func pot(id, size int64, name string) []store.Value {
	return []store.Value{store.Int(id), store.Int(size), store.String(name), store.Null, store.String(name)}
}

// A model is the rows themselves.
type model struct {
	cache   *countcache.Cache
	version uint64
	rows    map[int64][]store.Value
}

func newModel() *model { return newModelOf(8 << 20) }

func newModelOf(capacity int64) *model {
	return &model{cache: countcache.New(capacity), version: 1, rows: map[int64][]store.Value{}}
}

// set commits one change: the row with the key becomes row, or is removed.
func (m *model) set(key int64, row []store.Value) {
	c := driver.RowChange{Before: m.rows[key], After: row}
	if row == nil {
		delete(m.rows, key)
	} else {
		m.rows[key] = row
	}
	m.version++
	m.cache.Committed(&countcache.Commit{Schema: schema, From: m.version - 1, To: m.version, Changes: []driver.RowChange{c}})
}

// in returns the rows that match, in an order.
func (m *model) in(where []store.Cond, order []store.Order) []eval.Position {
	var list []eval.Position
	for _, row := range m.rows {
		if store.Match(schema, row, where, nil) {
			p := eval.Position{Key: row[0].Int()}
			for _, o := range order {
				by := row[schema.Index(o.Column)]
				if schema.Columns[schema.Index(o.Column)].Fold {
					by = eval.Fold(by)
				}
				p.By = append(p.By, by)
			}
			list = append(list, p)
		}
	}
	slices.SortFunc(list, func(a, b eval.Position) int { return eval.Compare(order, a, b) })
	return list
}

func (m *model) fill(t *testing.T, where ...store.Cond) *countcache.Fill {
	t.Helper()
	w := m.cache.Begin(schema, where, m.version)
	if w == nil {
		t.Fatal("nothing can be cached")
	}
	return w
}

func (m *model) count(where ...store.Cond) string {
	n, ok := m.cache.Count(schema, where, m.version)
	if !ok {
		return "unknown"
	}
	return fmt.Sprint(n)
}

func want(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s: %s, want %s", what, got, want)
	}
}

func TestCounts(t *testing.T) {
	m := newModel()
	large := store.AtLeast("size", store.Int(10))
	m.set(1, pot(1, 10, "bowl"))
	want(t, "nothing is cached", m.count(large), "unknown")
	w := m.fill(t, large)
	w.PutCount(1)
	w.End()
	want(t, "cached", m.count(large), "1")
	want(t, "other conditions", m.count(store.AtLeast("size", store.Int(11))), "unknown")
	want(t, "no conditions", m.count(), "unknown")
	m.set(2, pot(2, 20, "jug"))
	want(t, "a row more", m.count(large), "2")
	m.set(3, pot(3, 5, "cup"))
	want(t, "a row that does not match", m.count(large), "2")
	m.set(3, pot(3, 15, "cup"))
	want(t, "it does now", m.count(large), "3")
	m.set(1, pot(1, 10, "plate"))
	want(t, "another column", m.count(large), "3")
	m.set(2, nil)
	want(t, "a row less", m.count(large), "2")
}

// A count depends on both columns that a condition compares.
func TestCountsOfComparedColumns(t *testing.T) {
	m := newModel()
	smaller := store.Not(store.AtMostColumn("size", "id"))
	m.put(t, 0, smaller)
	m.set(3, pot(3, 2, "bowl"))
	want(t, "2 is not above 3", m.count(smaller), "0")
	m.set(3, pot(3, 4, "bowl"))
	want(t, "4 is", m.count(smaller), "1")
	other := store.AtMostColumn("mark", "glaze")
	row := func(mark, glaze string) []store.Value {
		return []store.Value{store.Int(3), store.Int(4), store.String("bowl"), store.String(glaze), store.String(mark)}
	}
	m.set(3, row("b", "a"))
	m.put(t, 0, other)
	m.set(3, row("b", "c"))
	want(t, "the column compared with has changed", m.count(other), "1")
	m.set(3, row("d", "c"))
	want(t, "the column has changed", m.count(other), "0")
}

// Only searched columns are compared without regard to case.
func TestCountsRespectCase(t *testing.T) {
	m := newModel()
	blue, name := store.Equal("glaze", store.String("Blue")), store.Contains("name", "BOWL")
	m.put(t, 0, blue)
	m.put(t, 0, name, store.NotEqual("glaze", store.String("blue")))
	for i, glaze := range []string{"blue", "Blue", "BLUE"} {
		key := int64(i + 1)
		m.set(key, []store.Value{store.Int(key), store.Int(1), store.String("Bowl"), store.String(glaze), store.String("")})
	}
	want(t, "the committed text", m.rows[1][2].Text(), "Bowl")
	want(t, "a column that is not folded", m.count(blue), "1")
	want(t, "one that is, beside it", m.count(name, store.NotEqual("glaze", store.String("blue"))), "2")
}

func TestCountsOfOtherVersionsAreNotGiven(t *testing.T) {
	m := newModel()
	m.fill(t).PutCount(0)
	if _, ok := m.cache.Count(schema, nil, m.version-1); ok {
		t.Error("the count is given for the version before")
	}
	if _, ok := m.cache.Count(schema, nil, m.version+1); ok {
		t.Error("the count is given for the version after")
	}
	m.version += 5 // another connection commits
	m.set(1, pot(1, 1, "bowl"))
	want(t, "after commits unknown", m.count(), "unknown")
	if w := m.cache.Begin(schema, nil, 1); w != nil {
		w.PutCount(7)
		w.End()
	}
	want(t, "put by a reader of an old version", m.count(), "unknown")
}

func TestAFillIsUpdatedByCommitsMeanwhile(t *testing.T) {
	m := newModel()
	small := store.Less("size", store.Int(10))
	early := m.fill(t, small)
	m.set(1, pot(1, 1, "bowl"))
	late := m.fill(t)
	m.set(2, pot(2, 2, "jug"))
	m.set(3, pot(3, 30, "cup"))
	early.PutCount(0)
	late.PutCount(1)
	early.End()
	late.End()
	want(t, "small ones", m.count(small), "2")
	want(t, "all", m.count(), "3")
}

func TestUnrecordedChangesInvalidate(t *testing.T) {
	m := newModel()
	if m.cache.Wants(schema) {
		t.Error("changes are wanted though nothing is cached")
	}
	w := m.fill(t)
	if !m.cache.Wants(schema) {
		t.Error("changes are not wanted though a fill is in progress")
	}
	w.PutCount(0)
	m.version++
	m.cache.Committed(&countcache.Commit{Schema: schema, From: m.version - 1, To: m.version, Partial: true})
	want(t, "after a partial commit", m.count(), "unknown")
	w.PutCount(0)
	want(t, "put after it", m.count(), "unknown")
	w.End()
	if m.cache.Wants(schema) {
		t.Error("changes are wanted though nothing is cached any more")
	}
}

func TestUnusedEntriesAreEvicted(t *testing.T) {
	m := newModel()
	for i := range int64(300) {
		w := m.fill(t, store.Equal("size", store.Int(i)))
		w.PutCount(0)
		w.End()
	}
	want(t, "the oldest of 300", m.count(store.Equal("size", store.Int(0))), "unknown")
	want(t, "the newest of 300", m.count(store.Equal("size", store.Int(299))), "0")
	for i := range int64(5000) {
		m.set(1, pot(1, 1000+i, "bowl"))
	}
	want(t, "not used over 5000 changes", m.count(store.Equal("size", store.Int(299))), "unknown")
	if m.cache.Wants(schema) {
		t.Error("changes are wanted though nothing is cached any more")
	}
}

func TestConditionsOnOtherTablesAreNotCached(t *testing.T) {
	cache := countcache.New(8 << 20)
	for _, where := range [][]store.Cond{
		{store.InQuery("size", schema, "id")},
		{store.Not(store.Any(store.InQuery("size", schema, "id")))},
	} {
		if cache.Begin(schema, where, 1) != nil {
			t.Errorf("%+v is cached", where)
		}
		if _, ok := cache.Count(schema, where, 1); ok {
			t.Errorf("a count of %+v is given", where)
		}
	}
}

func TestOrdered(t *testing.T) {
	for _, c := range []struct {
		name  string
		order []store.Order
		want  int // terms, less than 0 for none cached
	}{
		{"none", nil, 0},
		{"a column", []store.Order{store.Asc("size")}, 1},
		{"downwards", []store.Order{store.Desc("size"), store.Desc("name")}, 2},
		{"after the key", []store.Order{store.Desc("id"), store.Asc("name")}, 1},
		{"up and down", []store.Order{store.Desc("size"), store.Asc("name")}, -1},
		{"a column that may be null", []store.Order{store.Asc("glaze")}, -1},
		{"a reference", []store.Order{{Column: "name", Via: &store.Via{Column: "size", Schema: schema}}}, -1},
		{"no such column", []store.Order{store.Asc("weight")}, -1},
	} {
		got, ok := countcache.Ordered(schema, c.order)
		if ok != (c.want >= 0) || ok && len(got) != c.want {
			t.Errorf("%s: %v, %v", c.name, got, ok)
		}
	}
}

// Anchors have as many rows before them as their rank says, whatever
// changes, also during the fill.
func TestAnchors(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	where := []store.Cond{store.AtLeast("size", store.Int(3)), store.Not(store.Contains("name", "x"))}
	for _, order := range [][]store.Order{
		nil, {store.Desc("id")}, {store.Asc("size")}, {store.Desc("name"), store.Desc("size")}, {store.Asc("name"), store.Asc("id")},
		{store.Asc("mark")}, {store.Desc("mark"), store.Desc("name")},
	} {
		m := newModel()
		change := func() {
			key := 1 + random.Int64N(400)
			if random.IntN(3) == 0 {
				m.set(key, nil)
				return
			}
			row := slices.Clone(m.rows[key])
			if row == nil || random.IntN(2) == 0 {
				row = pot(key, random.Int64N(10), []string{"a", "B", "b", "x", "é"}[random.IntN(5)])
			}
			row[4] = store.String([]string{"a", "A", "b", "B", "C"}[random.IntN(5)])
			m.set(key, row)
		}
		for range 1000 {
			change()
		}
		given := 0
		for range 50 {
			rows := m.in(where, order)
			var anchors []countcache.Anchor
			for rank := 20; rank < len(rows); rank += 20 + random.IntN(30) {
				anchors = append(anchors, countcache.Anchor{Position: rows[rank], Rank: int64(rank)})
			}
			before := slices.Clone(anchors)
			w := m.fill(t, where...)
			for range random.IntN(4) {
				change()
			}
			w.PutAnchors(order, anchors)
			w.End()
			if diff := cmp.Diff(before, anchors, cmp.Comparer(store.Value.Equal)); diff != "" {
				t.Fatalf("%v: the anchors of the reader were changed:\n%s", order, diff)
			}
			for range random.IntN(100) {
				change()
			}
			rows = m.in(where, order)
			for rank := range int64(len(rows)) {
				anchor, _, ok := m.cache.Nearest(schema, where, order, m.version, rank)
				if !ok {
					continue
				}
				given++
				first := slices.IndexFunc(rows, func(p eval.Position) bool { return eval.Compare(order, p, anchor.Position) >= 0 })
				if first < 0 {
					first = len(rows)
				}
				if anchor.Rank > rank || anchor.Rank != int64(first) {
					t.Fatalf("%v: for rank %d an anchor says %d, and %d rows come before it", order, rank, anchor.Rank, first)
				}
			}
		}
		if given == 0 {
			t.Errorf("%v: no anchor was given", order)
		}
	}
}

func TestManyAnchors(t *testing.T) {
	m := newModel()
	var anchors []countcache.Anchor
	for i := int64(1); i <= 10_000; i++ { // every 32 rows
		anchors = append(anchors, countcache.Anchor{Position: eval.Position{Key: i*32 + 1}, Rank: i * 32})
	}
	w := m.fill(t)
	w.PutAnchors(nil, anchors)
	w.End()
	anchor, step, ok := m.cache.Nearest(schema, nil, nil, m.version, 160_000)
	if !ok || step != 128 || anchor.Rank != 160_000 || anchor.Key != anchor.Rank+1 {
		t.Errorf("the anchor before 160,000 of 320,000 rows: %+v, step %d, %v", anchor, step, ok)
	}
	if anchor, _, _ = m.cache.Nearest(schema, nil, nil, m.version, 159_999); anchor.Rank != 160_000-128 {
		t.Errorf("the anchor before 159,999 of 320,000 rows: %+v", anchor)
	}
	w = m.fill(t, ofSize(1))
	w.PutAnchors(nil, anchors[:4096])
	w.End()
	if _, step, _ = m.cache.Nearest(schema, []store.Cond{ofSize(1)}, nil, m.version, 1000); step != 32 {
		t.Errorf("4096 anchors have the step %d, want 32", step)
	}
}

func TestAnchorsAreLimited(t *testing.T) {
	m := newModelOf(2 << 20)
	var anchors []countcache.Anchor
	for i := int64(1); i <= 4000; i++ {
		anchors = append(anchors, countcache.Anchor{Position: eval.Position{Key: i*32 + 1}, Rank: i * 32})
	}
	where := func(i int) []store.Cond { return []store.Cond{store.NotEqual("size", store.Int(int64(i)))} }
	for i := range 20 {
		w := m.fill(t, where(i)...)
		w.PutAnchors(nil, anchors)
		w.PutCount(1)
		w.End()
	}
	if _, _, ok := m.cache.Nearest(schema, where(19), nil, m.version, 1000); !ok {
		t.Error("the anchors used last are not cached")
	}
	if _, _, ok := m.cache.Nearest(schema, where(0), nil, m.version, 1000); ok {
		t.Error("80,000 anchors are cached")
	}
	want(t, "the count where the anchors are gone", m.count(where(0)...), "1")
}

func BenchmarkCommitted(b *testing.B) {
	cache := countcache.New(8 << 20)
	for i := range int64(100) {
		w := cache.Begin(schema, []store.Cond{store.Equal("size", store.Int(i)), store.Contains("name", "bowl")}, 1)
		w.PutCount(0)
		w.End()
	}
	row := pot(1, 5, "A blue bowl")
	for at := uint64(1); b.Loop(); at++ {
		cache.Committed(&countcache.Commit{Schema: schema, From: at, To: at + 1, Changes: []driver.RowChange{{After: row}}})
		if at%1000 == 0 { // they are used
			for i := range int64(100) {
				cache.Count(schema, []store.Cond{store.Equal("size", store.Int(i)), store.Contains("name", "bowl")}, at+1)
			}
		}
	}
}

// A reader whose snapshot is some commits old gets the count of that version.
func TestCountsOfPastVersions(t *testing.T) {
	schema := pastTable.Schema()
	all := []store.Cond{store.Equal("status", store.String("A"))}
	row := func(status string) []store.Value { return []store.Value{store.Int(1), store.String(status)} }
	cache := countcache.New(8 << 20)
	fill := cache.Begin(schema, all, 10)
	fill.PutCount(5)
	fill.End()
	const commits = 100
	for i := range uint64(commits) {
		changes := []driver.RowChange{{After: row("A")}, {Before: row("D"), After: row("A")}, {After: row("D")}}
		cache.Committed(&countcache.Commit{Schema: schema, From: 10 + i, To: 11 + i, Changes: changes})
	}
	known := 0
	for at := uint64(9); at <= 10+commits+1; at++ {
		n, ok := cache.Count(schema, all, at)
		if !ok {
			continue
		}
		known++
		if want := int64(5 + 2*(at-10)); n != want {
			t.Errorf("at version %d the count is %d, want %d", at, n, want)
		}
	}
	if known < 20 || known > 60 {
		t.Errorf("the counts at %d versions are known, want those of the last few dozen", known)
	}
	if _, ok := cache.Count(schema, all, 10+commits+1); ok {
		t.Error("the count at a future version is known")
	}
}

type pastRow struct {
	ID     int64  `json:"id" store:"key"`
	Status string `json:"status"`
}

var pastTable = store.MustTable[pastRow]("past_rows")
