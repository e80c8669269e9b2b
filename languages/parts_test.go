package languages_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/categories"
	"github.com/shopapi/shopapi/features"
	"github.com/shopapi/shopapi/internal/shoptest"
	"github.com/shopapi/shopapi/options"
	"github.com/shopapi/shopapi/pages"
	"github.com/shopapi/shopapi/products"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/memory"
)

// The texts of an object's parts, and of other objects that it shows, are in the
// language of the request, with the same fallbacks (decisions §15).
func TestTexts_OfParts(t *testing.T) {
	everyStore(t, shopapi.Options{}, func(t *testing.T, s *apitest.Shop) {
		for _, made := range [][2]string{
			{"categories", `{"category": "All"}`},
			{"features", `{"description": "Glaze", "feature_type": "S", "variants": [{"variant": "Matt"}, {"variant": "Gloss"}]}`},
			{"features", `{"description": "Fired at", "feature_type": "N", "variants": [{"variant": "900"}]}`},
			{"products", `{"product": "Mug", "category_ids": [1], "product_features": {"1": 1, "2": 3}}`},
			{"options", `{"product_id": 1, "option_name": "Size", "variants": [{"variant_name": "Small"}, {"variant_name": "Large"}]}`},
			{"pages", `{"page": "About", "page_type": "T"}`},
			{"pages", `{"page": "Shipping", "page_type": "T", "parent_id": 1, "description": "By bike"}`},
		} {
			want(t, s.Post("/api/2.0/"+made[0], made[1]), 201)
		}
		for _, written := range [][2]string{
			{"features/1?sl=de", `{"description": "Glasur", "variants": {"1": {"variant": "Stumpf"}, "2": {}}}`},
			{"options/1", `{"lang_code": "de", "option_name": "Größe", "variants": {"1": {"variant_name": "Klein"}, "2": {"position": 5}}}`},
			{"pages/2?sl=de", `{"page": "Versand", "description": "Mit dem Rad"}`},
		} {
			want(t, s.Put("/api/2.0/"+written[0], written[1]), 200)
		}
		for _, c := range []struct {
			address string
			parts   []string
		}{
			{"features/1", []string{`"description":"Glaze"`, `"variant":"Matt"`, `"variant":"Gloss"`, `"lang_code":"en"`}},
			{"features/1?sl=de", []string{`"description":"Glasur"`, `"variant":"Stumpf"`, `"variant":"Gloss"`, `"lang_code":"de"`}},
			{"features/1?sl=fr", []string{`"description":"Glaze"`, `"variant":"Matt"`}},
			{"features/1/variants?sl=de", []string{`"variant":"Stumpf"`, `"variant":"Gloss"`, `"lang_code":"de"`}},
			{"features?sl=de&description=glas", []string{`"description":"Glasur"`}},
			{"products/1?sl=de", []string{`"description":"Glasur"`, `"variant":"Stumpf"`, `"option_name":"Größe"`, `"variant_name":"Klein"`, `"value_int":"900"`}},
			{"products/1", []string{`"description":"Glaze"`, `"variant":"Matt"`, `"option_name":"Size"`, `"variant_name":"Small"`}},
			{"products?sl=de", []string{`"description":"Glasur"`, `"variant":"Stumpf"`}},
			{"products/1/features?sl=de", []string{`"description":"Glasur"`, `"variant":"Stumpf"`, `"value_int":"900"`}},
			{"options/1?sl=de", []string{`"option_name":"Größe"`, `"variant_name":"Klein"`, `"variant_name":"Large"`, `"position":"5"`}},
			{"options/1", []string{`"option_name":"Size"`, `"variant_name":"Small"`, `"variant_name":"Large"`, `"position":"5"`}},
			{"options?product_id=1&sl=de", []string{`"option_name":"Größe"`, `"variant_name":"Klein"`}},
			{"pages?sl=de&get_tree=true", []string{`"page":"About"`, `"page":"Versand"`, `"description":"Mit dem Rad"`}},
			{"pages?sl=de&get_tree=true&simple=1&sort_by=name", []string{`"page":"Versand","description":""`}},
		} {
			t.Run(c.address, func(t *testing.T) { want(t, s.Get("/api/2.0/"+c.address), 200, c.parts...) })
		}
		before := textRows(t, s)
		want(t, s.Put("/api/2.0/features/1", `{"variants": {"2": {}}}`), 200)
		want(t, s.Delete("/api/2.0/products/1"), 204)
		if after := textRows(t, s); after != before-3 { // one variant; the option and one of its variants
			t.Errorf("%d texts of %d stay, want 3 less", after, before)
		}
		want(t, s.Delete("/api/2.0/features/1"), 204)
		want(t, s.Delete("/api/2.0/pages/1"), 204)
		if after := textRows(t, s); after != 0 {
			t.Errorf("%d texts of objects stay that are gone", after)
		}
	})
}

// textRows counts the texts in languages other than the base one.
func textRows(t *testing.T, s *apitest.Shop) (rows int64) {
	t.Helper()
	err := s.Store.View(t.Context(), func(_ context.Context, tx store.Tx) error {
		for _, schema := range slices.Concat(features.Schemas(), options.Schemas(), pages.Schemas()) {
			if !strings.HasSuffix(schema.Name, "_texts") {
				continue
			}
			n, err := tx.Count(schema, nil)
			if err != nil {
				return err
			}
			rows += n
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// A list in the default language takes as many queries as without languages; in another
// language it takes one more for each table that it shows.
func TestTexts_Queries(t *testing.T) {
	st := &shoptest.CountingStore{Store: memory.New()}
	s := apitest.NewWithStore(t, st, nil)
	for range 3 {
		want(t, s.Post("/api/2.0/categories", `{"category": "Cups"}`), 201)
		want(t, s.Post("/api/2.0/products", `{"product": "Mug", "category_ids": [1]}`), 201)
	}
	byDate := products.Filter{ListOptions: resource.ListOptions{SortBy: "date"}} // sorting by a text in another language may scan
	for _, list := range []func(context.Context) error{
		func(ctx context.Context) error { _, _, err := s.Categories.Find(ctx, categories.Filter{}); return err },
		func(ctx context.Context) error { _, _, err := s.Products.Find(ctx, byDate); return err },
	} {
		count := func(ctx context.Context) int64 {
			return st.In(func() {
				if err := list(ctx); err != nil {
					t.Fatal(err)
				}
			})
		}
		count(t.Context()) // fills the caches
		plain := count(t.Context())
		for code, more := range map[string]int64{"en": 0, "de": 1} {
			if got := count(shopapi.WithLanguage(t.Context(), code)); got != plain+more {
				t.Errorf("a list in %s takes %d queries, want %d more than the %d of one without a language", code, got, more, plain)
			}
		}
	}
}
