package store_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi/store"
)

func TestTableChanged(t *testing.T) {
	type row struct {
		ID    int64           `json:"id" store:"key"`
		Name  string          `json:"name"`
		Price decimal.Decimal `json:"price" store:"scale=2"`
		Tags  []byte          `json:"tags"`
		Note  *string         `json:"note"`
		Shown int64           `json:"-" store:"-"`
	}
	table := store.MustTable[row]("changed_rows")
	note, same := "a", "a"
	before := row{ID: 3, Name: "cup", Price: decimal.MustParse("1"), Note: &note, Shown: 1}
	for _, c := range []struct {
		name   string
		change func(*row)
		want   []string
	}{
		{"nothing", func(*row) {}, nil},
		{"an amount with more zeros", func(r *row) { r.Price = decimal.MustParse("1.00") }, nil},
		{"an equal text behind another pointer", func(r *row) { r.Note = &same }, nil},
		{"an empty document", func(r *row) { r.Tags = []byte("[]") }, nil},
		{"what is no column", func(r *row) { r.Shown = 2 }, nil},
		{"a text and an amount", func(r *row) { r.Name, r.Price = "mug", decimal.MustParse("1.01") }, []string{"name", "price"}},
		{"null", func(r *row) { r.Note = nil }, []string{"note"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			after := before
			c.change(&after)
			got, err := table.Changed(&before, &after)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("columns differ (-want +got):\n%s", diff)
			}
		})
	}
	bad := before
	bad.Name = "a\x00b"
	if _, err := table.Changed(&before, &bad); !errors.Is(err, store.ErrBadText) {
		t.Errorf("a text with NUL: error %v, want ErrBadText", err)
	}
	table.SetKey(&bad, 9)
	if table.Key(&bad) != 9 || bad.ID != 9 {
		t.Errorf("the key is %d, want 9", bad.ID)
	}
}
