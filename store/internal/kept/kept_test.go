package kept_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver/eval"
	"github.com/shopapi/shopapi/store/internal/kept"
)

var schema = mustSchema()

func mustSchema() *store.Schema {
	s, err := store.NewSchema("pots", []store.Column{
		{Name: "id", Kind: store.Integer},
		{Name: "size", Kind: store.Integer},
		{Name: "name", Kind: store.Text, Fold: true},
		{Name: "glaze", Kind: store.Text, Null: true},
	})
	if err != nil {
		panic(err)
	}
	return s
}

func pot(id, size int64, name string) []store.Value {
	return []store.Value{store.Int(id), store.Int(size), store.String(name), store.Null}
}

// A model is the rows themselves.
type model struct {
	room kept.Room
	at   uint64
	rows map[int64][]store.Value
}

func newModel() *model { return &model{at: 1, rows: map[int64][]store.Value{}} }

// set commits one change: the row with the key becomes row, or is removed.
func (m *model) set(key int64, row []store.Value) {
	c := kept.Change{Before: m.rows[key], After: row}
	if row == nil {
		delete(m.rows, key)
	} else {
		m.rows[key] = row
	}
	m.at++
	m.room.Committed(&kept.Commit{Schema: schema, From: m.at - 1, To: m.at, Changes: []kept.Change{c}})
}

// in returns the rows that match, in an order.
func (m *model) in(where []store.Cond, order []store.Order) []eval.Position {
	var list []eval.Position
	for _, row := range m.rows {
		if store.Match(schema, row, where, nil) {
			p := eval.Position{Key: row[0].Int()}
			for _, o := range order {
				p.By = append(p.By, eval.Fold(row[schema.Index(o.Column)]))
			}
			list = append(list, p)
		}
	}
	slices.SortFunc(list, func(a, b eval.Position) int { return eval.Compare(order, a, b) })
	return list
}

func (m *model) work(t *testing.T, where ...store.Cond) *kept.Work {
	t.Helper()
	w := m.room.Begin(schema, where, m.at)
	if w == nil {
		t.Fatal("nothing can be kept")
	}
	return w
}

func (m *model) total(where ...store.Cond) string {
	n, ok := m.room.Total(schema, where, m.at)
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

func TestTotals(t *testing.T) {
	m := newModel()
	large := store.AtLeast("size", store.Int(10))
	m.set(1, pot(1, 10, "bowl"))
	want(t, "nothing is kept", m.total(large), "unknown")
	w := m.work(t, large)
	w.KeepTotal(1)
	w.End()
	want(t, "kept", m.total(large), "1")
	want(t, "other conditions", m.total(store.AtLeast("size", store.Int(11))), "unknown")
	want(t, "no conditions", m.total(), "unknown")
	m.set(2, pot(2, 20, "jug"))
	want(t, "a row more", m.total(large), "2")
	m.set(3, pot(3, 5, "cup"))
	want(t, "a row that does not match", m.total(large), "2")
	m.set(3, pot(3, 15, "cup"))
	want(t, "it does now", m.total(large), "3")
	m.set(1, pot(1, 10, "plate"))
	want(t, "another column", m.total(large), "3")
	m.set(2, nil)
	want(t, "a row less", m.total(large), "2")
}

func TestTotalsOfOtherStatesAreNotGiven(t *testing.T) {
	m := newModel()
	m.work(t).KeepTotal(0)
	if _, ok := m.room.Total(schema, nil, m.at-1); ok {
		t.Error("the total is given for the state before")
	}
	if _, ok := m.room.Total(schema, nil, m.at+1); ok {
		t.Error("the total is given for the state after")
	}
	m.at += 5 // somebody else commits
	m.set(1, pot(1, 1, "bowl"))
	want(t, "after commits unknown", m.total(), "unknown")
	if w := m.room.Begin(schema, nil, 1); w != nil {
		w.KeepTotal(7)
		w.End()
	}
	want(t, "kept by a reader of an old state", m.total(), "unknown")
}

func TestWhatIsCommittedMeanwhileIsCaughtUpWith(t *testing.T) {
	m := newModel()
	small := store.Less("size", store.Int(10))
	early := m.work(t, small)
	m.set(1, pot(1, 1, "bowl"))
	late := m.work(t)
	m.set(2, pot(2, 2, "jug"))
	m.set(3, pot(3, 30, "cup"))
	early.KeepTotal(0)
	late.KeepTotal(1)
	early.End()
	late.End()
	want(t, "small ones", m.total(small), "2")
	want(t, "all", m.total(), "3")
}

func TestChangesThatWereNotRecorded(t *testing.T) {
	m := newModel()
	if m.room.Wants(schema) {
		t.Error("changes are wanted though nothing is kept")
	}
	w := m.work(t)
	if !m.room.Wants(schema) {
		t.Error("changes are not wanted though something is worked out")
	}
	w.KeepTotal(0)
	m.at++
	m.room.Committed(&kept.Commit{Schema: schema, From: m.at - 1, To: m.at, Partial: true})
	want(t, "after a partial commit", m.total(), "unknown")
	w.KeepTotal(0)
	want(t, "worked out before it", m.total(), "unknown")
	w.End()
	if m.room.Wants(schema) {
		t.Error("changes are wanted though nothing is kept any more")
	}
}

func TestWhatIsNotUsedIsDropped(t *testing.T) {
	m := newModel()
	for i := range int64(300) {
		w := m.work(t, store.Equal("size", store.Int(i)))
		w.KeepTotal(0)
		w.End()
	}
	want(t, "the oldest of 300", m.total(store.Equal("size", store.Int(0))), "unknown")
	want(t, "the newest of 300", m.total(store.Equal("size", store.Int(299))), "0")
	for i := range int64(5000) {
		m.set(1, pot(1, 1000+i, "bowl"))
	}
	want(t, "not used over 5000 changes", m.total(store.Equal("size", store.Int(299))), "unknown")
	if m.room.Wants(schema) {
		t.Error("changes are wanted though nothing is kept any more")
	}
}

func TestConditionsOnOtherTablesAreNotKept(t *testing.T) {
	var room kept.Room
	for _, where := range [][]store.Cond{
		{store.InQuery("size", schema, "id")},
		{store.Not(store.Any(store.InQuery("size", schema, "id")))},
	} {
		if room.Begin(schema, where, 1) != nil {
			t.Errorf("%+v is kept", where)
		}
	}
}

func TestOrdered(t *testing.T) {
	for _, c := range []struct {
		name  string
		order []store.Order
		want  int // terms, less than 0 for not kept
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
		got, ok := kept.Ordered(schema, c.order)
		if ok != (c.want >= 0) || ok && len(got) != c.want {
			t.Errorf("%s: %v, %v", c.name, got, ok)
		}
	}
}

// Marks that are kept have as many rows before them as their rank says, whatever
// changes, also while they are being found.
func TestMarks(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	where := []store.Cond{store.AtLeast("size", store.Int(3)), store.Not(store.Contains("name", "x"))}
	for _, order := range [][]store.Order{
		nil, {store.Desc("id")}, {store.Asc("size")}, {store.Desc("name"), store.Desc("size")}, {store.Asc("name"), store.Asc("id")},
	} {
		m := newModel()
		change := func() {
			key := 1 + random.Int64N(400)
			if random.IntN(3) == 0 {
				m.set(key, nil)
				return
			}
			m.set(key, pot(key, random.Int64N(10), []string{"a", "B", "b", "x", "é"}[random.IntN(5)]))
		}
		for range 1000 {
			change()
		}
		given := 0
		for range 50 {
			rows := m.in(where, order)
			var marks []kept.Mark
			for rank := 20; rank < len(rows); rank += 20 + random.IntN(30) {
				marks = append(marks, kept.Mark{Position: rows[rank], Rank: int64(rank)})
			}
			before := slices.Clone(marks)
			w := m.work(t, where...)
			for range random.IntN(4) {
				change()
			}
			w.KeepMarks(order, marks)
			w.End()
			if diff := cmp.Diff(before, marks, cmp.Comparer(store.Value.Equal)); diff != "" {
				t.Fatalf("%v: the marks of the reader were changed:\n%s", order, diff)
			}
			for range random.IntN(100) {
				change()
			}
			rows = m.in(where, order)
			for rank := range int64(len(rows)) {
				mark, _, ok := m.room.Seek(schema, where, order, m.at, rank)
				if !ok {
					continue
				}
				given++
				first := slices.IndexFunc(rows, func(p eval.Position) bool { return eval.Compare(order, p, mark.Position) >= 0 })
				if first < 0 {
					first = len(rows)
				}
				if mark.Rank > rank || mark.Rank != int64(first) {
					t.Fatalf("%v: for rank %d a mark says %d, and %d rows come before it", order, rank, mark.Rank, first)
				}
			}
		}
		if given == 0 {
			t.Errorf("%v: no mark was given", order)
		}
	}
}

func TestManyMarks(t *testing.T) {
	m := newModel()
	var marks []kept.Mark
	for i := int64(1); i <= 10_000; i++ { // every 32 rows
		marks = append(marks, kept.Mark{Position: eval.Position{Key: i*32 + 1}, Rank: i * 32})
	}
	w := m.work(t)
	w.KeepMarks(nil, marks)
	w.End()
	mark, step, ok := m.room.Seek(schema, nil, nil, m.at, 160_000)
	if !ok || step != 128 || mark.Rank > 160_000 || mark.Rank < 160_000-step || mark.Key != mark.Rank+1 {
		t.Errorf("the mark before 160,000 of 320,000 rows: %+v, step %d, %v", mark, step, ok)
	}
}

func TestMarksAreLimited(t *testing.T) {
	m := newModel()
	var marks []kept.Mark
	for i := int64(1); i <= 4000; i++ {
		marks = append(marks, kept.Mark{Position: eval.Position{Key: i*32 + 1}, Rank: i * 32})
	}
	where := func(i int) []store.Cond { return []store.Cond{store.NotEqual("size", store.Int(int64(i)))} }
	for i := range 20 {
		w := m.work(t, where(i)...)
		w.KeepMarks(nil, marks)
		w.KeepTotal(1)
		w.End()
	}
	if _, _, ok := m.room.Seek(schema, where(19), nil, m.at, 1000); !ok {
		t.Error("the marks used last are not kept")
	}
	if _, _, ok := m.room.Seek(schema, where(0), nil, m.at, 1000); ok {
		t.Error("80,000 marks are kept")
	}
	want(t, "the total where the marks are gone", m.total(where(0)...), "1")
}

func BenchmarkCommitted(b *testing.B) {
	var room kept.Room
	for i := range int64(100) {
		w := room.Begin(schema, []store.Cond{store.Equal("size", store.Int(i)), store.Contains("name", "bowl")}, 1)
		w.KeepTotal(0)
		w.End()
	}
	row := pot(1, 5, "A blue bowl")
	for at := uint64(1); b.Loop(); at++ {
		room.Committed(&kept.Commit{Schema: schema, From: at, To: at + 1, Changes: []kept.Change{{After: row}}})
		if at%1000 == 0 { // they are used
			for i := range int64(100) {
				room.Total(schema, []store.Cond{store.Equal("size", store.Int(i)), store.Contains("name", "bowl")}, at+1)
			}
		}
	}
}

// A reader whose snapshot is some commits old gets the total of that moment.
func TestTotalsOfThePast(t *testing.T) {
	schema := pastTable.Schema()
	all := []store.Cond{store.Equal("status", store.String("A"))}
	row := func(status string) []store.Value { return []store.Value{store.Int(1), store.String(status)} }
	var room kept.Room
	work := room.Begin(schema, all, 10)
	work.KeepTotal(5)
	work.End()
	const commits = 100
	for i := range uint64(commits) {
		changes := []kept.Change{{After: row("A")}, {Before: row("D"), After: row("A")}, {After: row("D")}}
		room.Committed(&kept.Commit{Schema: schema, From: 10 + i, To: 11 + i, Changes: changes})
	}
	known := 0
	for at := uint64(9); at <= 10+commits+1; at++ {
		n, ok := room.Total(schema, all, at)
		if !ok {
			continue
		}
		known++
		if want := int64(5 + 2*(at-10)); n != want {
			t.Errorf("in the state %d the total is %d, want %d", at, n, want)
		}
	}
	if known < 20 || known > 60 {
		t.Errorf("the totals of %d states are known, want those of the last few dozen", known)
	}
	if _, ok := room.Total(schema, all, 10+commits+1); ok {
		t.Error("the total of a state to come is known")
	}
}

type pastRow struct {
	ID     int64  `json:"id" store:"key"`
	Status string `json:"status"`
}

var pastTable = store.MustTable[pastRow]("past_rows")
