package sqltext_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver/sqltext"
)

// numbered is a dialect that differs from SQLite in everything.
var numbered = sqltext.Dialect{
	Numbered: true, Key: "bigserial PRIMARY KEY", Integer: "bigint", Text: `text COLLATE "C"`,
	Find: "strpos", ListOpen: " = ANY(", ListClose: ")",
}

var shops = schema("shops", []store.Column{
	{Name: "shop_id", Kind: store.Integer},
	{Name: "name", Kind: store.Text, Fold: true},
})

var orders = schema("order", []store.Column{
	{Name: "order_id", Kind: store.Integer},
	{Name: "name", Kind: store.Text, Fold: true},
	{Name: "group", Kind: store.Integer, Null: true},
	{Name: "note", Kind: store.Text, Null: true, Fold: true},
	{Name: "total", Kind: store.Decimal, Scale: 2},
	{Name: "paid", Kind: store.Boolean},
	{Name: "options", Kind: store.JSON},
}, store.Index{Columns: []string{"group", "name"}}, store.Index{Columns: []string{"note"}, Unique: true})

func schema(name string, columns []store.Column, indexes ...store.Index) *store.Schema {
	s, err := store.NewSchema(name, columns, indexes...)
	if err != nil {
		panic(err)
	}
	return s
}

func check(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s is\n%s\nwant\n%s", what, got, want)
	}
}

func TestTables(t *testing.T) {
	d := &sqltext.SQLite
	check(t, "CreateTable", d.CreateTable(orders), `CREATE TABLE "order" ("order_id" INTEGER PRIMARY KEY AUTOINCREMENT, `+
		`"name" TEXT NOT NULL DEFAULT '', "group" INTEGER, "note" TEXT, "total" INTEGER NOT NULL DEFAULT 0, `+
		`"paid" INTEGER NOT NULL DEFAULT 0, "options" TEXT NOT NULL DEFAULT '[]', `+
		`"name_fold" TEXT NOT NULL DEFAULT '', "note_fold" TEXT) STRICT`)
	check(t, "CreateTable", numbered.CreateTable(shops), `CREATE TABLE "shops" ("shop_id" bigserial PRIMARY KEY, `+
		`"name" text COLLATE "C" NOT NULL DEFAULT '', "name_fold" text COLLATE "C" NOT NULL DEFAULT '')`)
	check(t, "AddColumn", d.AddColumn(orders, 3, sqltext.FoldSuffix), `ALTER TABLE "order" ADD COLUMN "note_fold" TEXT`)
	check(t, "AddColumn", d.AddColumn(orders, 6, ""), `ALTER TABLE "order" ADD COLUMN "options" TEXT NOT NULL DEFAULT '[]'`)
	check(t, "CreateIndex", d.CreateIndex(orders, &orders.Indexes[0]),
		`CREATE INDEX IF NOT EXISTS "order.group.name_fold.index" ON "order" ("group", "name_fold")`)
	check(t, "CreateIndex", d.CreateIndex(orders, &orders.Indexes[1]),
		`CREATE UNIQUE INDEX IF NOT EXISTS "order.note_fold.unique" ON "order" ("note_fold")`)
}

func TestRows(t *testing.T) {
	p, err := shops.Project("name", "shop_id")
	if err != nil {
		t.Fatal(err)
	}
	check(t, "Get", sqltext.SQLite.Get(p), `SELECT "name", "shop_id" FROM "shops" WHERE "shop_id" = ?`)
	check(t, "Get", numbered.Get(p), `SELECT "name", "shop_id" FROM "shops" WHERE "shop_id" = $1`)
	check(t, "Get of no column", numbered.Get(&store.Projection{Schema: shops}), `SELECT 1 FROM "shops" WHERE "shop_id" = $1`)
	joined := &store.Projection{Schema: shops, Columns: []int{0}, Joined: []store.Joined{{Via: store.Via{Column: "shop_id", Schema: orders}, Columns: []int{1}}}}
	check(t, "Get through a reference", numbered.Get(joined), `SELECT "shop_id", "0.0" FROM "shops" LEFT JOIN (SELECT "order_id" AS "0.key", "name" AS "0.0" FROM "order") AS "0." ON "0.key" = "shop_id" WHERE "shop_id" = $1`)
	check(t, "Count", numbered.Count(shops), `SELECT count(*) FROM "shops"`)
	check(t, "Delete", numbered.Delete(shops), `DELETE FROM "shops"`)
	check(t, "Insert", sqltext.SQLite.Insert(shops, false), `INSERT INTO "shops" ("name", "name_fold") VALUES (?, ?)`)
	check(t, "Insert", numbered.Insert(shops, true), `INSERT INTO "shops" ("shop_id", "name", "name_fold") VALUES ($1, $2, $3)`)
	check(t, "Update", numbered.Update(shops), `UPDATE "shops" SET "name" = $1, "name_fold" = $2 WHERE "shop_id" = $3`)

	keys := schema("keys", []store.Column{{Name: "id", Kind: store.Integer}})
	check(t, "Insert of a key", sqltext.SQLite.Insert(keys, false), `INSERT INTO "keys" DEFAULT VALUES`)
	check(t, "Update of a key", sqltext.SQLite.Update(keys), `UPDATE "keys" SET "id" = "id" WHERE "id" = ?`)

	got := sqltext.AppendRow(nil, shops, []store.Value{store.Int(1), store.String("Élan")})
	if diff := cmp.Diff([]store.Value{store.Int(1), store.String("Élan"), store.String("élan")}, got); diff != "" {
		t.Errorf("AppendRow (-want +got):\n%s", diff)
	}
}

func TestConditions(t *testing.T) {
	for _, c := range []struct {
		cond store.Cond
		text string
		args []store.Value
	}{
		{store.Equal("name", store.String("a")), `"name" = $1`, []store.Value{store.String("a")}},
		{store.Equal("group", store.Null), `"group" IS NULL`, nil},
		{store.Equal("name", store.Null), `FALSE`, nil},
		{store.Equal("name", store.Int(1)), `FALSE`, nil},
		{store.NotEqual("group", store.Int(1)), `"group" IS DISTINCT FROM $1`, []store.Value{store.Int(1)}},
		{store.NotEqual("total", store.Int(1)), `"total" <> $1`, []store.Value{store.Int(1)}},
		{store.NotEqual("group", store.Null), `"group" IS NOT NULL`, nil},
		{store.NotEqual("total", store.String("1")), `TRUE`, nil},
		{store.InInts("group", 4, 5), `"group" IN ($1, $2)`, []store.Value{store.Int(4), store.Int(5)}},
		{store.InInts("group", 4, 5, 6), `"group" IN ($1, $2, $3, $4)`, []store.Value{store.Int(4), store.Int(5), store.Int(6), store.Int(6)}},
		{store.InInts("group", 1, 2, 3, 4, 5, 6, 7, 8, 9), `"group" = ANY($1)`, []store.Value{
			store.Int(1), store.Int(2), store.Int(3), store.Int(4), store.Int(5), store.Int(6), store.Int(7), store.Int(8), store.Int(9)}},
		{store.In("group"), `FALSE`, nil},
		{store.In("group", store.Null, store.Int(1), store.String("x"), store.Int(2)), `"group" IN ($1, $2)`, []store.Value{store.Int(1), store.Int(2)}},
		{store.InInts("group", 4), `"group" = $1`, []store.Value{store.Int(4)}},
		{store.In("group", store.Null, store.Int(1), store.String("x")), `"group" = $1`, []store.Value{store.Int(1)}},
		{store.InQuery("group", shops, "shop_id", store.EqualFold("name", "A")),
			`"group" IN (SELECT "shop_id" FROM "shops" WHERE "name_fold" = $1)`, []store.Value{store.String("a")}},
		{store.InQuery("group", shops, "name"), `FALSE`, nil},
		{store.Contains("note", "Ä%"), `strpos("note_fold", $1) > 0`, []store.Value{store.String("ä%")}},
		{store.Equal("note", store.String("Ä")), `("note_fold" = $1 AND "note" = $2)`, []store.Value{store.String("ä"), store.String("Ä")}},
		{store.In("note", store.String("A"), store.String("b")), `("note_fold" IN ($1, $2) AND "note" IN ($3, $4))`,
			[]store.Value{store.String("a"), store.String("b"), store.String("A"), store.String("b")}},
		{store.Equal("note", store.Null), `"note" IS NULL`, nil},
		{store.In("note", store.Null, store.String("A")), `"note" = $1`, []store.Value{store.String("A")}},
		{store.AtLeast("group", store.Int(1)), `"group" >= $1`, []store.Value{store.Int(1)}},
		{store.AtMost("group", store.Int(1)), `"group" <= $1`, []store.Value{store.Int(1)}},
		{store.Less("group", store.Int(1)), `"group" < $1`, []store.Value{store.Int(1)}},
		{store.AtLeast("group", store.String("")), `FALSE`, nil},
		{store.Less("group", store.String("")), `"group" IS NOT NULL`, nil},
		{store.AtLeast("note", store.Int(1)), `"note" IS NOT NULL`, nil},
		{store.AtMost("note", store.Null), `FALSE`, nil},
		{store.AtLeast("total", store.Null), `TRUE`, nil},
		{store.All(), `TRUE`, nil},
		{store.Any(), `FALSE`, nil},
		{store.Not(store.Any(store.Equal("paid", store.Bool(true)), store.Less("group", store.Int(2)))),
			`((("paid" = $1 OR "group" < $2)) IS NOT TRUE)`, []store.Value{store.Int(1), store.Int(2)}},
	} {
		b := sqltext.Builder{Dialect: &numbered}
		if err := b.Where(orders, []store.Cond{c.cond}); err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		check(t, "the condition", string(b.Text), " WHERE "+c.text)
		var args []store.Value
		for _, a := range b.Args {
			if a.List == nil {
				args = append(args, a.Value)
			}
			args = append(args, a.List...)
		}
		if diff := cmp.Diff(c.args, args); diff != "" {
			t.Errorf("%s: arguments (-want +got):\n%s", c.text, diff)
		}
	}
}

func TestQueries(t *testing.T) {
	via := &store.Via{Column: "group", Schema: shops}
	for _, c := range []struct {
		query store.Query
		text  string
	}{
		{store.Query{}, ` ORDER BY "order_id"`},
		{store.Query{Order: []store.Order{store.Desc("order_id"), store.Asc("name")}}, ` ORDER BY "order_id" DESC`},
		{store.Query{Order: []store.Order{store.Asc("name"), store.Desc("total")}}, ` ORDER BY "name_fold", "total" DESC, "order_id" DESC`},
		{store.Query{Order: []store.Order{store.Asc("group")}}, ` ORDER BY "group", "order_id"`},
		{store.Query{Order: []store.Order{store.Desc("note")}}, ` ORDER BY "note_fold" DESC, "order_id" DESC`},
		{store.Query{Order: []store.Order{{Column: "name", Via: via}}},
			` ORDER BY (SELECT "via."."name_fold" FROM "shops" AS "via." WHERE "via."."shop_id" = "order"."group"), "order_id"`},
		{store.Query{Limit: 5}, ` ORDER BY "order_id" LIMIT ?`},
		{store.Query{Limit: 1}, ` ORDER BY "order_id" LIMIT 1`},
		{store.Query{Limit: 1, Offset: 5}, ` ORDER BY "order_id" LIMIT 1 OFFSET ?`},
		{store.Query{Offset: 5}, ` ORDER BY "order_id" LIMIT ? OFFSET ?`},
		{store.Query{Where: []store.Cond{store.Equal("paid", store.Int(1)), store.Equal("total", store.Int(2))}},
			` WHERE "paid" = ? AND "total" = ? ORDER BY "order_id"`},
	} {
		b := sqltext.Builder{Dialect: &sqltext.SQLite}
		if err := b.Query(orders, &c.query); err != nil {
			t.Fatal(err)
		}
		check(t, "the query", string(b.Text), c.text)
	}
}

// The text is the key of a prepared statement: it must not grow in kinds with
// the values. Lists of one value, and of up to 2, 4 and 8, have texts of their own.
func TestValuesAreNoPartOfTheText(t *testing.T) {
	b := sqltext.Builder{Dialect: &sqltext.SQLite}
	texts := make(map[string]bool)
	for n := range 50 {
		list := make([]int64, n+2)
		q := store.Query{Where: []store.Cond{store.InInts("group", list...), store.Contains("name", string(rune('a'+n)))}, Limit: n + 2, Offset: n + 1}
		b.Reset()
		if err := b.Query(orders, &q); err != nil {
			t.Fatal(err)
		}
		texts[string(b.Text)] = true
	}
	if len(texts) != 4 {
		t.Errorf("%d texts, want 4", len(texts))
	}
}

func TestMistakesAreErrors(t *testing.T) {
	b := sqltext.Builder{Dialect: &sqltext.SQLite}
	for _, q := range []store.Query{
		{Where: []store.Cond{store.Equal("missing", store.Int(1))}},
		{Where: []store.Cond{store.Not(store.Any(store.Equal("missing", store.Int(1))))}},
		{Where: []store.Cond{store.InQuery("group", shops, "missing")}},
		{Where: []store.Cond{store.Contains("options", "x")}},
		{Order: []store.Order{store.Asc("missing")}},
		{Order: []store.Order{{Column: "missing", Via: &store.Via{Column: "group", Schema: shops}}}},
		{Order: []store.Order{{Column: "name", Via: &store.Via{Column: "missing", Schema: shops}}}},
		{Where: []store.Cond{{Op: 99, Column: "group", Values: []store.Value{store.Null}}}},
	} {
		b.Reset()
		if err := b.Query(orders, &q); err == nil {
			t.Errorf("%+v becomes %s", q, b.Text)
		}
	}
	clash := schema("clash", []store.Column{{Name: "id", Kind: store.Integer}, {Name: "a", Kind: store.Text, Fold: true}, {Name: "a_fold", Kind: store.Text}})
	if err := sqltext.SQLite.Check(clash); err == nil {
		t.Error("Check passes a column that takes the name of a folded form")
	}
}
