package carts_test

import (
	"context"
	"testing"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/carts"
	"github.com/shopapi/shopapi/internal/shoptest"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/memory"
)

// A request does not delete a product that very many carts contain; the host's own code does.
func TestCarts_ManyContainADeletedProduct(t *testing.T) {
	const many = 5001
	s := suite.Open(t, memory.New(), shopapi.Options{})
	ctx := t.Context()
	s.Must(s.Store.Update(ctx, func(ctx context.Context, _ store.Tx) error {
		for range many {
			if _, err := s.Carts.Put(ctx, carts.Owner{ID: carts.NewGuest()}, carts.Item{ProductID: 1, Amount: 1}); err != nil {
				return err
			}
		}
		return nil
	}))
	admin := shopapi.WithUser(ctx, &shopapi.User{ID: 1, Root: true, Type: shopapi.Administrator})
	shoptest.WantStatus(t, "a request", s.Products.Delete(admin, 1), 400)
	s.Must(s.Products.Delete(ctx, 1))
	if _, total, err := s.Carts.Find(ctx, carts.Filter{}); err != nil || total != 0 {
		t.Errorf("%d carts are left, %v", total, err)
	}
}
