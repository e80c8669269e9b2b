package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver/sqltext"
)

func newSchema(t *testing.T, name string, columns []store.Column, indexes ...store.Index) *store.Schema {
	t.Helper()
	s, err := store.NewSchema(name, columns, indexes...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// The folded form of texts that are there is filled in, whatever their number,
// also when a column comes to be marked fold later.
func TestMigrateFoldsExistingRows(t *testing.T) {
	key := store.Column{Name: "id", Kind: store.Integer}
	before := newSchema(t, "notes", []store.Column{key, {Name: "note", Kind: store.Text, Null: true}})
	after := newSchema(t, "notes", []store.Column{key, {Name: "note", Kind: store.Text, Null: true, Fold: true}})
	st := open(t, file(t), nil)
	if err := st.Migrate(t.Context(), before); err != nil {
		t.Fatal(err)
	}
	const rows = 1203 // more than two batches
	err := st.Update(t.Context(), func(_ context.Context, tx store.Tx) error {
		for n := range rows {
			note := store.String(fmt.Sprintf("ÄPFEL %d", n))
			if n == 0 {
				note = store.Null
			}
			if _, err := tx.Insert(before, []store.Value{store.Int(int64(n-600)*2 + 1), note}); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		err = st.Migrate(t.Context(), after)
	}
	if err != nil {
		t.Fatal(err)
	}
	err = st.View(t.Context(), func(_ context.Context, tx store.Tx) error {
		n, err := tx.Count(after, []store.Cond{store.Contains("note", "äpfel")})
		if n != rows-1 {
			t.Errorf("%d rows are found, want %d", n, rows-1)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

func TestMigrateNamesTheUniqueIndexThatRowsBreak(t *testing.T) {
	columns := []store.Column{{Name: "id", Kind: store.Integer}, {Name: "email", Kind: store.Text, Fold: true}, {Name: "shop", Kind: store.Integer}}
	before := newSchema(t, "customers", columns)
	after := newSchema(t, "customers", append(columns[:3:3], store.Column{Name: "extra", Kind: store.Integer}),
		store.Index{Columns: []string{"shop", "email"}, Unique: true})
	path := file(t)
	st := open(t, path, nil)
	if err := st.Migrate(t.Context(), before); err != nil {
		t.Fatal(err)
	}
	err := st.Update(t.Context(), func(_ context.Context, tx store.Tx) error {
		for _, email := range []string{"a@example.com", "A@example.com"} {
			if _, err := tx.Insert(before, []store.Value{store.Int(0), store.String(email), store.Int(1)}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	err = st.Migrate(t.Context(), after)
	var conflict *store.ConflictError
	if !errors.As(err, &conflict) || !strings.Contains(err.Error(), "unique index over shop, email") {
		t.Fatalf("got %v, want a ConflictError that names the index", err)
	}
	if diff := cmp.Diff(&store.ConflictError{Table: "customers", Columns: []string{"shop", "email"}}, conflict); diff != "" {
		t.Errorf("the conflict (-want +got):\n%s", diff)
	}
	var n int
	if err := host(t, path).QueryRow("SELECT count(*) FROM pragma_table_info('customers') WHERE name = 'extra'").Scan(&n); err != nil || n != 0 {
		t.Errorf("%d new columns are left after a Migrate that failed, %v", n, err)
	}
}

func TestMigrateRefusesIndistinguishableNames(t *testing.T) {
	st := open(t, file(t), nil)
	clash := newSchema(t, "clash", []store.Column{{Name: "id", Kind: store.Integer}, {Name: "a", Kind: store.Text, Fold: true}, {Name: "a_fold", Kind: store.Text}})
	if err := st.Migrate(t.Context(), clash); err == nil {
		t.Error("Migrate takes a column with the name of a folded form")
	}
}

// TestMigrateAgain: a table that another program has changed since the store migrated it is as its
// schema has it after the next Migrate. So is the table of a Migrate that was rolled back.
func TestMigrateAgain(t *testing.T) {
	s := newSchema(t, "notes", []store.Column{{Name: "id", Kind: store.Integer}, {Name: "note", Kind: store.Text, Fold: true, Search: true}, {Name: "n", Kind: store.Integer}},
		store.Index{Columns: []string{"n"}})
	st := open(t, file(t), nil)
	gone := errors.New("rolled back")
	err := st.Update(t.Context(), func(ctx context.Context, _ store.Tx) error {
		if err := st.Migrate(ctx, s); err != nil {
			return err
		}
		return gone
	})
	if !errors.Is(err, gone) {
		t.Fatal(err)
	}
	objects := func() (names []string) {
		rows, err := st.DB().QueryContext(t.Context(), "SELECT name FROM sqlite_schema WHERE tbl_name = 'notes' UNION ALL SELECT name FROM pragma_table_xinfo('notes') ORDER BY 1")
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		for rows.Next() {
			var name string
			if err := rows.Scan(&name); err != nil {
				t.Fatal(err)
			}
			names = append(names, name)
		}
		return names
	}
	migrate := func(after string) []string {
		t.Helper()
		if err := st.Migrate(t.Context(), s); err != nil {
			t.Fatalf("after %s: %v", after, err)
		}
		return objects()
	}
	whole := migrate("a Migrate that was rolled back")
	if len(whole) < 8 {
		t.Errorf("the table has %v", whole)
	}
	for _, change := range []string{
		"DROP TABLE notes",
		"DROP INDEX " + strconv.Quote(sqltext.SQLite.IndexName(s, &s.Indexes[0])),
		`DROP TRIGGER "notes.search.insert"`,
	} {
		if _, err := st.DB().ExecContext(t.Context(), change); err != nil {
			t.Fatalf("%s: %v", change, err)
		}
		if diff := cmp.Diff(whole, migrate(change)); diff != "" {
			t.Errorf("after %s (-before +after):\n%s", change, diff)
		}
	}
}

// Migrate drops the indexes of older versions, and makes an index anew that was another one over the
// same columns. Indexes of the host stay.
func TestMigrateReplacesIndexes(t *testing.T) {
	t.Parallel()
	columns := []store.Column{{Name: "code_id", Kind: store.Integer}, {Name: "code", Kind: store.Text}, {Name: "parent", Kind: store.Integer}}
	schema := func(indexes ...store.Index) *store.Schema {
		s, err := store.NewSchema("codes", columns, indexes...)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	older := schema(store.Index{Columns: []string{"code"}}, store.Index{Columns: []string{"parent"}})
	newer := schema(store.Index{Columns: []string{"code"}, Sparse: true}, store.Index{Columns: []string{"parent", "code"}},
		store.Index{Columns: []string{"parent"}, Former: true})
	st := open(t, file(t), nil)
	exec := func(sql string) {
		t.Helper()
		if err := st.Exec(sql); err != nil {
			t.Fatal(err)
		}
	}
	if err := st.Migrate(t.Context(), older); err != nil {
		t.Fatal(err)
	}
	exec("CREATE INDEX host ON codes (parent)")
	exec("INSERT INTO codes (code, parent) VALUES ('', 1), ('a', 2)")
	for range 2 { // the second time nothing is left to do
		if err := st.Migrate(t.Context(), newer); err != nil {
			t.Fatal(err)
		}
		rows, err := st.DB().QueryContext(t.Context(), "SELECT sql FROM sqlite_schema WHERE type = 'index' ORDER BY name")
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for rows.Next() {
			var sql string
			if err := rows.Scan(&sql); err != nil {
				t.Fatal(err)
			}
			got = append(got, sql)
		}
		if err := errors.Join(rows.Err(), rows.Close()); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{
			`CREATE INDEX "codes.code.index" ON "codes" ("code") WHERE "code" <> ''`,
			`CREATE INDEX "codes.parent.code.index" ON "codes" ("parent", "code")`,
			`CREATE INDEX host ON codes (parent)`,
		}, got); diff != "" {
			t.Errorf("indexes (-want +got):\n%s", diff)
		}
	}
}
