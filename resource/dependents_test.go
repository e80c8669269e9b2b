package resource_test

import (
	"context"
	"strings"
	"testing"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/memory"
)

// TestDropFromLists_MaxDependents: an object that very many others name is not deleted by a request,
// which would keep other writers waiting. The host's own code deletes it.
func TestDropFromLists_MaxDependents(t *testing.T) {
	t.Parallel()
	type goods struct {
		ID     int64          `json:"id" store:"key"`
		TaxIDs shopapi.IDList `json:"tax_ids"`
	}
	st, table := memory.New(), store.MustTable[goods]("goods")
	if err := st.Migrate(t.Context(), table.Schema()); err != nil {
		t.Fatal(err)
	}
	drop := func(ctx context.Context) (changed int, err error) {
		err = st.Update(ctx, func(ctx context.Context, tx store.Tx) error {
			ids, err := resource.DropFromLists(ctx, tx, table, "tax_ids", func(g *goods) *shopapi.IDList { return &g.TaxIDs }, []int64{7})
			changed = len(ids)
			return err
		})
		return changed, err
	}
	add := func(n int) {
		t.Helper()
		err := st.Update(t.Context(), func(_ context.Context, tx store.Tx) error {
			for range n {
				if err := table.Insert(tx, &goods{TaxIDs: "3,7"}); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	user := shopapi.WithUser(t.Context(), &shopapi.User{Root: true, Type: shopapi.Administrator})
	for _, c := range []struct {
		ctx     context.Context
		rows    int
		refused bool
	}{{user, resource.MaxDependents, false}, {user, resource.MaxDependents + 1, true}, {t.Context(), 0, false}} {
		add(c.rows)
		changed, err := drop(c.ctx)
		if c.refused != (err != nil) || err != nil && (shopapi.AsError(err).Status != 400 || !strings.Contains(err.Error(), "at most 7500")) {
			t.Errorf("%d rows: %d changed, %v", c.rows, changed, err)
		}
	}
	if changed, err := drop(t.Context()); changed != 0 || err != nil {
		t.Errorf("%d rows were left, %v", changed, err)
	}
}
