package apidoc_test

import (
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apidoc"
	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/shop"
)

// formats collects the formats of the bodies in a document.
func formats(v any, into map[string]int) {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			formats(item, into)
		}
	case map[string]any:
		for name, member := range v {
			if content, ok := member.(map[string]any); ok && name == "content" {
				for format := range content {
					into[format]++
				}
			} else if name != "schemas" && name != "example" && name != "examples" {
				formats(member, into)
			}
		}
	}
}

// TestOptions_JSONOnly: generators that make one type of all formats need a document with
// one format.
func TestOptions_JSONOnly(t *testing.T) {
	s := apitest.New(t, &shop.Options{Batch: true})
	all, one := map[string]int{}, map[string]int{}
	formats(documentOf(t, s.API, nil), all)
	formats(documentOf(t, s.API, &apidoc.Options{JSONOnly: true}), one)
	if all["text/plain"] < 100 || all["application/x-www-form-urlencoded"] < 30 || all["application/json"] != one["application/json"] {
		t.Errorf("the formats are %v, and %v with JSON alone", all, one)
	}
	if len(one) != 1 {
		t.Errorf("the formats with JSON alone are %v", one)
	}
}

// invalidIn30 returns what OpenAPI 3.0 does not allow in schemas.
func invalidIn30(at string, v any) (problems []string) {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			problems = append(problems, invalidIn30(at, item)...)
		}
	case map[string]any:
		if _, ok := v["$ref"].(string); ok && len(v) > 1 {
			problems = append(problems, at+": a reference has other members")
		}
		if _, ok := v["type"].([]any); ok {
			problems = append(problems, at+": several types")
		}
		if v["type"] == "null" {
			problems = append(problems, at+": the type null")
		}
		if v["nullable"] == true && v["type"] == nil {
			problems = append(problems, at+": null without a type")
		}
		if v["type"] == "array" && v["items"] == nil {
			problems = append(problems, at+": an array without items")
		}
		for name, member := range v {
			if name != "example" {
				problems = append(problems, invalidIn30(at+"/"+name, member)...)
			}
		}
	}
	return problems
}

// TestOptions_OpenAPI30: schemas have one type, nullable is beside it, and unions are unions in answers alone.
func TestOptions_OpenAPI30(t *testing.T) {
	for name, dialect := range map[string]shopapi.Dialect{"documented": shopapi.DialectDocumented, "live": shopapi.DialectLive} {
		t.Run(name, func(t *testing.T) {
			s := apitest.New(t, &shop.Options{Options: shopapi.Options{Dialect: dialect}, Batch: true})
			text, err := apidoc.JSON(t.Context(), s.API, &apidoc.Options{OpenAPI30: true, JSONOnly: true})
			if err != nil {
				t.Fatal(err)
			}
			var d map[string]any
			if err := json.Unmarshal(text, &d); err != nil {
				t.Fatal(err)
			}
			if d["openapi"] != "3.0.3" {
				t.Errorf("the version is %v", d["openapi"])
			}
			for _, problem := range invalidIn30("", d) {
				t.Error(problem)
			}
			at := func(names ...string) any {
				var v any = d
				for _, name := range names {
					v = v.(map[string]any)[name]
				}
				return v
			}
			features := []string{"components", "schemas", "ProductsObject", "properties", "product_features"}
			if union, _ := at(append(features, "anyOf")...).([]any); len(union) < 2 {
				t.Errorf("product_features of answers are %v, want a union", at(features...))
			}
			if sent := at("components", "schemas", "CategoriesUpdate", "properties", "position"); sent.(map[string]any)["anyOf"] != nil {
				t.Errorf("the position of a request is %v, want one type", sent)
			}
			if list, _ := at("components", "schemas", "OrdersCreate", "properties", "products", "anyOf").([]any); len(list) != 2 {
				t.Errorf("the lines of an order are %v, want a list or an object", at("components", "schemas", "OrdersCreate", "properties", "products"))
			}
			nullable := at("components", "schemas", "CallRequestsObject", "properties", "order_status").(map[string]any)
			if nullable["nullable"] != true {
				t.Errorf("what may be null is %v", nullable)
			}
		})
	}
}

// TestHandler_OpenAPI30: the handler serves the document for generators.
func TestHandler_OpenAPI30(t *testing.T) {
	h, err := apidoc.Handler(t.Context(), apitest.New(t, nil).API, nil)
	if err != nil {
		t.Fatal(err)
	}
	var bodies []string
	for range 2 {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), "GET", "/openapi-3.0.json", nil))
		if w.Code != 200 || w.Header().Get("Etag") == "" || !strings.Contains(w.Body.String(), `"openapi":"3.0.3"`) || strings.Contains(w.Body.String(), `"text/plain":`) {
			t.Errorf("answered %d %v %.100s", w.Code, w.Header(), w.Body)
		}
		bodies = append(bodies, w.Body.String())
	}
	if bodies[0] != bodies[1] {
		t.Error("the document differs from request to request")
	}
}
