package features_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apidoc"
	"github.com/shopapi/shopapi/features"
	"github.com/shopapi/shopapi/store/memory"
)

// goods are products of the host's.
type goods struct{}

func (goods) Describe() shopapi.Description {
	return shopapi.Description{Name: "products", IDField: "product_id", Privileges: shopapi.Privileges{View: "view_catalog"}}
}

func (goods) Get(context.Context, *shopapi.Request, string) (any, error) {
	return map[string]string{"product_id": "1"}, nil
}

// Products of the host's have no values of features, and no address for them: neither in requests
// nor in the document (decisions §12).
func TestFeatures_ProductsOfTheHost(t *testing.T) {
	api := shopapi.New(&shopapi.Options{Identify: func(*http.Request) (*shopapi.User, error) { return &shopapi.User{Root: true}, nil }})
	if err := api.Register(goods{}); err != nil {
		t.Fatal(err)
	}
	if _, err := features.Register(t.Context(), api, memory.New(), nil); err != nil {
		t.Fatal(err)
	}
	document, err := apidoc.JSON(t.Context(), api, nil)
	if err != nil {
		t.Fatal(err)
	}
	if path := "products/{product_id}/features"; strings.Contains(string(document), path) {
		t.Errorf("the document lists %s", path)
	}
	for path, status := range map[string]int{"products/1": 200, "products/1/features": 404, "products/1/features/1": 404, "features": 200} {
		w := httptest.NewRecorder()
		api.ServeHTTP(w, httptest.NewRequest("GET", "/api/"+path, nil))
		if w.Code != status {
			t.Errorf("GET %s: %d %s, want %d", path, w.Code, w.Body, status)
		}
	}
}
