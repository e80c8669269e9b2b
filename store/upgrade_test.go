package store_test

import (
	"context"
	"testing"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/memory"
)

// A countingStore counts calls of Update. Migrate makes none.
type countingStore struct {
	store.Store
	updates int
}

func (s *countingStore) Update(ctx context.Context, fn func(context.Context, store.Tx) error) error {
	s.updates++
	return s.Store.Update(ctx, fn)
}

// An upgrade that has nothing to do locks nothing: each start of a process upgrades (§24).
func TestUpgrade_LocksOnlyToConvert(t *testing.T) {
	t.Parallel()
	st := &countingStore{Store: memory.New()}
	named := func(name string) store.Conversion {
		return store.Conversion{Name: name, Convert: func(context.Context, store.Tx) error { return nil }}
	}
	for i, c := range []struct {
		conversions []store.Conversion
		updates     int
	}{
		{nil, 1},
		{nil, 1},
		{[]store.Conversion{named("a")}, 2},
		{[]store.Conversion{named("a")}, 2},
		{[]store.Conversion{named("a"), named("b")}, 3},
		{[]store.Conversion{named("b")}, 3},
	} {
		if err := store.Upgrade(t.Context(), st, c.conversions...); err != nil || st.updates != c.updates {
			t.Errorf("upgrade %d: %d transactions, %v, want %d", i+1, st.updates, err, c.updates)
		}
	}
}
