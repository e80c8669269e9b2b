package storetest

import (
	"context"
	"math"
	"testing"

	"github.com/shopapi/shopapi/store"
)

var orderCases = []testCase{
	{"Order", testOrder},
	{"TextOrdersByItsBytes", testByteOrder},
	{"AFoldColumnOrdersByItsFoldedForm", testFoldOrder},
}

var pageCases = []testCase{
	{"LimitAndOffset", testLimits},
	{"TheTotalIgnoresLimitAndOffset", testTotal},
	{"FirstIsTheFirst", testFirst},
}

func testOrder(t *testing.T, st store.Store) {
	migrate(t, st, items.Schema(), table.Schema())
	insert(t, st, items,
		item{GroupID: 2, Rank: new(int64(5)), Name: "b", Active: true, Price: amount("2.00"), ParentID: new(int64(3))},
		item{GroupID: 1, Name: "B", Price: amount("10.00"), ParentID: new(int64(1))},
		item{GroupID: 9, Rank: new(int64(-5)), Name: "a", Price: amount("-3.00"), ParentID: new(int64(77))},
		item{GroupID: 1, Name: "A", Active: true, Price: amount("9.00")},
		item{GroupID: 3, Rank: new(int64(5)), Name: "c", Price: amount("0.00"), ParentID: new(int64(2))},
	)
	insert(t, st, table, group{Title: "zeta", Select: new(int64(1))}, group{Title: "Alpha"}, group{Title: "beta", Select: new(int64(-1))})
	asc, desc := store.Asc, store.Desc
	for _, c := range []struct {
		rule  string
		order []store.Order
		want  []int64
	}{
		{"no terms order by key", nil, []int64{1, 2, 3, 4, 5}},
		{"the key", []store.Order{asc("item_id")}, []int64{1, 2, 3, 4, 5}},
		{"the key descending", []store.Order{desc("item_id")}, []int64{5, 4, 3, 2, 1}},
		{"nulls come first ascending, ties by ascending key", []store.Order{asc("rank")}, []int64{2, 4, 3, 1, 5}},
		{"nulls come last descending, ties by descending key", []store.Order{desc("rank")}, []int64{5, 1, 3, 4, 2}},
		{"flags", []store.Order{asc("active")}, []int64{2, 3, 5, 1, 4}},
		{"flags descending", []store.Order{desc("active")}, []int64{4, 1, 5, 3, 2}},
		{"amounts by size", []store.Order{asc("price")}, []int64{3, 5, 1, 4, 2}},
		{"folded text", []store.Order{asc("name")}, []int64{3, 4, 1, 2, 5}},
		{"folded text descending", []store.Order{desc("name")}, []int64{5, 2, 1, 4, 3}},
		{"two terms, the key in the direction of the last", []store.Order{desc("rank"), asc("active")}, []int64{5, 1, 3, 2, 4}},
		{"two terms, the last descending", []store.Order{asc("rank"), desc("active")}, []int64{4, 2, 3, 1, 5}},
		{"two terms, ties in the direction of the last", []store.Order{asc("active"), desc("group_id")}, []int64{3, 5, 2, 1, 4}},
		{"ties of two terms fall to the key descending", []store.Order{asc("name"), desc("options")}, []int64{4, 3, 2, 1, 5}},
		{"the key breaks ties", []store.Order{desc("item_id"), asc("name")}, []int64{5, 4, 3, 2, 1}},
		{"the key as a later term", []store.Order{asc("active"), desc("item_id")}, []int64{5, 3, 2, 4, 1}},
		{"through a reference, missing targets as null", []store.Order{viaGroup("title", false)}, []int64{3, 1, 5, 2, 4}},
		{"through a reference descending", []store.Order{viaGroup("title", true)}, []int64{4, 2, 5, 1, 3}},
		{"a null and a missing target tie", []store.Order{viaGroup("select", false)}, []int64{1, 3, 5, 2, 4}},
		{"through a reference, then a column", []store.Order{viaGroup("select", true), asc("name")}, []int64{4, 2, 5, 3, 1}},
		{"a column, then through a reference", []store.Order{asc("active"), viaGroup("title", true)}, []int64{2, 5, 3, 4, 1}},
		{"through a null reference to the same table", []store.Order{viaParent("name", false)}, []int64{3, 4, 1, 2, 5}},
		{"to the same table descending", []store.Order{viaParent("name", true)}, []int64{5, 2, 1, 4, 3}},
		{"through two references", []store.Order{viaParent("rank", false), viaGroup("title", true)}, []int64{4, 5, 3, 1, 2}},
		{"the key of a target", []store.Order{viaGroup("group_id", true)}, []int64{5, 1, 4, 2, 3}},
	} {
		t.Run(c.rule, func(t *testing.T) {
			same(t, "Select orders", c.want, keys(list(t, st, items, store.Query{Order: c.order})))
			view(t, st, func(_ context.Context, tx store.Tx) error {
				for offset := range c.want {
					page, _, err := items.Page(tx, store.Query{Order: c.order, Limit: 2, Offset: offset})
					if err != nil {
						return err
					}
					same(t, "pages cut the same order", c.want[offset:min(offset+2, len(c.want))], keys(page))
				}
				return nil
			})
			where := []store.Cond{store.InInts("item_id", 1, 3, 4)}
			var want []int64
			for _, key := range c.want {
				if key != 2 && key != 5 {
					want = append(want, key)
				}
			}
			same(t, "conditions keep the order", want, keys(list(t, st, items, store.Query{Where: where, Order: c.order})))
		})
	}
}

func testByteOrder(t *testing.T, st store.Store) {
	migrate(t, st, items.Schema())
	sorted := []string{"", " ", "!", "0", "10", "9", "A", "B", "Z", "_", "a", "a ", "aa", "b", "é", "\uffff", "\U00010000"}
	for i := range sorted {
		text := sorted[(i*7)%len(sorted)]
		insert(t, st, items, item{Code: text, Note: &text})
	}
	for _, column := range []string{"code", "note"} {
		var got []string
		for _, row := range list(t, st, items, store.Query{Order: []store.Order{store.Asc(column)}}) {
			got = append(got, row.Code)
		}
		same(t, "text orders by its bytes in "+column, sorted, got)
	}
}

func testFoldOrder(t *testing.T, st store.Store) {
	migrate(t, st, items.Schema())
	for _, text := range []string{"b", "STRASSE", "A", "É", "straßen", "a", "Ж", "straße", "B", "e\u0301a", "ж"} {
		insert(t, st, items, item{Name: text, Nick: &text})
	}
	insert(t, st, items, item{Name: "", Nick: nil})
	want := []string{"", "A", "a", "b", "B", "STRASSE", "straße", "straßen", "É", "e\u0301a", "Ж", "ж"}
	for _, column := range []string{"name", "nick"} {
		var got []string
		for _, row := range list(t, st, items, store.Query{Order: []store.Order{store.Asc(column)}}) {
			got = append(got, row.Name)
		}
		same(t, "texts that fold to the same tie in "+column, want, got)
	}
}

func testLimits(t *testing.T, st store.Store) {
	migrate(t, st, items.Schema())
	insert(t, st, items, make([]item, 5)...)
	for _, c := range []struct {
		limit, offset int
		want          []int64
	}{
		{0, 0, []int64{1, 2, 3, 4, 5}},
		{2, 0, []int64{1, 2}},
		{2, 3, []int64{4, 5}},
		{2, 4, []int64{5}},
		{2, 5, []int64{}},
		{2, math.MaxInt, []int64{}},
		{0, 3, []int64{4, 5}},
		{0, 9, []int64{}},
		{5, 0, []int64{1, 2, 3, 4, 5}},
		{math.MaxInt, 1, []int64{2, 3, 4, 5}},
	} {
		q := store.Query{Limit: c.limit, Offset: c.offset}
		if diff := keys(list(t, st, items, q)); len(diff) != len(c.want) || len(diff) > 0 && diff[0] != c.want[0] {
			t.Errorf("limit %d, offset %d: rows %v, want %v", c.limit, c.offset, diff, c.want)
		}
		view(t, st, func(_ context.Context, tx store.Tx) error {
			page, total, err := items.Page(tx, q)
			same(t, "a page is cut as a selection is", c.want, keys(page))
			same(t, "a page past the end has the total too", int64(5), total)
			return err
		})
	}
}

func testTotal(t *testing.T, st store.Store) {
	migrate(t, st, items.Schema())
	insert(t, st, items, item{Name: "Tea"}, item{Name: "tea"}, item{Name: "Coffee"}, item{Name: "TEA"}, item{Name: "green tea"})
	where := []store.Cond{store.Contains("name", "tea")}
	for _, order := range [][]store.Order{nil, {store.Desc("item_id")}, {store.Asc("name")}, {viaParent("name", true)}} {
		for _, limit := range []int{0, 1, 2, 4, 10} {
			for _, offset := range []int{0, 1, 4, 100} {
				view(t, st, func(_ context.Context, tx store.Tx) error {
					page, total, err := items.Page(tx, store.Query{Where: where, Order: order, Limit: limit, Offset: offset})
					same(t, "the total counts all that match", int64(4), total)
					size := max(0, 4-offset)
					if limit > 0 {
						size = min(size, limit)
					}
					same(t, "the page has its part of them", size, len(page))
					return err
				})
			}
		}
	}
	remove := func(tx store.Tx) (int64, int64, error) {
		if _, err := items.Delete(tx, store.Equal("item_id", store.Int(1))); err != nil {
			return 0, 0, err
		}
		n, err := items.Count(tx, where...)
		if err != nil {
			return 0, 0, err
		}
		_, total, err := items.Page(tx, store.Query{Where: where, Limit: 1})
		return n, total, err
	}
	err := st.Update(t.Context(), func(_ context.Context, tx store.Tx) error {
		n, total, err := remove(tx)
		same(t, "Count sees the changes of its own transaction", int64(3), n)
		same(t, "the total sees the changes of its own transaction", int64(3), total)
		if err != nil {
			return err
		}
		return errTest
	})
	same(t, "the transaction is rolled back", errTest.Error(), err.Error())
	same(t, "a total forgets what was rolled back", int64(4), count(t, st, items, where...))
}

func testFirst(t *testing.T, st store.Store) {
	migrate(t, st, items.Schema())
	insert(t, st, items, item{Name: "b"}, item{Name: "a"})
	view(t, st, func(_ context.Context, tx store.Tx) error {
		row, err := items.First(tx, store.Query{Order: []store.Order{store.Asc("name")}})
		same(t, "First reads the first row", "a", row.Name)
		if _, none := items.First(tx, store.Query{Where: []store.Cond{store.Any()}}); none != store.ErrNotFound {
			t.Errorf("First of no rows: %v, want ErrNotFound", none)
		}
		return err
	})
}
