package storetest

import (
	"context"
	"testing"

	"github.com/shopapi/shopapi/store"
)

var sparseCases = []testCase{
	{"RowsThatAreNotInTheIndexAreFound", testSparse},
	{"AlsoWhereTheIndexHadAllRows", testSparseLater},
}

// A caller may leave out the texts, or one of them.
type caller struct {
	CallerID int64   `json:"caller_id,string" store:"key"`
	Phone    string  `json:"phone" store:"fold"`
	Nick     *string `json:"nick" store:"fold"`
	Code     string  `json:"code"`
}

var (
	sparseCallers = store.MustTable[caller]("callers", store.Index{Columns: []string{"phone"}, Sparse: true},
		store.Index{Columns: []string{"nick"}, Sparse: true}, store.Index{Columns: []string{"code"}, Sparse: true})
	fullCallers = store.MustTable[caller]("callers", store.Index{Columns: []string{"phone"}},
		store.Index{Columns: []string{"nick"}}, store.Index{Columns: []string{"code"}})
)

func testSparse(t *testing.T, st store.Store) {
	migrate(t, st, sparseCallers.Schema())
	testFoundCallers(t, st)
}

func testSparseLater(t *testing.T, st store.Store) {
	migrate(t, st, fullCallers.Schema())
	testFoundCallers(t, st)
	migrate(t, st, sparseCallers.Schema())
	testFoundCallers(t, st)
	migrate(t, st, fullCallers.Schema())
	testFoundCallers(t, st)
}

// testFoundCallers looks for texts, also empty ones, in rows with and without texts.
func testFoundCallers(t *testing.T, st store.Store) {
	t.Helper()
	update(t, st, func(_ context.Context, tx store.Tx) error {
		_, err := sparseCallers.Delete(tx)
		return err
	})
	insert(t, st, sparseCallers, caller{CallerID: 1}, caller{CallerID: 2, Phone: "Ab", Nick: new("Ab"), Code: "Ab"},
		caller{CallerID: 3, Phone: "abc", Nick: new(""), Code: "abc"}, caller{CallerID: 4, Nick: new("ABC")})
	empty, ab := store.String(""), store.String("Ab")
	for _, c := range []struct {
		rule                string
		cond                func(column string) store.Cond
		phones, nicks, code []int64
	}{
		{"is empty", func(s string) store.Cond { return store.Equal(s, empty) }, []int64{1, 4}, []int64{3}, []int64{1, 4}},
		{"is a text", func(s string) store.Cond { return store.Equal(s, ab) }, []int64{2}, []int64{2}, []int64{2}},
		{"is a text or empty", func(s string) store.Cond { return store.In(s, ab, empty) }, []int64{1, 2, 4}, []int64{2, 3}, []int64{1, 2, 4}},
		{"is one of texts", func(s string) store.Cond { return store.In(s, ab, store.String("abc")) }, []int64{2, 3}, []int64{2}, []int64{2, 3}},
		{"is another text", func(s string) store.Cond { return store.NotEqual(s, ab) }, []int64{1, 3, 4}, []int64{1, 3, 4}, []int64{1, 3, 4}},
		{"is not empty", func(s string) store.Cond { return store.NotEqual(s, empty) }, []int64{2, 3}, []int64{1, 2, 4}, []int64{2, 3}},
		{"is not the text", func(s string) store.Cond { return store.Not(store.Equal(s, ab)) }, []int64{1, 3, 4}, []int64{1, 3, 4}, []int64{1, 3, 4}},
		{"is empty or a text", func(s string) store.Cond { return store.Any(store.Equal(s, empty), store.Equal(s, ab)) }, []int64{1, 2, 4}, []int64{2, 3}, []int64{1, 2, 4}},
		{"is empty but for case", func(s string) store.Cond { return store.EqualFold(s, "") }, []int64{1, 4}, []int64{3}, nil},
		{"is a text but for case", func(s string) store.Cond { return store.EqualFold(s, "aB") }, []int64{2}, []int64{2}, nil},
		{"is another text but for case", func(s string) store.Cond { return store.Not(store.EqualFold(s, "aB")) }, []int64{1, 3, 4}, []int64{1, 3, 4}, nil},
		{"begins with nothing", func(s string) store.Cond { return store.BeginsFold(s, "") }, []int64{1, 2, 3, 4}, []int64{2, 3, 4}, nil},
		{"begins with a text", func(s string) store.Cond { return store.BeginsFold(s, "AB") }, []int64{2, 3}, []int64{2, 4}, nil},
		{"begins with another text", func(s string) store.Cond { return store.Not(store.BeginsFold(s, "AB")) }, []int64{1, 4}, []int64{1, 3}, nil},
		{"is empty, or begins with a text", func(s string) store.Cond { return store.Any(store.EqualFold(s, ""), store.BeginsFold(s, "abc")) }, []int64{1, 3, 4}, []int64{3, 4}, nil},
		{"contains nothing", func(s string) store.Cond { return store.Contains(s, "") }, []int64{1, 2, 3, 4}, []int64{2, 3, 4}, nil},
	} {
		for column, want := range map[string][]int64{"phone": c.phones, "nick": c.nicks, "code": c.code} {
			if want == nil {
				continue
			}
			for _, order := range []string{"caller_id", column} {
				q := store.Query{Where: []store.Cond{c.cond(column)}, Order: []store.Order{store.Asc(order), store.Asc("caller_id")}, Limit: 10}
				got := make(map[int64]bool)
				for _, r := range list(t, st, sparseCallers, q) {
					got[r.CallerID] = true
				}
				wanted := make(map[int64]bool)
				for _, id := range want {
					wanted[id] = true
				}
				same(t, column+" "+c.rule+", in the order of "+order, wanted, got)
			}
			same(t, "the count of: "+column+" "+c.rule, int64(len(want)), count(t, st, sparseCallers, c.cond(column)))
		}
	}
	for _, column := range []string{"phone", "nick", "code"} {
		rows := list(t, st, sparseCallers, store.Query{Order: []store.Order{store.Asc(column), store.Asc("caller_id")}})
		same(t, "an order by "+column+" has all rows", 4, len(rows))
	}
}
