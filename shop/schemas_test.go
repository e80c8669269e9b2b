package shop_test

import (
	"context"
	"testing"

	"github.com/shopapi/shopapi/changes"
	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/memory"
	"github.com/shopapi/shopapi/webhooks"
)

// A tableStore records the tables that are created in it.
type tableStore struct {
	store.Store
	created map[string]bool
}

func (s *tableStore) Migrate(ctx context.Context, schemas ...*store.Schema) error {
	for _, schema := range schemas {
		s.created[schema.Name] = true
	}
	return s.Store.Migrate(ctx, schemas...)
}

// A copy of a shop contains each of its tables once.
func TestSchemas_EqualTheTablesOfNew(t *testing.T) {
	st := &tableStore{memory.New(), map[string]bool{}}
	if _, err := shop.New(t.Context(), st, &shop.Options{Webhooks: webhooks.Options{On: true}}); err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{}
	for _, schema := range shop.Schemas() {
		if listed[schema.Name] {
			t.Errorf("%s is listed twice", schema.Name)
		}
		listed[schema.Name] = true
		if !st.created[schema.Name] {
			t.Errorf("%s is listed, but not created", schema.Name)
		}
	}
	left := map[string]bool{}
	for _, schema := range append(changes.Schemas(), webhooks.DeliverySchemas()...) {
		left[schema.Name] = true // a copy of a shop begins a change log of its own, and has delivered nothing
	}
	for name := range st.created {
		if !listed[name] && !left[name] {
			t.Errorf("%s is created, but not listed", name)
		}
	}
}
