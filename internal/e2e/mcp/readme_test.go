package mcp_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/shopapi/shopapi/apidoc"
	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/mcp"
	"github.com/shopapi/shopapi/shop"
)

// mount is the code of mcp/README.md.
func mount(ctx context.Context, admin *shop.Shop) (http.Handler, error) {
	mux := http.NewServeMux()
	tools, err := mcp.New(admin.API, mcp.Options{Document: apidoc.Document(ctx, admin.API, nil)})
	if err != nil {
		return nil, err
	}
	mux.Handle("/mcp", tools)
	return mux, nil
}

func TestREADME_MountsTheTools(t *testing.T) {
	handler, err := mount(t.Context(), apitest.New(t, nil).Shop)
	if err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/mcp", nil))
	if w.Code != http.StatusUnauthorized {
		t.Errorf("a POST without credentials is %d, want 401", w.Code)
	}
}
