package postgres_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/shopapi/shopapi/internal/budget"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/postgres/pgtest"
)

// A transaction that others of its client have made fail twice runs without new ones of that client
// beside it: one client whose long transactions meet each other does not keep the retries of other
// clients waiting.
func TestAStarvingTransactionHoldsItsClientBack(t *testing.T) {
	t.Parallel()
	st := open(t, pgtest.DSN(t)+"&pool_max_conns=4")
	type onePage struct {
		PageID int64 `json:"page_id" store:"key"`
		Number int64 `json:"number"`
	}
	pages := store.MustTable[onePage]("pages")
	if err := st.Migrate(t.Context(), pages.Schema()); err != nil {
		t.Fatal(err)
	}
	page := &onePage{}
	if err := st.Update(t.Context(), func(_ context.Context, tx store.Tx) error { return pages.Insert(tx, page) }); err != nil {
		t.Fatal(err)
	}
	const writers, each = 12, 10
	ctx := budget.With(t.Context(), budget.New(64<<20).Share("one client"))
	var most atomic.Int64
	var wg sync.WaitGroup
	for range writers {
		wg.Go(func() {
			for range each {
				runs := int64(0)
				err := st.Update(ctx, func(ctx context.Context, tx store.Tx) error {
					runs++
					p, err := pages.Get(tx, page.PageID)
					if err != nil {
						return err
					}
					select { // long enough for others to commit meanwhile
					case <-time.After(20 * time.Millisecond):
					case <-ctx.Done():
					}
					p.Number++
					return pages.Update(tx, &p)
				})
				if err != nil {
					t.Error(err)
				}
				for n := most.Load(); runs > n && !most.CompareAndSwap(n, runs); n = most.Load() {
				}
			}
		})
	}
	wg.Wait()
	// It fails at most twice before new ones are held back, and once for each of three others that
	// run already.
	if n := most.Load(); n > 6 {
		t.Errorf("a transaction ran %d times, want at most 6", n)
	}
}
