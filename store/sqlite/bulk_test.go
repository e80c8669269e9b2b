package sqlite_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver"
)

// Updates of many small changes, which keep their journal in memory, commit and roll back like
// others, before and after them.
func TestBulkUpdates(t *testing.T) {
	st, failed := openPages(t, file(t), nil), errors.New("on purpose")
	for round, bulk := range []bool{true, false, true, true, false} {
		ctx := t.Context()
		if bulk {
			ctx = driver.Bulk(ctx)
		}
		for _, want := range []error{failed, nil} {
			err := st.Update(ctx, func(_ context.Context, tx store.Tx) error {
				for range 100 {
					if err := pages.Insert(tx, &page{Title: strings.Repeat("x", 10_000)}); err != nil {
						return err
					}
				}
				return want
			})
			if !errors.Is(err, want) {
				t.Errorf("round %d: %v, want %v", round, err, want)
			}
		}
		if n := len(titles(t, st)); n != 100*(round+1) {
			t.Errorf("round %d: %d pages, want %d", round, n, 100*(round+1))
		}
	}
}

// An Update may go on after InsertAll has refused a row. Then the rows before it are there, and are
// counted.
func TestInsertAll_OfARowThatIsRefused(t *testing.T) {
	st := openPages(t, file(t), nil)
	if err := st.Migrate(t.Context(), uniquePages.Schema()); err != nil {
		t.Fatal(err)
	}
	counted := func(_ context.Context, tx store.Tx) error { _, err := uniquePages.Count(tx); return err }
	if err := st.View(t.Context(), counted); err != nil { // so that the count is cached
		t.Fatal(err)
	}
	err := st.Update(t.Context(), func(_ context.Context, tx store.Tx) error {
		err := uniquePages.InsertAll(tx, []uniquePage{{0, "a"}, {0, "b"}, {0, "a"}, {0, "c"}})
		if !errors.Is(err, store.ErrConflict) {
			t.Errorf("the error is %v", err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	err = st.View(t.Context(), func(_ context.Context, tx store.Tx) error {
		list, err := uniquePages.Select(tx, store.Query{})
		if err != nil {
			return err
		}
		n, err := uniquePages.Count(tx)
		if int(n) != len(list) {
			t.Errorf("%d rows are counted, there are %v", n, list)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

type uniquePage struct {
	PageID int64  `json:"page_id" store:"key"`
	Title  string `json:"title"`
}

var uniquePages = store.MustTable[uniquePage]("unique_pages", store.Index{Columns: []string{"title"}, Unique: true})
