package driver_test

import (
	"context"
	"testing"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver"
	"github.com/shopapi/shopapi/store/memory"
)

// wrapped is a Tx around another.
type wrapped struct{ store.Tx }

func (w wrapped) Unwrap() store.Tx { return w.Tx }

func TestUnwrapFindsTheStoresTx(t *testing.T) {
	st := memory.New()
	var inner store.Tx
	err := st.View(t.Context(), func(_ context.Context, tx store.Tx) error {
		inner = tx
		if got := driver.Unwrap(wrapped{wrapped{tx}}); got != tx {
			t.Errorf("Unwrap of a wrapped Tx returns %T", got)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := driver.Unwrap(inner); got != inner {
		t.Errorf("Unwrap of the store's own Tx returns %T", got)
	}
}

func TestUnwrapMarksTheReadSetUntracked(t *testing.T) {
	schema, err := store.NewSchema("pages", []store.Column{{Name: "page_id", Kind: store.Integer}})
	if err != nil {
		t.Fatal(err)
	}
	st := memory.New()
	if err := st.Migrate(t.Context(), schema); err != nil {
		t.Fatal(err)
	}
	reads := new(driver.ReadSet)
	err = st.View(driver.WithReadSet(t.Context(), reads), func(_ context.Context, tx store.Tx) error {
		if _, err := tx.Count(schema, nil); err != nil {
			return err
		}
		if !reads.Complete() {
			t.Error("what a View reads through its Tx is not recorded")
		}
		driver.Unwrap(wrapped{tx})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if reads.Complete() {
		t.Error("what is read from an unwrapped Tx would be missed, and the read set is complete")
	}
}
