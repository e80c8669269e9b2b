package features_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/features"
	whole "github.com/shopapi/shopapi/shop"
)

// TestFeatures_OfProducts: names are in the language asked for, and a vendor sees products
// of their own alone.
func TestFeatures_OfProducts(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, &whole.Options{Options: shopapi.Options{Edition: shopapi.MultiVendor}})
	send := func(address, payload string) {
		t.Helper()
		if a := s.Post("/api/"+address, payload); a.Status != 201 {
			t.Fatalf("POST %s: %d %s", address, a.Status, a.Body)
		}
	}
	send("vendors", `{"company": "Kiln", "email": "kiln@example.org", "phone": "1", "address": "1 Quay", "city": "Oslo", "country": "NO", "state": "03", "zipcode": "0150"}`)
	send("categories", `{"category": "Cups"}`)
	send("languages", `{"lang_code": "de", "name": "German", "country_code": "DE"}`)
	send("features", `{"description": "Glaze", "feature_type": "M", "company_id": 1, "variants": [{"variant": "Matt"}, {"variant": "Gloss"}]}`)
	if a := s.Put("/api/features/1?sl=de", `{"description": "Glasur", "variants": [{"variant_id": 1, "variant": "Stumpf"}, {"variant_id": 2, "variant": "Glanz"}]}`); a.Status != 200 {
		t.Fatal(a.Status, a.Body)
	}
	for _, company := range []string{"1", "2"} {
		send("products", `{"product": "Mug", "category_ids": [1], "company_id": `+company+`, "product_features": {"1": {"variants": {"1": 1, "2": 2}}}}`)
	}
	send("products", `{"product": "Plate", "category_ids": [1]}`)

	ctx := t.Context()
	want := func(name string, variants ...features.ProductVariant) []features.ProductFeature {
		return []features.ProductFeature{{FeatureID: 1, Type: features.MultiSelect, Name: name, Variants: variants}}
	}
	english := want("Glaze", features.ProductVariant{VariantID: 1, Name: "Matt"}, features.ProductVariant{VariantID: 2, Name: "Gloss"})
	german := want("Glasur", features.ProductVariant{VariantID: 1, Name: "Stumpf"}, features.ProductVariant{VariantID: 2, Name: "Glanz"})
	vendor := shopapi.WithUser(ctx, &shopapi.User{ID: 7, Type: shopapi.Vendor, CompanyID: 2})
	got, err := s.Features.OfProducts(ctx, 1, 2, 3, 77)
	if diff := cmp.Diff(map[int64][]features.ProductFeature{1: english, 2: english}, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if got, err = s.Features.OfProducts(shopapi.WithLanguage(ctx, "de"), 2); err != nil || cmp.Diff(map[int64][]features.ProductFeature{2: german}, got) != "" {
		t.Errorf("in German: %v, %v", got, err)
	}
	if got, err = s.Features.OfProducts(vendor, 1, 2); err != nil || cmp.Diff(map[int64][]features.ProductFeature{2: english}, got) != "" {
		t.Errorf("for the vendor: %v, %v", got, err)
	}
	if got, err = s.Features.OfProducts(ctx); err != nil || len(got) != 0 {
		t.Errorf("of no products: %v, %v", got, err)
	}

	send("options", `{"product_id": 1, "option_name": "Size", "option_type": "S", "variants": [{"variant_name": "Small"}]}`)
	send("options", `{"product_id": 2, "option_name": "Size", "option_type": "S", "variants": [{"variant_name": "Large"}]}`)
	of, err := s.Options.OfProducts(vendor, 1, 2)
	if err != nil || len(of) != 1 || of[2][0].Variants[0].Name != "Large" || of[2][0].CompanyID != 2 {
		t.Errorf("options for the vendor: %+v, %v", of, err)
	}
}

// TestFeatures_OfOffer: an offer has the values of its common product, and they cannot be deleted
// from the offer.
func TestFeatures_OfOffer(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, &whole.Options{Options: shopapi.Options{Edition: shopapi.MultiVendor}})
	for _, sent := range [][2]string{
		{"categories", `{"category": "Cups"}`},
		{"features", `{"description": "Clay", "feature_type": "T", "company_id": 1}`},
		{"master_products", `{"product": "Mug", "category_ids": [1], "price": 5, "product_features": {"1": "red"}}`},
		{"master_products/1/master_product_offers", `{"company_id": 1}`},
	} {
		if a := s.Post("/api/"+sent[0], sent[1]); a.Status != 201 {
			t.Fatalf("POST %s: %d %s", sent[0], a.Status, a.Body)
		}
	}
	if a := s.Delete("/api/products/2/features/1"); a.Status != 400 || !strings.Contains(a.Body, "common product 1") {
		t.Errorf("DELETE of a value of an offer: %d %s", a.Status, a.Body)
	}
	if a := s.Delete("/api/products/2/features/2"); a.Status != 404 {
		t.Errorf("DELETE of a value that an offer does not have: %d %s", a.Status, a.Body)
	}
	if a := s.Get("/api/products/2/features/1"); !strings.Contains(a.Body, `"value":"red"`) {
		t.Errorf("the value is now %s", a.Body)
	}
}
