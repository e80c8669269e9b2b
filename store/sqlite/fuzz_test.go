package sqlite_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/sqlite"
)

var fuzzed = func() *store.Schema {
	s, err := store.NewSchema("fuzzed", []store.Column{
		{Name: "id", Kind: store.Integer},
		{Name: "n", Kind: store.Integer, Null: true},
		{Name: "flag", Kind: store.Boolean},
		{Name: "name", Kind: store.Text, Fold: true},
		{Name: "note", Kind: store.Text, Fold: true, Null: true},
		{Name: "code", Kind: store.Text},
	}, store.Index{Columns: []string{"n"}, Sparse: true}, store.Index{Columns: []string{"name", "n"}}, store.Index{Columns: []string{"flag"}}, store.Index{Columns: []string{"code"}, Sparse: true},
		store.Index{Columns: []string{"name"}, Sparse: true}, store.Index{Columns: []string{"note"}, Sparse: true})
	if err != nil {
		panic(err)
	}
	return s
}()

// A source makes rows and queries of the fuzzer's bytes.
type source struct{ data []byte }

func (s *source) pick(n int) int {
	if len(s.data) == 0 {
		return 0
	}
	b := s.data[0]
	s.data = s.data[1:]
	return int(b) % n
}

var fuzzTexts = []string{"", "a", "A", "ab", "aB", "b%", "_", "é", "É", "e\u0301", "ß", "SS", "😀", `"]`, `\`, "\n", "1", "-1"}

func (s *source) value(null bool) store.Value {
	switch n := s.pick(30); {
	case n == 0 && null:
		return store.Null
	case n < 10:
		return store.Int(int64(n%6 - 1))
	default:
		return store.String(fuzzTexts[s.pick(len(fuzzTexts))])
	}
}

func (s *source) row(id int) []store.Value {
	row := []store.Value{store.Int(int64(id))}
	for _, c := range fuzzed.Columns[1:] {
		switch {
		case c.Null && s.pick(3) == 0:
			row = append(row, store.Null)
		case c.Kind == store.Text:
			row = append(row, store.String(fuzzTexts[s.pick(len(fuzzTexts))]))
		case c.Kind == store.Boolean:
			row = append(row, store.Bool(s.pick(2) == 0))
		default:
			row = append(row, store.Int(int64(s.pick(6)-1)))
		}
	}
	return row
}

func (s *source) column() string { return fuzzed.Columns[s.pick(len(fuzzed.Columns))].Name }

func (s *source) cond(depth int) store.Cond {
	n := 12
	if depth == 0 {
		n = 8 // no more nesting
	}
	switch s.pick(n) {
	case 0:
		return store.Equal(s.column(), s.value(true))
	case 1:
		return store.NotEqual(s.column(), s.value(true))
	case 2:
		values := make([]store.Value, s.pick(4))
		for i := range values {
			values[i] = s.value(false)
		}
		return store.In(s.column(), values...)
	case 3:
		return store.Contains([]string{"name", "note"}[s.pick(2)], fuzzTexts[s.pick(len(fuzzTexts))])
	case 4:
		return store.EqualFold([]string{"name", "note"}[s.pick(2)], fuzzTexts[s.pick(len(fuzzTexts))])
	case 5:
		return store.AtLeast(s.column(), s.value(true))
	case 6:
		return store.AtMost(s.column(), s.value(true))
	case 7:
		return store.StartsWith("code", fuzzTexts[s.pick(len(fuzzTexts))])
	case 8:
		return store.Not(s.cond(depth - 1))
	case 9:
		return store.All(s.conds(depth - 1)...)
	case 10:
		return store.Any(s.conds(depth - 1)...)
	default:
		return store.InQuery(s.column(), fuzzed, s.column(), s.conds(depth-1)...)
	}
}

func (s *source) conds(depth int) []store.Cond {
	conds := make([]store.Cond, s.pick(3))
	for i := range conds {
		conds[i] = s.cond(depth)
	}
	return conds
}

func (s *source) query() *store.Query {
	q := &store.Query{Where: s.conds(3), Limit: s.pick(6), Offset: s.pick(4)}
	for range s.pick(3) {
		o := store.Order{Column: s.column(), Desc: s.pick(2) == 0}
		if s.pick(3) == 0 {
			o.Via = &store.Via{Column: []string{"n", "id"}[s.pick(2)], Schema: fuzzed}
		}
		q.Order = append(q.Order, o)
	}
	return q
}

// FuzzQuery holds random queries over a small table against [store.Match], and
// their order against the rules of [store.Query].
func FuzzQuery(f *testing.F) {
	f.Add([]byte{})
	random := rand.New(rand.NewPCG(1, 2))
	for n := range 400 { // also without fuzzing; a short run of the target tries 500 in all
		seed := make([]byte, n%250)
		for i := range seed {
			seed[i] = byte(random.Uint32())
		}
		f.Add(seed)
	}
	ctx := context.Background()
	st, err := sqlite.Open(ctx, filepath.Join(f.TempDir(), "fuzz.db"), nil)
	if err == nil {
		err = st.Migrate(ctx, fuzzed)
	}
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { st.Close() })

	f.Fuzz(func(t *testing.T, data []byte) {
		s := &source{data}
		rows := make([][]store.Value, s.pick(12))
		for i := range rows {
			rows[i] = s.row(i)
		}
		if len(rows) > 0 {
			rows = rows[1:] // no key is 0
		}
		q := s.query()
		var got [][]store.Value
		var total, deleted int64
		errUndo := fmt.Errorf("undo")
		err := st.Update(ctx, func(_ context.Context, tx store.Tx) (err error) {
			for _, row := range rows {
				if _, err := tx.Insert(fuzzed, row); err != nil {
					return err
				}
			}
			total, err = tx.Page(fuzzed.All(), q, func(row []store.Value) error {
				got = append(got, slices.Clone(row))
				return nil
			})
			if err != nil {
				return err
			}
			if deleted, err = tx.Delete(fuzzed, q.Where); err != nil {
				return err
			}
			return errUndo
		})
		if err != errUndo {
			t.Fatalf("%+v: %v", q, err)
		}
		want, all := expect(rows, q)
		if diff := cmp.Diff(want, got); diff != "" || total != all || deleted != all {
			t.Errorf("%+v\ntotal %d, deleted %d, want %d; rows (-want +got):\n%s", q, total, deleted, all, diff)
		}
	})
}

// expect evaluates a query in Go.
func expect(rows [][]store.Value, q *store.Query) (page [][]store.Value, total int64) {
	var members store.Members
	members = func(sub *store.Sub, v store.Value) bool {
		return slices.ContainsFunc(rows, func(row []store.Value) bool {
			return row[fuzzed.Index(sub.Column)] == v && store.Match(fuzzed, row, sub.Where, members)
		})
	}
	for _, row := range rows {
		if store.Match(fuzzed, row, q.Where, members) {
			page = append(page, row)
		}
	}
	slices.SortFunc(page, func(a, b []store.Value) int {
		desc := false
		for _, o := range q.Order {
			desc = o.Desc
			if c := orderValue(rows, a, o).Compare(orderValue(rows, b, o)); c != 0 {
				return flip(c, desc)
			}
		}
		return flip(a[0].Compare(b[0]), desc)
	})
	total = int64(len(page))
	page = page[min(q.Offset, len(page)):]
	if q.Limit > 0 {
		page = page[:min(q.Limit, len(page))]
	}
	if len(page) == 0 {
		page = nil
	}
	return page, total
}

func flip(c int, desc bool) int {
	if desc {
		return -c
	}
	return c
}

func orderValue(rows [][]store.Value, row []store.Value, o store.Order) store.Value {
	if o.Via != nil {
		key := row[fuzzed.Index(o.Via.Column)]
		i := slices.IndexFunc(rows, func(row []store.Value) bool { return row[0] == key })
		if i < 0 {
			return store.Null
		}
		row = rows[i]
	}
	i := fuzzed.Index(o.Column)
	v := row[i]
	if fuzzed.Columns[i].Fold && !v.IsNull() {
		return store.String(store.Fold(v.Text()))
	}
	return v
}
