package shop_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/sqlite"
)

// TestLargeUpdates_AreRefusedWithoutTheWriter: a large payload that is refused is answered while
// another transaction writes, in the order of checks of every update. One that is accepted waits.
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
