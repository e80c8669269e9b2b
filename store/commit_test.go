package store_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/memory"
)

// AfterCommit belongs to the innermost transaction that may write.
func TestAfterCommitOfNestedStores(t *testing.T) {
	first, second := memory.New(), memory.New()
	var ran []string
	note := func(what string) func() { return func() { ran = append(ran, what) } }
	err := first.Update(t.Context(), func(ctx context.Context, _ store.Tx) error {
		store.AfterCommit(ctx, note("first"))
		err := second.Update(ctx, func(ctx context.Context, _ store.Tx) error {
			store.AfterCommit(ctx, note("second"))
			return nil
		})
		ran = append(ran, "second committed")
		if err != nil {
			return err
		}
		err = second.View(ctx, func(ctx context.Context, _ store.Tx) error {
			store.AfterCommit(ctx, note("view of second"))
			return nil
		})
		ran = append(ran, "end of first")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"second", "second committed", "end of first", "first", "view of second"}
	if diff := cmp.Diff(want, ran); diff != "" {
		t.Errorf("hooks (-want +got):\n%s", diff)
	}
}
