package storetest

import (
	"context"
	"errors"
	"testing"

	"github.com/shopapi/shopapi/store"
)

var rowCases = []testCase{
	{"GetReturnsWhatWasInserted", testGet},
	{"GetOfAMissingKeyIsErrNotFound", testGetMissing},
	{"AProjectionReadsItsColumnsInItsOrder", testProjection},
	{"AProjectionReadsColumnsOfTheRowsReferredTo", testJoined},
	{"UpdateReplacesTheRow", testReplace},
	{"UpdateOfAMissingRowIsErrNotFound", testReplaceMissing},
	{"DeleteRemovesWhatMatches", testDelete},
	{"ReplacePrefixesWritesOtherBeginnings", testReplacePrefixes},
	{"SetWritesANumberIntoManyRows", testSet},
	{"AlterChangesRowsAsTheyAreStored", testAlter},
	{"AlterChangesManyRows", testAlterMany},
	{"InsertAllAddsRowsInTheirOrder", testInsertAll},
	{"AppendAddsRowsInTheirOrder", testAppend},
	{"TheRowGivenStaysTheCallers", testCallersRow},
	{"SelectStopsAtTheFirstError", testStop},
	{"EachMayRead", testNested},
	{"TextsStayGoodAfterTheCallback", testTextsAfterCallback},
	{"TablesAreApart", testTwoTables},
}

func testGet(t *testing.T, st store.Store) {
	migrate(t, st, items.Schema())
	want := insert(t, st, items, item{
		GroupID: 7, ParentID: new(int64(-3)), Order: 1, Rank: new(int64(0)), Name: "Tea", Nick: new(""), Code: "007",
		Note: new("n"), Active: true, Shown: new(false), Price: amount("12.30"), Discount: new(amount("-0.0001")),
		Options: jsonText(`{"a": [1, 2]}`), Extra: new(jsonText("null")),
	}, item{Price: amount("0.00"), Options: jsonText("[]")})
	view(t, st, func(_ context.Context, tx store.Tx) error {
		for _, row := range want {
			got, err := items.Get(tx, row.ItemID)
			if err != nil {
				return err
			}
			same(t, "Get returns the row as it was inserted, nulls as nulls", row, got)
		}
		return nil
	})
	same(t, "Select returns rows as they were inserted", want, list(t, st, items, store.Query{}))
}

func testGetMissing(t *testing.T, st store.Store) {
	migrate(t, st, items.Schema())
	insert(t, st, items, item{})
	for name, run := range map[string]func(context.Context, func(context.Context, store.Tx) error) error{
		"View": st.View, "Update": st.Update,
	} {
		err := run(t.Context(), func(_ context.Context, tx store.Tx) error {
			for _, key := range []int64{0, 2, -1, 1 << 62} {
				if _, err := items.Get(tx, key); !errors.Is(err, store.ErrNotFound) {
					t.Errorf("%s: Get of the missing key %d: %v, want ErrNotFound", name, key, err)
				}
				if found, err := items.Exists(tx, key); found || err != nil {
					t.Errorf("%s: Exists of the missing key %d: %v, %v", name, key, found, err)
				}
			}
			_, err := items.Get(tx, 1)
			return err
		})
		if err != nil {
			t.Errorf("%s: a Get that found nothing does not end the transaction: %v", name, err)
		}
	}
}

func testProjection(t *testing.T, st store.Store) {
	migrate(t, st, items.Schema())
	insert(t, st, items, item{Name: "Tea", Code: "T", Order: 5, Active: true})
	p, err := items.Schema().Project("code", "order", "nick", "item_id", "name")
	if err != nil {
		t.Fatal(err)
	}
	want := []store.Value{store.String("T"), store.Int(5), store.Null, store.Int(1), store.String("Tea")}
	view(t, st, func(_ context.Context, tx store.Tx) error {
		row := make([]store.Value, len(p.Columns))
		if err := tx.Get(p, 1, row); err != nil {
			return err
		}
		same(t, "Get fills the row in the projection's order", want, row)
		return tx.Select(p, &store.Query{}, func(row []store.Value) error {
			same(t, "Select fills the row in the projection's order", want, row)
			return nil
		})
	})
	narrow := store.Project[struct {
		Name   string `json:"name"`
		ItemID int64  `json:"item_id"`
	}](items)
	view(t, st, func(_ context.Context, tx store.Tx) error {
		got, err := narrow.Get(tx, 1)
		if got.Name != "Tea" || got.ItemID != 1 {
			t.Errorf("a narrower struct reads %+v", got)
		}
		return err
	})
}

// Every part of a query has the names of the rows, however the joined ones are called.
func testJoined(t *testing.T, st store.Store) {
	migrate(t, st, items.Schema(), table.Schema())
	insert(t, st, table, group{GroupID: 7, Title: "Drinks", Select: new(int64(3))}, group{GroupID: 8, Title: "Food"})
	insert(t, st, items,
		item{Name: "Tea", GroupID: 7, Order: 2},
		item{Name: "Bread", GroupID: 8, Order: 1, ParentID: new(int64(1))},
		item{Name: "Lost", GroupID: 9, Order: 3, ParentID: new(int64(2))})
	type grouped struct {
		ItemID  int64  `json:"item_id"`
		GroupID int64  `json:"group_id"`
		Title   string `json:"title"`
		Select  *int64 `json:"select"`
	}
	withGroup := store.ProjectVia[grouped](items, "group_id", table.Schema())
	tea, bread, lost := grouped{1, 7, "Drinks", new(int64(3))}, grouped{2, 8, "Food", nil}, grouped{3, 9, "", nil}
	withParent := &store.Projection{Schema: items.Schema(), Columns: []int{0}, Joined: []store.Joined{
		{Via: store.Via{Column: "parent_id", Schema: items.Schema()}, Columns: []int{items.Schema().Index("name"), items.Schema().Index("options")}},
		{Via: store.Via{Column: "group_id", Schema: table.Schema()}, Columns: []int{table.Schema().Index("title")}},
	}}
	view(t, st, func(_ context.Context, tx store.Tx) error {
		for _, c := range []struct {
			q    store.Query
			want []grouped
		}{
			{store.Query{}, []grouped{tea, bread, lost}},
			{store.Query{Order: []store.Order{store.Desc("order")}, Limit: 2}, []grouped{lost, tea}},
			{store.Query{Where: []store.Cond{store.InInts("group_id", 7, 9), store.Contains("name", "t")}, Order: []store.Order{store.Asc("group_id")}, Offset: 1, Limit: 5}, []grouped{lost}},
			{store.Query{Where: []store.Cond{store.InQuery("group_id", table.Schema(), "group_id", store.Equal("title", store.String("Food")))}}, []grouped{bread}},
			{store.Query{Order: []store.Order{viaGroup("title", false)}}, []grouped{lost, tea, bread}},
		} {
			got, err := withGroup.Select(tx, c.q)
			if err != nil {
				return err
			}
			same(t, "rows with columns of those that they refer to", c.want, got)
		}
		page, total, err := withGroup.Page(tx, store.Query{Limit: 1, Offset: 1})
		if err != nil {
			return err
		}
		same(t, "a page of them", []grouped{bread}, page)
		same(t, "their number", int64(3), total)
		one, err := withGroup.Get(tx, 3)
		same(t, "a row that refers to none", lost, one)
		if err != nil {
			return err
		}
		row := make([]store.Value, withParent.Width())
		if err := tx.Get(withParent, 2, row); err != nil {
			return err
		}
		same(t, "a row of the same table and one of another", []store.Value{store.Int(2), store.String("Tea"), store.String("[]"), store.String("Food")}, row)
		if err := tx.Get(withParent, 1, row); err != nil {
			return err
		}
		same(t, "null where there is no reference", []store.Value{store.Int(1), store.Null, store.Null, store.String("Drinks")}, row)
		return nil
	})
}

func testReplace(t *testing.T, st store.Store) {
	migrate(t, st, items.Schema())
	rows := insert(t, st, items,
		item{Name: "Tea", Nick: new("T"), Rank: new(int64(1)), Options: jsonText("[]"), Price: amount("1.00")},
		item{Name: "Coffee", Options: jsonText("[]"), Price: amount("2.00")})
	rows[0].Name, rows[0].Nick, rows[0].Rank, rows[0].Note = "MILK", nil, new(int64(9)), new("new")
	update(t, st, func(_ context.Context, tx store.Tx) error { return items.Update(tx, &rows[0]) })
	same(t, "Update replaces its row and no other", rows, list(t, st, items, store.Query{}))
	same(t, "searches find the new text", int64(1), count(t, st, items, store.Contains("name", "milk")))
	same(t, "searches no longer find the old text", int64(0), count(t, st, items, store.Contains("name", "tea")))
}

func testReplaceMissing(t *testing.T, st store.Store) {
	migrate(t, st, items.Schema())
	insert(t, st, items, item{Name: "Tea"})
	err := st.Update(t.Context(), func(_ context.Context, tx store.Tx) error {
		return items.Update(tx, &item{ItemID: 2, Name: "ghost"})
	})
	if !errors.Is(err, store.ErrNotFound) {
		t.Errorf("Update of a missing row: %v, want ErrNotFound", err)
	}
	err = st.Update(t.Context(), func(_ context.Context, tx store.Tx) error { return items.DeleteKey(tx, 2) })
	if !errors.Is(err, store.ErrNotFound) {
		t.Errorf("DeleteKey of a missing row: %v, want ErrNotFound", err)
	}
	same(t, "nothing was added", int64(1), count(t, st, items))
}

func testDelete(t *testing.T, st store.Store) {
	for _, c := range []struct {
		rule  string
		where []store.Cond
		left  []int64
	}{
		{"by key", []store.Cond{store.Equal("item_id", store.Int(2))}, []int64{1, 3, 4}},
		{"by keys", []store.Cond{store.InInts("item_id", 4, 1, 9)}, []int64{2, 3}},
		{"by text", []store.Cond{store.EqualFold("name", "TEA")}, []int64{2, 3, 4}},
		{"two conditions", []store.Cond{store.Contains("name", "ff"), store.Equal("active", store.Bool(true))}, []int64{1, 3, 4}},
		{"not", []store.Cond{store.Not(store.Equal("active", store.Bool(true)))}, []int64{2, 4}},
		{"by a query of the same table", []store.Cond{store.InQuery("item_id", items.Schema(), "parent_id")}, []int64{2, 3, 4}},
		{"nothing", []store.Cond{store.In("item_id")}, []int64{1, 2, 3, 4}},
		{"everything", nil, []int64{}},
	} {
		t.Run(c.rule, func(t *testing.T) {
			migrate(t, st, items.Schema())
			update(t, st, func(_ context.Context, tx store.Tx) error {
				_, err := items.Delete(tx)
				return err
			})
			insert(t, st, items, item{ItemID: 1, Name: "Tea"}, item{ItemID: 2, Name: "Coffee", Active: true},
				item{ItemID: 3, Name: "Milk", ParentID: new(int64(1))}, item{ItemID: 4, Name: "Juice", Active: true})
			var n int64
			update(t, st, func(_ context.Context, tx store.Tx) (err error) {
				n, err = items.Delete(tx, c.where...)
				return err
			})
			same(t, "Delete removes the rows that match all conditions", c.left, keys(list(t, st, items, store.Query{})))
			same(t, "Delete says how many", int64(4-len(c.left)), n)
		})
	}
}

func testCallersRow(t *testing.T, st store.Store) {
	migrate(t, st, counters.Schema())
	update(t, st, func(_ context.Context, tx store.Tx) error {
		row := []store.Value{store.Int(0), store.Int(1)}
		for n := range int64(3) {
			row[0], row[1] = store.Int(0), store.Int(n)
			if _, err := tx.Insert(counters.Schema(), row); err != nil {
				return err
			}
			same(t, "Insert does not write to the row that it was given", store.Int(0), row[0])
		}
		row[0], row[1] = store.Int(2), store.Int(20)
		if err := tx.Update(counters.Schema(), row); err != nil {
			return err
		}
		row[0], row[1] = store.Int(99), store.Int(99)
		return nil
	})
	same(t, "a row changed after Insert or Update does not change the table",
		[]counter{{1, 0}, {2, 20}, {3, 2}}, list(t, st, counters, store.Query{}))
}

func testStop(t *testing.T, st store.Store) {
	migrate(t, st, counters.Schema())
	insert(t, st, counters, make([]counter, 10)...)
	view(t, st, func(_ context.Context, tx store.Tx) error {
		for name, read := range map[string]func(func([]store.Value) error) error{
			"Select": func(each func([]store.Value) error) error {
				return tx.Select(counters.Schema().All(), &store.Query{}, each)
			},
			"Page": func(each func([]store.Value) error) error {
				_, err := tx.Page(counters.Schema().All(), &store.Query{Limit: 5}, each)
				return err
			},
		} {
			calls := 0
			err := read(func([]store.Value) error {
				if calls++; calls == 3 {
					return errTest
				}
				return nil
			})
			if calls != 3 || !errors.Is(err, errTest) {
				t.Errorf("%s called each %d times and returned %v, want 3 and its error", name, calls, err)
			}
		}
		n, err := counters.Count(tx)
		same(t, "a read after one that stopped", int64(10), n)
		return err
	})
}

func testNested(t *testing.T, st store.Store) {
	migrate(t, st, counters.Schema())
	insert(t, st, counters, make([]counter, 5)...)
	read := func(_ context.Context, tx store.Tx) error {
		all, seen := counters.Schema().All(), 0
		err := tx.Select(all, &store.Query{}, func(outer []store.Value) error {
			key := outer[0]
			inner := 0
			err := tx.Select(all, &store.Query{}, func([]store.Value) error { inner++; return nil })
			if err != nil {
				return err
			}
			same(t, "the same read inside each sees all rows", 5, inner)
			if _, err := counters.Get(tx, key.Int()); err != nil {
				return err
			}
			if _, err := counters.Count(tx); err != nil {
				return err
			}
			seen++
			same(t, "a read inside each leaves the outer row alone", key, outer[0])
			return nil
		})
		same(t, "a read inside each leaves the outer read alone", 5, seen)
		return err
	}
	view(t, st, read)
	update(t, st, read)
}

func testTextsAfterCallback(t *testing.T, st store.Store) {
	migrate(t, st, items.Schema())
	insert(t, st, items, item{Name: "first", Code: "1"}, item{Name: "second", Code: "2"}, item{Name: "third", Code: "3"})
	var texts []string
	update(t, st, func(_ context.Context, tx store.Tx) error {
		texts = nil
		err := tx.Select(items.Schema().All(), &store.Query{}, func(row []store.Value) error {
			texts = append(texts, row[items.Schema().Index("name")].Text(), row[items.Schema().Index("code")].Text())
			return nil
		})
		if err != nil {
			return err
		}
		_, err = items.Delete(tx)
		return err
	})
	same(t, "texts stay good after the callback", []string{"first", "1", "second", "2", "third", "3"}, texts)
}

func testTwoTables(t *testing.T, st store.Store) {
	migrate(t, st, items.Schema(), table.Schema())
	insert(t, st, items, item{Name: "Tea"}, item{Name: "Milk"})
	added := insert(t, st, table, group{Title: "Drinks"})
	same(t, "each table counts its own keys", int64(1), added[0].GroupID)
	update(t, st, func(_ context.Context, tx store.Tx) error {
		_, err := items.Delete(tx)
		return err
	})
	same(t, "Delete leaves other tables alone", int64(1), count(t, st, table))
}
