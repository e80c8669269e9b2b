package apidoc_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/shopapi/shopapi/apitest"
)

// responseOf returns the response that a document has for an answer, and fails without one.
func responseOf(t *testing.T, d map[string]any, operation string, a *apitest.Answer) map[string]any {
	t.Helper()
	response, _ := at(d, fmt.Sprintf("paths %s responses %d", operation, a.Status)).(map[string]any)
	if response == nil {
		t.Errorf("%s is answered %d %s, which the document does not have", operation, a.Status, a.Body)
	}
	if to, ok := response["$ref"].(string); ok {
		response, _ = at(d, strings.ReplaceAll(strings.TrimPrefix(to, "#/"), "/", " ")).(map[string]any)
	}
	return response
}

// TestE2_DocumentOfCodes: a code that several objects have is a 409, which the document has for
// each address with a code, and for no other.
func TestE2_DocumentOfCodes(t *testing.T) {
	s := apitest.New(t, nil)
	s.Post("/api/2.0/categories", `{"category": "Cups"}`)
	for range 2 {
		s.Post("/api/2.0/products", `{"product": "Clay mug", "product_code": "MUG-41", "category_ids": [1]}`)
	}
	d := documentOf(t, s.API, nil)
	for operation, a := range map[string]*apitest.Answer{
		"/products/{product_id} get":            s.Get("/api/2.0/products/code:MUG-41"),
		"/products/{product_id} put":            s.Put("/api/2.0/products/code:MUG-41", `{"product": "Mug"}`),
		"/products/{product_id} delete":         s.Delete("/api/2.0/products/code:MUG-41"),
		"/products/{product_id}/options get":    s.Get("/api/2.0/products/code:MUG-41/options"),
		"/products/{product_id}/options post":   s.Post("/api/2.0/products/code:MUG-41/options", `{"option_name": "Glaze"}`),
		"/products/{product_id}/features get":   s.Get("/api/2.0/products/code:MUG-41/features"),
		"/products/{product_id}/exceptions get": s.Get("/api/2.0/products/code:MUG-41/exceptions"),
	} {
		if a.Status != 409 {
			t.Errorf("%s is answered %d %s, want 409", operation, a.Status, a.Body)
		}
		responseOf(t, d, operation, a)
	}
	for _, operation := range []string{"/products get", "/categories/{category_id} get", "/categories/{category_id} put", "/categories/{category_id}/products get"} {
		if got := at(d, "paths "+operation+" responses 409"); got != nil {
			t.Errorf("%s has the response 409: %v", operation, got)
		}
	}
}
