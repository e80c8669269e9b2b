package features_test

import (
	"context"
	"testing"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/categories"
	"github.com/shopapi/shopapi/features"
	"github.com/shopapi/shopapi/internal/shoptest"
	"github.com/shopapi/shopapi/products"
	"github.com/shopapi/shopapi/store"
)

// Documents of products that are values of features become these; what does not fit
// stays answered as it was until it is written, and no new feature gets an id that a
// document names (decisions §24).
func TestConversion_DocumentsBecomeValues(t *testing.T) {
	shoptest.EachStore(t, func(t *testing.T, st store.Store) {
		old := &shop{Shop: shoptest.New(t, st, shopapi.Options{Authenticator: users})}
		tree, err := categories.Register(t.Context(), old.API, st)
		old.must(err)
		_, err = products.Register(t.Context(), old.API, st, tree)
		old.must(err)
		old.Call(201, "POST", "categories", `{"category": "Cups"}`)
		for _, sent := range []string{
			`{"1": {"variant_id": "2"}, "2": {"value": "Clay"}, "40": {"value": "unknown"}}`,
			`{"1": {"variant_id": "9"}, "2": {"feature_type": "T", "value": ""}, "3": {"value": "many"}}`,
			`{}`,
		} {
			old.Call(201, "POST", "products", `{"product": "Mug", "category_ids": [1], "product_features": `+sent+`}`)
		}

		// The features were the host's own, say, and have been put into their tables.
		old.must(st.Migrate(t.Context(), features.Schemas()...))
		copied(t, st, []features.Feature{
			{Summary: features.Summary{Type: "S", Description: "Glaze", Status: "A", CompanyID: 1}},
			{Summary: features.Summary{Type: "T", Description: "Note", Status: "A", CompanyID: 1}},
			{Summary: features.Summary{Type: "O", Description: "Height", Status: "A", CompanyID: 1}},
		})
		old.must(store.Upgrade(t.Context(), st, features.Conversions()...))

		s := &shop{Shop: shoptest.New(t, st, shopapi.Options{Authenticator: users})}
		tree, err = categories.Register(t.Context(), s.API, st)
		s.must(err)
		s.products, err = products.Register(t.Context(), s.API, st, tree)
		s.must(err)
		s.features, err = features.Register(t.Context(), s.API, st, s.products)
		s.must(err)
		for id, want := range map[int64]string{
			1: `1=[2] 2=Clay 40:{"feature_id":"40","value":"unknown"}`,
			2: `1:{"feature_id":"1","variant_id":"9"} 2:{"feature_id":"2","feature_type":"T","value":""} 3:{"feature_id":"3","value":"many"}`,
			3: ``,
		} {
			if got := s.has(id); got != want {
				t.Errorf("product %d has %s, want %s", id, got, want)
			}
		}
		shown := s.Call(200, "GET", "products/1", "")
		s.Unchanged(func() { s.Call(200, "PUT", "products/1", shown) })
		s.Call(200, "PUT", "products/1", `{"amount": 5}`)
		s.Call(200, "PUT", "products/2", `{"product_features": {"1": {"feature_id": 1, "variant_id": 9}, "2": "Clay", "3": null}}`)
		if got := s.has(2); got != `1:{"feature_id":"1","variant_id":"9"} 2=Clay` {
			t.Errorf("after a change product 2 has %s", got)
		}
		s.Refuses("PUT", "products/2", `{"product_features": {"1": {"variant_id": 8}}}`, "product_features")
		if id := s.feature("T", "New"); id != "41" {
			t.Errorf("a new feature has the id %s, want one that no document names", id)
		}
	})
}

// copied puts features, each with two variants, into the tables.
func copied(t *testing.T, st store.Store, list []features.Feature) {
	t.Helper()
	table := store.MustTable[features.Feature]("product_features")
	variants := store.MustTable[features.Variant]("product_feature_variants")
	err := st.Update(t.Context(), func(_ context.Context, tx store.Tx) error {
		for i := range list {
			if err := table.Insert(tx, &list[i]); err != nil {
				return err
			}
		}
		for _, name := range []string{"Matt", "Gloss"} {
			if err := variants.Insert(tx, &features.Variant{FeatureID: 1, Name: name}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
