package storetest

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/shopapi/shopapi/internal/budget"
	"github.com/shopapi/shopapi/store"
)

// A Transact is View, ShortView or Update of a store.
type Transact func(context.Context, func(context.Context, store.Tx) error) error

// RunTurns checks that clients get their turns round robin. transact is a method of st that
// runs one transaction at a time; waiting returns how many wait. While one client runs one transaction
// and 48 of its own wait, a transaction of another client waits for at most two of them.
func RunTurns(t *testing.T, st store.Store, transact Transact, waiting func() int) {
	if err := st.Migrate(t.Context(), items.Schema()); err != nil {
		t.Fatal(err)
	}
	b := budget.New(64 << 20)
	as := func(client string) context.Context { return budget.With(context.Background(), b.Share(client)) }
	var mu sync.Mutex
	var order []string
	run := func(client string, fn func()) {
		err := transact(as(client), func(_ context.Context, tx store.Tx) error {
			if _, err := tx.Count(items.Schema(), nil); err != nil { // takes a connection
				return err
			}
			fn()
			mu.Lock()
			defer mu.Unlock()
			order = append(order, client)
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
	var wg sync.WaitGroup
	inside, leave := make(chan struct{}), make(chan struct{})
	wg.Go(func() { run("busy", func() { close(inside); <-leave }) })
	<-inside
	const connections = 48
	for i := range connections + 1 {
		client := "busy"
		if i == connections {
			client = "other"
		}
		wg.Go(func() { run(client, func() {}) })
		for waiting() != i+1 {
			runtime.Gosched()
		}
	}
	close(leave)
	wg.Wait()
	if before := slices.Index(order, "other"); before > 2 || len(order) != connections+2 {
		t.Errorf("the other client waited for %d transactions: %v", before, order)
	}
}
