package shop_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/internal/shoptest"
	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver"
	"github.com/shopapi/shopapi/store/sqlite"
)

// TestLargeUpdates_AreRefusedWithoutTheWriter: a large payload that is refused is answered while
// another transaction writes, in the order of checks of every update. An accepted one waits.
func TestLargeUpdates_AreRefusedWithoutTheWriter(t *testing.T) {
	t.Parallel()
	st, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "shop.db"), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Close() })
	s := openWithProducts(t, st, nil, "MUG-41")
	large := strings.Repeat("x", 100<<10)
	body := fmt.Sprintf(`{"full_description": %q, "amount": "many"}`, large)
	err = st.Update(t.Context(), func(context.Context, store.Tx) error {
		want(t, s.Put("/api/2.0/products/1", body), 400, "amount")
		want(t, s.Put("/api/2.0/products/99", body), 404, "")
		want(t, sendWith(t, s, "PUT", "/api/2.0/products/1", "If-Match", `"another"`, body), 412, "")
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	want(t, s.Put("/api/2.0/products/1", fmt.Sprintf(`{"full_description": %q}`, large)), 200, "product_id")
	if got := s.Get("/api/2.0/products/1").Field("full_description"); got != large {
		t.Errorf("the text has %d bytes, not %d", len(got), len(large))
	}
}

// TestRefusedPayloads_DoNotWaitForTheWriter: while another transaction writes, a POST with a wrong
// payload, and large payloads with long texts of customers and images, are refused with all problems.
func TestRefusedPayloads_DoNotWaitForTheWriter(t *testing.T) {
	t.Parallel()
	st, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "shop.db"), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Close() })
	s := costShop{apitest.NewWithStore(t, st, nil)}
	s.fill(t)
	s.post(t, "orders", order(`{"product_id": 1, "amount": 1}`))
	long := strings.Repeat("x", 100<<10)
	err = st.Update(t.Context(), func(context.Context, store.Tx) error {
		a := s.Post("/api/2.0/products", `{"product": "P", "category_ids": [99], "amount": "many"}`)
		want(t, a, 400, "amount")
		want(t, a, 400, "category_ids")
		want(t, s.Put("/api/2.0/orders/1", fmt.Sprintf(`{"user_data": {"fax": %q, "b_city": %[1]q}}`, long)), 400, "user_data[b_city]")
		images := `"image_pairs": [{"detailed": {"image_path": "https://example.org/` + long + `.png"}}]`
		want(t, s.Post("/api/2.0/products", `{"product": "P", "category_ids": [1], `+images+`}`), 400, "image_pairs")
		want(t, s.Put("/api/2.0/products/1", `{`+images+`}`), 400, "image_pairs")
		want(t, s.Post("/api/2.0/product_variations", `{"product": "P", "category_ids": [1], `+images+`}`), 400, "image_pairs")
		want(t, s.Put("/api/2.0/product_variations/1", `{`+images+`}`), 400, "image_pairs")
		want(t, s.Put("/api/2.0/orders/1", fmt.Sprintf(`{"payment_info": {"note": %q}}`, long)), 400, "payment_info")
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	want(t, s.Put("/api/2.0/orders/1", `{"user_data": {"b_city": "Bonn"}}`), 200, "order_id")
}

// TestImagesOfVariations_AreStoredBeforeTheTransaction: the writer does not wait for the server of an
// image.
func TestImagesOfVariations_AreStoredBeforeTheTransaction(t *testing.T) {
	t.Parallel()
	st := shoptest.SQLite(t)
	stored := 0
	s := openWithProducts(t, st, &shop.Options{Options: shopapi.Options{StoreImage: func(ctx context.Context, _, _ string) (string, error) {
		if stored++; driver.InUpdate(ctx, st) {
			t.Error("an image is stored within the transaction")
		}
		return "images/stored.jpg", nil
	}}}, "MUG-41")
	const pair = `"main_pair": {"detailed": {"image_path": "https://img.example/a.jpg"}}`
	want(t, s.Put("/api/2.0/product_variations/1", `{`+pair+`}`), 200, "product_id")
	want(t, s.Post("/api/2.0/product_variations", `{"product": "P", "price": 1, "category_ids": [1], `+pair+`}`), 201, "product_id")
	if got := s.Get("/api/2.0/products/2").Body; stored != 2 || !strings.Contains(got, "images/stored.jpg") {
		t.Errorf("%d images were stored: %.300s", stored, got)
	}
}
