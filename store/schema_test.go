package store_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/shopapi/shopapi/store"
)

func TestNewSchemaRefuses(t *testing.T) {
	key := store.Column{Name: "id", Kind: store.Integer}
	text := store.Column{Name: "name", Kind: store.Text}
	for _, c := range []struct {
		name    string
		table   string
		columns []store.Column
		indexes []store.Index
		want    string
	}{
		{"an empty table name", "", []store.Column{key}, nil, `table name ""`},
		{"capitals in a table name", "Pages", []store.Column{key}, nil, `table name "Pages"`},
		{"a quote in a table name", `a"b`, []store.Column{key}, nil, "is not made of"},
		{"a table name that begins with a digit", "1a", []store.Column{key}, nil, "is not made of"},
		{"no columns", "t", nil, nil, "must be the key"},
		{"a text as key", "t", []store.Column{text}, nil, "must be the key"},
		{"a key that may be null", "t", []store.Column{{Name: "id", Kind: store.Integer, Null: true}}, nil, "must be the key"},
		{"a blank in a column name", "t", []store.Column{key, {Name: "a b", Kind: store.Text}}, nil, `column name "a b"`},
		{"an empty column name", "t", []store.Column{{Kind: store.Integer}}, nil, `column name ""`},
		{"a column twice", "t", []store.Column{key, text, text}, nil, "name is declared twice"},
		{"a folded number", "t", []store.Column{key, {Name: "n", Kind: store.Integer, Fold: true}}, nil, "n is folded but no text"},
		{"an index over a missing column", "t", []store.Column{key}, []store.Index{{Columns: []string{"x"}}}, "the column x, which the table lacks"},
		{"an index over nothing", "t", []store.Column{key}, []store.Index{{}}, "an index names no column"},
		{"a sparse unique index", "t", []store.Column{key, text}, []store.Index{{Columns: []string{"name"}, Unique: true, Sparse: true}}, "sparse"},
		{"a sparse index of flags", "t", []store.Column{key, {Name: "flag", Kind: store.Boolean}}, []store.Index{{Columns: []string{"flag"}, Sparse: true}}, "sparse"},
		{"a volatile unique index", "t", []store.Column{key, text}, []store.Index{{Columns: []string{"name"}, Unique: true, Volatile: true}}, "volatile"},
		{"a former index that is a present one", "t", []store.Column{key, text}, []store.Index{{Columns: []string{"name"}, Sparse: true}, {Columns: []string{"name"}, Former: true}}, "over name is a former one"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := store.NewSchema(c.table, c.columns, c.indexes...)
			if err == nil || !strings.Contains(err.Error(), c.want) || s != nil {
				t.Errorf("NewSchema returns %v, want an error with %q", err, c.want)
			}
		})
	}
}

func TestSchema(t *testing.T) {
	s, err := store.NewSchema("pages_2", []store.Column{
		{Name: "page_id", Kind: store.Integer}, {Name: "name", Kind: store.Text, Fold: true}, {Name: "rank", Kind: store.Integer},
	}, store.Index{Columns: []string{"rank", "name"}, Unique: true})
	if err != nil {
		t.Fatal(err)
	}
	if s.Key() != "page_id" || s.Index("rank") != 2 || s.Index("nope") != -1 {
		t.Errorf("Key %s, Index %d and %d", s.Key(), s.Index("rank"), s.Index("nope"))
	}
	if diff := cmp.Diff([]int{0, 1, 2}, s.All().Columns); diff != "" || s.All().Schema != s {
		t.Errorf("All does not read every column:\n%s", diff)
	}
	p, err := s.Project("rank", "page_id")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]int{2, 0}, p.Columns); diff != "" {
		t.Errorf("Project:\n%s", diff)
	}
	if _, err := s.Project("name", "nope"); err == nil || !strings.Contains(err.Error(), "no column nope") {
		t.Errorf("Project of a missing column: %v", err)
	}
}

func TestColumnZero(t *testing.T) {
	for _, c := range []struct {
		column store.Column
		want   store.Value
	}{
		{store.Column{Kind: store.Integer}, store.Int(0)},
		{store.Column{Kind: store.Boolean}, store.Bool(false)},
		{store.Column{Kind: store.Decimal, Scale: 2}, store.Int(0)},
		{store.Column{Kind: store.Text}, store.String("")},
		{store.Column{Kind: store.JSON}, store.String("[]")},
		{store.Column{Kind: store.Text, Null: true}, store.Null},
		{store.Column{Kind: store.JSON, Null: true}, store.Null},
	} {
		if got := c.column.Zero(); got != c.want {
			t.Errorf("Zero of %+v is %#v, want %#v", c.column, got, c.want)
		}
	}
}
