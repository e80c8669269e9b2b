package storetest

import (
	"context"
	"errors"
	"testing"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver"
)

var endingCases = []testCase{
	{"AnEndingWritesInTheTransaction", testEndingWrites},
	{"AnEndingThatFailsRollsBack", testEndingFails},
}

// An ending is a [driver.Ending] that is a function.
type ending func() error

func (e ending) End() error { return e() }

// endingKey is the key of the endings of the cases.
type endingKey struct{}

// atEnd has fn run at the end of the transaction of ctx.
func atEnd(ctx context.Context, t *testing.T, st store.Store, fn func() error) {
	t.Helper()
	if _, ok := driver.AtEnd(ctx, st, endingKey{}, func() driver.Ending { return ending(fn) }); !ok {
		t.Error("driver.AtEnd finds no transaction of the store in the context of an Update: a store makes its " +
			"sessions by driver.NewSession, and a store that wraps another has a method Unwrap that returns it")
	}
}

func testEndingWrites(t *testing.T, st store.Store) {
	migrate(t, st, counters.Schema())
	update(t, st, func(ctx context.Context, tx store.Tx) error {
		atEnd(ctx, t, st, func() error { return add(tx, 2) })
		return add(tx, 1)
	})
	same(t, "what an Ending writes is committed with the transaction, after its function", []int64{1, 2}, numbers(t, st))
}

func testEndingFails(t *testing.T, st store.Store) {
	migrate(t, st, counters.Schema())
	err := st.Update(t.Context(), func(ctx context.Context, tx store.Tx) error {
		atEnd(ctx, t, st, func() error { return errTest })
		return add(tx, 1)
	})
	if !errors.Is(err, errTest) {
		t.Errorf("Update returns %v, want the error of the Ending", err)
	}
	same(t, "an Ending that fails rolls the transaction back", []int64{}, numbers(t, st))
}
