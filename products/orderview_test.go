package products_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/internal/shoptest"
	"github.com/shopapi/shopapi/products"
	"github.com/shopapi/shopapi/store"
)

// A queryTx notes the conditions of its queries.
type queryTx struct {
	store.Tx
	conds *[][]store.Cond
}

func (t queryTx) Select(p *store.Projection, q *store.Query, each func([]store.Value) error) error {
	*t.conds = append(*t.conds, q.Where)
	return t.Tx.Select(p, q, each)
}

// Order views and AddAmounts ask for the same rows in the same words, in whatever order the ids
// are, so that an order over PostgreSQL reads them once.
func TestOrderViews_AskLikeAddAmounts(t *testing.T) {
	s := suite.Open(t, shoptest.Memory(t), shopapi.Options{})
	var conds [][]store.Cond
	err := s.Store.Update(t.Context(), func(ctx context.Context, tx store.Tx) error {
		noted := queryTx{tx, &conds}
		if _, err := products.OrderViewByID(noted, 3, 1, 3, 2); err != nil {
			return err
		}
		return s.Products.AddAmounts(ctx, noted, map[int64]int64{1: 0, 2: 0, 3: 0})
	})
	if err != nil || len(conds) != 2 {
		t.Fatalf("%d queries, %v", len(conds), err)
	}
	if diff := cmp.Diff(conds[1], conds[0], cmp.AllowUnexported(store.Value{})); diff != "" {
		t.Errorf("the queries differ (-AddAmounts, +order views):\n%s", diff)
	}
}
