package sqlite_test

import (
	"database/sql"
	"path/filepath"
	"strings"
	"testing"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver/sqltext"
	"github.com/shopapi/shopapi/store/sqlite"
)

// A look-up of exact values, such as codes, searches their index and does not scan the table,
// also where the index is sparse.
func TestExactValuesAreFoundByTheirIndex(t *testing.T) {
	t.Parallel()
	codes, err := store.NewSchema("codes", []store.Column{
		{Name: "code_id", Kind: store.Integer}, {Name: "code", Kind: store.Text, Fold: true},
		{Name: "invoice", Kind: store.Text, Null: true}, {Name: "parent", Kind: store.Integer}, {Name: "nick", Kind: store.Text, Fold: true},
	}, store.Index{Columns: []string{"code"}}, store.Index{Columns: []string{"invoice"}, Sparse: true},
		store.Index{Columns: []string{"parent"}, Sparse: true}, store.Index{Columns: []string{"nick"}, Sparse: true})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "codes.db")
	st, err := sqlite.Open(t.Context(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { st.Close() })
	if err := st.Migrate(t.Context(), codes); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	for _, cond := range []store.Cond{
		store.Equal("code", store.String("MUG-1")),
		store.In("code", store.String("MUG-1"), store.String("mug-2")),
		store.Equal("invoice", store.String("7")),
		store.In("invoice", store.String("7"), store.String("8")),
		store.Equal("parent", store.Int(7)),
		store.In("parent", store.Int(7), store.Int(8)),
		store.Equal("nick", store.String("mug")),
		store.In("nick", store.String("mug"), store.String("cup")),
		store.EqualFold("nick", "mug"),
		store.BeginsFold("nick", "mu"),
	} {
		b := sqltext.Builder{Dialect: &sqltext.SQLite}
		if err := b.Query(codes, &store.Query{Where: []store.Cond{cond}, Order: []store.Order{store.Asc("code_id")}, Limit: 30}); err != nil {
			t.Fatal(err)
		}
		var plan string
		rows, err := db.Query("EXPLAIN QUERY PLAN SELECT * FROM codes"+string(b.Text), make([]any, len(b.Args))...)
		if err != nil {
			t.Fatal(err)
		}
		for rows.Next() {
			var id, parent, unused int
			var step string
			if err := rows.Scan(&id, &parent, &unused, &step); err != nil {
				t.Fatal(err)
			}
			plan += step + "\n"
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(plan, "SEARCH codes USING INDEX") {
			t.Errorf("%s is carried out by\n%s", b.Text, plan)
		}
	}
}
