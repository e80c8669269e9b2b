package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver"
)

// Close may come at any moment: also while others ask for versions, outside any
// transaction, from memory that goes with the connection.
func TestCloseWhileOthersReadAndAsk(t *testing.T) {
	const rounds = 5
	for round := range rounds {
		st := openPages(t, file(t), nil)
		if err := add(t.Context(), st, "a"); err != nil {
			t.Fatal(err)
		}
		var all sync.WaitGroup
		reads := []*driver.Read{{Schema: pages.Schema()}}
		var asked sync.WaitGroup
		for range 4 {
			asked.Add(1)
			all.Go(func() {
				version, ok := st.Version()
				if !ok || !st.Unchanged(version, reads) {
					t.Error("there is no version, or it is old")
				}
				asked.Done()
				for st.Unchanged(version, reads) {
				}
				if _, ok := st.Version(); ok {
					t.Error("a closed store has a version")
				}
			})
		}
		for range 3 {
			all.Go(func() {
				for i := 0; ; i++ {
					err := st.View(context.Background(), func(_ context.Context, tx store.Tx) error {
						_, err := pages.Count(tx)
						return err
					})
					if errors.Is(err, store.ErrUnavailable) {
						return
					}
					if err != nil {
						t.Error(fmt.Errorf("View %d: %w", i, err))
						return
					}
				}
			})
		}
		asked.Wait()
		if err := st.Close(); err != nil {
			t.Errorf("round %d: %v", round, err)
		}
		all.Wait()
	}
}
