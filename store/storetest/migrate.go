package storetest

import (
	"context"
	"sync"
	"testing"

	"github.com/govalues/decimal"
	"github.com/shopapi/shopapi/store"
)

var migrateCases = []testCase{
	{"TwiceIsAsGoodAsOnce", testMigrateTwice},
	{"ManyAtOnce", testMigrateAtOnce},
	{"OldRowsGetNewColumns", testMigrateColumns},
	{"KeysDoNotReturnAfterMigrate", testMigrateKeys},
	{"OldRowsGetNewIndexes", testMigrateIndexes},
	{"AColumnMayBeMarkedFoldLater", testMigrateFold},
	{"AnOlderProgramGoesOn", testMigrateOlder},
	{"FormerIndexesGo", testMigrateFormer},
	{"ReservedWordsAreNames", testReservedWords},
}

// A page is a row of the first edition of a program, a page2 of the second.
type page struct {
	PageID int64  `json:"page_id,string" store:"key"`
	Name   string `json:"name"`
}

type page2 struct {
	PageID  int64            `json:"page_id,string" store:"key"`
	Visits  int64            `json:"visits" store:"index"`
	Name    string           `json:"name" store:"fold"`
	Label   string           `json:"label" store:"fold"`
	Nick    *string          `json:"nick" store:"fold"`
	Code    string           `json:"code"`
	Note    *string          `json:"note"`
	Rank    *int64           `json:"rank"`
	Active  bool             `json:"active"`
	Price   decimal.Decimal  `json:"price" store:"scale=2"`
	Amount  *decimal.Decimal `json:"amount" store:"scale=2"`
	Options jsonText         `json:"options"`
	Extra   *jsonText        `json:"extra"`
}

var (
	pages  = store.MustTable[page]("pages")
	pages2 = store.MustTable[page2]("pages",
		store.Index{Columns: []string{"name", "code"}},
		store.Index{Columns: []string{"nick"}, Unique: true})
)

func testMigrateTwice(t *testing.T, st store.Store) {
	migrate(t, st, items.Schema(), table.Schema(), accounts.Schema())
	insert(t, st, items, item{Name: "Tea"})
	migrate(t, st, items.Schema(), counters.Schema())
	migrate(t, st)
	same(t, "Migrate leaves rows alone", int64(1), count(t, st, items))
	insert(t, st, counters, counter{N: 1})
}

func testMigrateAtOnce(t *testing.T, st store.Store) {
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if err := st.Migrate(t.Context(), items.Schema(), table.Schema(), accounts.Schema(), pages2.Schema()); err != nil {
				t.Errorf("Migrate: %v", err)
			}
		})
	}
	all.Wait()
	insert(t, st, items, item{Name: "Tea"})
	insert(t, st, pages2, page2{Name: "Home"})
}

func testMigrateColumns(t *testing.T, st store.Store) {
	migrate(t, st, pages.Schema())
	old := insert(t, st, pages, page{Name: "Home"}, page{Name: "About"})
	migrate(t, st, pages2.Schema())
	want := []page2{
		{PageID: old[0].PageID, Name: "Home", Options: jsonText("[]"), Price: amount("0.00")},
		{PageID: old[1].PageID, Name: "About", Options: jsonText("[]"), Price: amount("0.00")},
	}
	same(t, "rows that were there get Column.Zero", want, list(t, st, pages2, store.Query{}))
	for name, cond := range map[string]store.Cond{
		"number":              store.Equal("visits", store.Int(0)),
		"text":                store.Equal("code", store.String("")),
		"null text":           store.Equal("note", store.Null),
		"null number":         store.Equal("rank", store.Null),
		"flag":                store.Equal("active", store.Bool(false)),
		"amount":              store.AtMost("price", store.Int(0)),
		"document":            store.Equal("options", store.String("[]")),
		"folded text":         store.EqualFold("label", ""),
		"part of folded text": store.Contains("label", ""),
		"null folded text":    store.Not(store.Contains("nick", "")),
	} {
		same(t, "rows that were there are found by a new column: "+name, int64(2), count(t, st, pages2, cond))
	}
	insert(t, st, pages2, page2{Name: "News", Label: "NEW", Nick: new("N"), Visits: 5})
	same(t, "new rows are found by it too", int64(1), count(t, st, pages2, store.Contains("label", "new"), store.EqualFold("nick", "n")))
	var names []string
	for _, row := range list(t, st, pages2, store.Query{Order: []store.Order{store.Desc("label"), store.Asc("name")}}) {
		names = append(names, row.Name)
	}
	same(t, "new columns order", []string{"News", "About", "Home"}, names)
	same(t, "keys go on", []page{{4, "Jobs"}}, insert(t, st, pages, page{Name: "Jobs"}))
}

func testMigrateKeys(t *testing.T, st store.Store) {
	migrate(t, st, pages.Schema())
	insert(t, st, pages, page{Name: "Home"}, page{Name: "About"})
	update(t, st, func(_ context.Context, tx store.Tx) error {
		_, err := pages.Delete(tx)
		return err
	})
	migrate(t, st, pages2.Schema())
	same(t, "keys go on where they were before columns were added", int64(3), insert(t, st, pages2, page2{})[0].PageID)
}

func testMigrateIndexes(t *testing.T, st store.Store) {
	migrate(t, st, pages.Schema())
	insert(t, st, pages, page{Name: "Home"}, page{Name: "About"}, page{Name: "about"})
	unique := store.MustTable[page]("pages", store.Index{Columns: []string{"name"}, Unique: true})
	migrate(t, st, unique.Schema())
	err := st.Update(t.Context(), func(_ context.Context, tx store.Tx) error {
		return unique.Insert(tx, &page{Name: "Home"})
	})
	wantConflict(t, err, "pages", "name")
	same(t, "a new index covers rows that were there", int64(1), count(t, st, unique, store.Equal("name", store.String("About"))))
}

func testMigrateFold(t *testing.T, st store.Store) {
	migrate(t, st, pages.Schema())
	insert(t, st, pages, page{Name: "ÜBER uns"}, page{Name: "home"})
	migrate(t, st, pages2.Schema())
	same(t, "rows that were there are searched by folded form", int64(1), count(t, st, pages2, store.Contains("name", "über")))
	same(t, "and ordered by it", "home", list(t, st, pages2, store.Query{Order: []store.Order{store.Asc("name")}})[0].Name)
}

func testMigrateOlder(t *testing.T, st store.Store) {
	migrate(t, st, pages.Schema())
	migrate(t, st, pages2.Schema())
	row := insert(t, st, pages2, page2{Name: "Home", Label: "Start", Visits: 7, Note: new("n"), Options: jsonText("{}"), Price: amount("1.00")})[0]
	insert(t, st, pages, page{Name: "Old"})
	update(t, st, func(_ context.Context, tx store.Tx) error {
		return pages.Update(tx, &page{PageID: row.PageID, Name: "Homepage"})
	})
	migrate(t, st, pages.Schema())
	same(t, "an older program reads its own columns", []page{{1, "Homepage"}, {2, "Old"}}, list(t, st, pages, store.Query{}))
	row.Name = "Homepage"
	same(t, "an older program's writes leave newer columns alone, or zero", []page2{
		row, {PageID: 2, Name: "Old", Options: jsonText("[]"), Price: amount("0.00")},
	}, list(t, st, pages2, store.Query{}))
	same(t, "its rows are found by newer columns", int64(1), count(t, st, pages2, store.EqualFold("label", "")))
}

// A unique index shows that it is gone: rows are there that it would refuse.
func testMigrateFormer(t *testing.T, st store.Store) {
	older := store.MustTable[page]("pages", store.Index{Columns: []string{"name"}, Unique: true}, store.Index{Columns: []string{"name", "page_id"}})
	newer := store.MustTable[page]("pages", store.Index{Columns: []string{"name"}},
		store.Index{Columns: []string{"name"}, Unique: true, Former: true}, store.Index{Columns: []string{"name", "page_id"}, Former: true})
	migrate(t, st, older.Schema())
	insert(t, st, older, page{Name: "Home"}, page{Name: "About"})
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if err := st.Migrate(t.Context(), newer.Schema()); err != nil {
				t.Errorf("Migrate: %v", err)
			}
		})
	}
	all.Wait()
	insert(t, st, newer, page{Name: "Home"})
	same(t, "all rows are there", []page{{1, "Home"}, {2, "About"}, {3, "Home"}}, list(t, st, newer, store.Query{}))
	same(t, "the other index finds them", int64(2), count(t, st, newer, store.Equal("name", store.String("Home"))))
	migrate(t, st, newer.Schema())
	migrate(t, st, pages.Schema())
	insert(t, st, newer, page{Name: "Home"})
}

func testReservedWords(t *testing.T, st store.Store) {
	type row struct {
		Select int64  `json:"select" store:"key"`
		From   int64  `json:"from" store:"index"`
		Where  string `json:"where" store:"fold,index"`
		Order  *int64 `json:"order"`
		RowID  int64  `json:"rowid"`
		User   bool   `json:"user"`
	}
	reserved := store.MustTable[row]("order", store.Index{Columns: []string{"from", "where"}, Unique: true})
	migrate(t, st, reserved.Schema())
	want := insert(t, st, reserved, row{Select: 5, From: 1, Where: "B", RowID: 9}, row{From: 2, Where: "a", RowID: 8, User: true})
	want[1].From = 3
	update(t, st, func(_ context.Context, tx store.Tx) error { return reserved.Update(tx, &want[1]) })
	got := list(t, st, reserved, store.Query{
		Where: []store.Cond{store.NotEqual("user", store.Int(7)), store.InQuery("select", reserved.Schema(), "select", store.AtLeast("rowid", store.Int(8)))},
		Order: []store.Order{store.Desc("where"), store.Asc("rowid")},
	})
	same(t, "words of SQL are names of tables and columns", want, got)
}
