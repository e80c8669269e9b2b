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
