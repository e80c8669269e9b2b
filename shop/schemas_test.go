package shop_test

import (
	"context"
	"slices"
	"testing"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/companies"
	"github.com/shopapi/shopapi/extensions/changes"
	"github.com/shopapi/shopapi/extensions/webhooks"
	"github.com/shopapi/shopapi/features"
	"github.com/shopapi/shopapi/orders"
	"github.com/shopapi/shopapi/products"
	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/memory"
	"github.com/shopapi/shopapi/variations"
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

// A host that leaves entities out may have tables of its own under their names: no table of an
// entity that is not registered is created.
func TestWithout_CreatesNoTables(t *testing.T) {
	ofProducts := slices.Concat(products.Schemas(), orders.Schemas(), variations.Schemas())
	for _, c := range []struct {
		without string
		edition shopapi.Edition
		tables  []*store.Schema
	}{
		{"products", shopapi.SingleStore, ofProducts},
		{"products", shopapi.MultiVendor, ofProducts},
		{"features", shopapi.SingleStore, slices.Concat(features.Schemas(), variations.Schemas())},
		{"orders", shopapi.SingleStore, orders.Schemas()},
		{"stores", shopapi.MultiStorefront, companies.Schemas()},
		{"vendors", shopapi.MultiVendor, companies.Schemas()},
	} {
		st := &tableStore{memory.New(), map[string]bool{}}
		if _, err := shop.New(t.Context(), st, &shop.Options{Options: shopapi.Options{Edition: c.edition}, Without: []string{c.without}}); err != nil {
			t.Fatal(err)
		}
		for _, table := range c.tables {
			if st.created[table.Name] {
				t.Errorf("edition %v without %s: the table %s is created", c.edition, c.without, table.Name)
			}
		}
	}
}
