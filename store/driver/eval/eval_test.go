package eval_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver/eval"
)

var pots = mustSchema()

func mustSchema() *store.Schema {
	s, err := store.NewSchema("pots", []store.Column{
		{Name: "id", Kind: store.Integer},
		{Name: "size", Kind: store.Integer, Null: true},
		{Name: "name", Kind: store.Text, Fold: true},
	})
	if err != nil {
		panic(err)
	}
	return s
}

func value(r *rand.Rand) store.Value {
	return []store.Value{store.Null, store.Int(r.Int64N(4)), store.String([]string{"", "a", "A", "Ab", "é"}[r.IntN(5)])}[r.IntN(3)]
}

// cond makes a random condition.
func cond(r *rand.Rand, depth int) store.Cond {
	column := pots.Columns[r.IntN(3)].Name
	switch n := r.IntN(11); {
	case n == 0:
		return store.Equal(column, value(r))
	case n == 1:
		return store.NotEqual(column, value(r))
	case n == 2:
		return store.In(column, value(r), value(r))
	case n == 3:
		return store.Contains("name", []string{"", "a", "B", "É"}[r.IntN(4)])
	case n == 4:
		return store.EqualFold("name", "AB")
	case n == 5:
		return store.AtLeast(column, value(r))
	case n == 6:
		return store.AtMost(column, value(r))
	case n == 7:
		return store.InQuery(column, pots, "size")
	case n == 8 && depth > 0:
		return store.Not(cond(r, depth-1))
	case n == 9 && depth > 0:
		return store.All(cond(r, depth-1), cond(r, depth-1))
	case n == 10 && depth > 0:
		return store.Any(cond(r, depth-1), cond(r, depth-1))
	}
	return store.Less(column, value(r))
}

func TestMatchIsThatOfPackageStore(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	members := eval.Set{store.Int(1): {}, store.String("a"): {}}
	isMember := func(_ *store.Sub, v store.Value) bool { _, ok := members[v]; return ok }
	matched := 0
	for range 5000 {
		where := []store.Cond{cond(r, 3)}
		conds, err := eval.Prepare(pots, where, func(*store.Sub) (eval.Set, error) { return members, nil })
		if err != nil {
			t.Fatal(err)
		}
		row := []store.Value{store.Int(r.Int64N(4)), value(r), value(r)}
		folded := slices.Clone(row)
		folded[2] = eval.Fold(row[2])
		want := store.Match(pots, row, where, isMember)
		if got := eval.Match(conds, row, folded); got != want {
			t.Fatalf("%+v on %v: %v, want %v", where, row, got, want)
		}
		if want {
			matched++
		}
	}
	if matched < 500 || matched > 4500 {
		t.Errorf("%d of 5000 rows match: the conditions are of no use", matched)
	}
}

func TestPrepareRefuses(t *testing.T) {
	for _, where := range []store.Cond{
		store.Equal("weight", store.Int(1)),
		store.Not(store.Equal("weight", store.Int(1))),
		{Op: store.OpContains, Column: "size", Values: []store.Value{store.String("a")}},
		{Op: 99, Column: "size"},
	} {
		if _, err := eval.Prepare(pots, []store.Cond{where}, nil); err == nil {
			t.Errorf("%+v is prepared", where)
		}
	}
}

func ExampleCompare() {
	order := []store.Order{store.Desc("name")}
	rows := []eval.Position{
		{By: []store.Value{store.String("bowl")}, Key: 1},
		{By: []store.Value{store.String("jug")}, Key: 2},
		{By: []store.Value{store.String("jug")}, Key: 3},
	}
	slices.SortFunc(rows, func(a, b eval.Position) int { return eval.Compare(order, a, b) })
	for _, p := range rows {
		fmt.Println(p.By[0].Text(), p.Key)
	}
	// Output:
	// jug 3
	// jug 2
	// bowl 1
}
