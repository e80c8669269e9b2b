package docs_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/shopapi/shopapi/apidoc"
	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/extensions/console"
	"github.com/shopapi/shopapi/shop"
)

// mountPages adds the reference and the console beside the API.
func mountPages(ctx context.Context, admin *shop.Shop) (*http.ServeMux, error) {
	mux := http.NewServeMux()
	docs, err := apidoc.Handler(ctx, admin.API, nil)
	if err != nil {
		return nil, err
	}
	pages, err := console.Handler(ctx, admin.API, nil)
	if err != nil {
		return nil, err
	}
	mux.Handle("/docs/", http.StripPrefix("/docs", docs))
	mux.Handle("/console/", http.StripPrefix("/console", pages))
	return mux, nil
}

func TestMountPages(t *testing.T) {
	mux, err := mountPages(t.Context(), apitest.New(t, nil).Shop)
	if err != nil {
		t.Fatal(err)
	}
	for _, address := range []string{"/docs/", "/docs/openapi.json", "/console/", "/console/openapi.json"} {
		w := httptest.NewRecorder()
		mux.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), "GET", address, nil))
		if w.Code != 200 {
			t.Errorf("%s answers %d", address, w.Code)
		}
	}
}
