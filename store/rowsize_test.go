package store_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/memory"
)

// TestTable_MaxRow: a row of more than MaxRow bytes is neither inserted nor an update, and
// the error names its longest text.
func TestTable_MaxRow(t *testing.T) {
	type page struct {
		ID   int64  `json:"id" store:"key"`
		Name string `json:"name"`
		Text string `json:"text"`
	}
	pages := store.MustTable[page]("pages_of_a_test")
	st := memory.New()
	if err := st.Migrate(t.Context(), pages.Schema()); err != nil {
		t.Fatal(err)
	}
	long := page{Name: "name", Text: strings.Repeat("x", store.MaxRow-len("name"))}
	err := st.Update(t.Context(), func(_ context.Context, tx store.Tx) error {
		if err := pages.Insert(tx, &long); err != nil {
			t.Errorf("a row of MaxRow bytes: %v", err)
		}
		long.Name += "s"
		for name, err := range map[string]error{"Update": pages.Update(tx, &long), "Insert": pages.Insert(tx, &page{Text: strings.Repeat("x", store.MaxRow+1)})} {
			var row *store.RowError
			if !errors.As(err, &row) || row.Column != "text" || !errors.Is(err, store.ErrBadText) {
				t.Errorf("%s: %v", name, err)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
