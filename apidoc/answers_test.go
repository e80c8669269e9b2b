package apidoc_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/extensions/changes"
	"github.com/shopapi/shopapi/extensions/files"
	"github.com/shopapi/shopapi/shop"
)

// responseOf returns the response that a document has for an answer, and fails without one.
func responseOf(t *testing.T, d map[string]any, operation string, a *apitest.Answer) map[string]any {
	t.Helper()
	response, _ := at(d, fmt.Sprintf("paths %s responses %d", operation, a.Status)).(map[string]any)
	if response == nil {
		t.Errorf("%s is answered %d %s, which the document does not have", operation, a.Status, a.Body)
	}
	return follow(d, response)
}

// follow returns the part of a document that v refers to, or else v.
func follow(d map[string]any, v any) map[string]any {
	if to, ok := at(v, "$ref").(string); ok {
		v = at(d, strings.ReplaceAll(strings.TrimPrefix(to, "#/"), "/", " "))
	}
	members, _ := v.(map[string]any)
	return members
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

// The document allows an empty text for a number, a flag or a code exactly where the server takes it
// (§4, decisions §5).
func TestDocument_EmptyValues(t *testing.T) {
	s := apitest.New(t, nil)
	s.Post("/api/2.0/categories", `{"category": "Cups"}`)
	s.Post("/api/2.0/products", `{"product": "Clay mug", "price": "5", "category_ids": [1]}`)
	s.Post("/api/2.0/payments", `{"payment": "Card"}`)
	s.Post("/api/2.0/shippings", `{"shipping": "Post"}`)
	s.Post("/api/2.0/discussions", `{"object_type": "P", "object_id": 1, "rating_value": 5}`)
	address := `"b_firstname": "A", "b_lastname": "B", "b_address": "C", "b_city": "D", "b_country": "US", "b_zipcode": "1"`
	s.Post("/api/2.0/orders", `{"user_data": {"email": "a@example.com", `+address+`, `+strings.ReplaceAll(address, `"b_`, `"s_`)+`},
		"payment_id": 1, "shipping_id": 1, "products": {"1": {"amount": 1}}}`)
	d := documentOf(t, s.API, nil)
	for entity, fields := range map[string]string{
		"Products":    "amount price free_shipping status timestamp",
		"Categories":  "position status is_op",
		"Shippings":   "service_id min_weight rate_calculation service_params",
		"Discussions": "rating_value status",
		"Orders":      "shipping_cost repaid notify_user total tax_exempt",
	} {
		for field := range strings.FieldsSeq(fields) {
			of := follow(d, at(d, "components schemas "+entity+"Update properties "+field))
			codes, isCode := of["enum"].([]any)
			pattern, _ := of["pattern"].(string)
			allowed := regexp.MustCompile(pattern).MatchString("") && (!isCode || slices.Contains(codes, any("")))
			got := s.Put("/api/2.0/"+strings.ToLower(entity)+"/1", `{"`+field+`": ""}`)
			if allowed != (got.Status == 200) {
				t.Errorf("%s.%s: the document has %v, and the server answers %d %s", entity, field, of, got.Status, got.Body)
			}
		}
	}
}

// TestE4_DocumentOfChanges: changes have an object where it is asked for alone, and a position
// that the log does not have is a 410.
func TestE4_DocumentOfChanges(t *testing.T) {
	s := apitest.New(t, &shop.Options{Changes: changes.Options{Mode: changes.On}})
	s.Post("/api/2.0/categories", `{"category": "Cups"}`)
	d := documentOf(t, s.API, nil)
	answer := follow(d, at(responseOf(t, d, "/changes get", s.Get("/api/2.0/changes?since=0")), "content application/json schema"))
	change := follow(d, at(answer, "properties changes items"))
	required, _ := at(change, "required").([]any)
	if at(change, "properties object") == nil || len(required) == 0 || slices.Contains(required, any("object")) {
		t.Errorf("of a change %v are required, and object is %v", required, at(change, "properties object"))
	}
	if a := s.Get("/api/2.0/changes?since=other.1"); a.Status != 410 {
		t.Errorf("a position of another log is answered %d %s", a.Status, a.Body)
	} else if gone := follow(d, at(responseOf(t, d, "/changes get", a), "content application/json schema")); a.Field("first_seq") == "" || at(gone, "properties first_seq") == nil {
		t.Errorf("the answer is %s, and described as %v", a.Body, gone)
	}
	if got := at(d, "paths /categories get responses 410"); got != nil {
		t.Errorf("GET categories has the response 410: %v", got)
	}
}

// TestE6_DocumentOfWrongRows: the document has the rows of a refused PUT with match.
func TestE6_DocumentOfWrongRows(t *testing.T) {
	s := apitest.New(t, &shop.Options{Batch: true})
	d := documentOf(t, s.API, nil)
	for accept, mediaType := range map[string]string{"*/*": "application/json", "application/problem+json": "application/problem+json"} {
		a := s.Accepting(accept).Put("/api/2.0/products?match=product_code&atomic=Y", `[{"product_code": "none"}]`)
		var answer map[string]any
		if err := json.Unmarshal([]byte(a.Body), &answer); err != nil {
			t.Fatal(err)
		}
		described := follow(d, at(responseOf(t, d, "/products put", a), "content "+mediaType+" schema"))
		if answer["rows"] == nil {
			t.Errorf("a wrong row is answered %d %s", a.Status, a.Body)
		}
		for name := range answer {
			if at(described, "properties "+name) == nil {
				t.Errorf("the document does not have %s of %s", name, a.Body)
			}
		}
	}
}

// TestE7_DocumentOfLocation: the document has the header with the address of a job.
func TestE7_DocumentOfLocation(t *testing.T) {
	s := apitest.New(t, &shop.Options{Jobs: files.JobOptions{Dir: t.TempDir()}})
	a := s.Do("POST", "/api/2.0/jobs?import=products", "application/x-ndjson", "{}\n")
	if a.Status != 202 || a.Header.Get("Location") == "" {
		t.Errorf("an import is answered %d %v %s", a.Status, a.Header, a.Body)
	}
	d := documentOf(t, s.API, nil)
	if at(responseOf(t, d, "/jobs post", a), "headers Location") == nil {
		t.Error("the document does not have the header Location")
	}
	body, _ := at(d, "paths /jobs post requestBody content").(map[string]any)
	if diff := cmp.Diff([]string{"application/x-ndjson", "text/csv"}, slices.Sorted(maps.Keys(body))); diff != "" {
		t.Errorf("the types of a file: %s", diff)
	}
}

// TestDocument_Deprecation: lists with deprecated parameters have the header Deprecation.
func TestDocument_Deprecation(t *testing.T) {
	s := apitest.New(t, nil)
	d := documentOf(t, s.API, nil)
	for entity, want := range map[string]bool{"products": true, "categories": false} {
		a := s.Get("/api/2.0/" + entity + "?updated_from=0")
		_, got := a.Header["Deprecation"]
		described := at(responseOf(t, d, "/"+entity+" get", a), "headers Deprecation") != nil
		if got != want || described != want {
			t.Errorf("%s: the header is there: %v, and in the document: %v; want %v", entity, got, described, want)
		}
	}
}

// TestE12_ExamplesAtEachPlace: the examples of new objects are accepted where the document has them:
// below a parent, and in the editions with several companies.
func TestE12_ExamplesAtEachPlace(t *testing.T) {
	for edition, addresses := range map[shopapi.Edition]map[string]string{
		shopapi.SingleStore: {
			"/categories": "/categories", "/categories/{category_id}/discussions": "/categories/1/discussions",
			"/products/{product_id}/discussions": "/products/1/discussions", "/products/{product_id}/options": "/products/1/options",
			"/stores/{store_id}/discussions": "/stores/1/discussions", "/stores/{store_id}/options": "/stores/1/options",
		},
		shopapi.MultiStorefront: {
			"/categories": "/categories", "/users": "/users", "/payments": "/payments", "/pages": "/pages",
			"/stores/{store_id}/pages": "/stores/1/pages", "/categories/{category_id}/discussions": "/categories/1/discussions",
		},
		shopapi.MultiVendor: {"/vendors": "/vendors", "/users": "/users", "/vendors/{store_id}/options": "/vendors/1/options"},
	} {
		s := apitest.New(t, &shop.Options{Options: shopapi.Options{Edition: edition}})
		s.Post("/api/2.0/categories", `{"category": "Cups", "company_id": 1}`)
		s.Post("/api/2.0/products", `{"product": "Clay mug", "category_ids": [1], "company_id": 1}`)
		d := documentOf(t, s.API, nil)
		for path, address := range addresses {
			example := follow(d, at(d, "paths "+path+" post requestBody content application/json examples create"))
			body, err := json.Marshal(example["value"])
			if err != nil {
				t.Fatal(err)
			}
			if a := s.Post("/api/2.0"+address, string(body)); a.Status != 201 {
				t.Errorf("edition %v: the example of POST %s, %s, is answered %d %s", edition, path, body, a.Status, a.Body)
			}
		}
	}
}

// TestDocument_Periods: the document has the codes of periods, which lists accept, and no list
// accepts another.
func TestDocument_Periods(t *testing.T) {
	s := apitest.New(t, nil)
	d := documentOf(t, s.API, nil)
	for _, entity := range []string{"orders", "discussions", "carts"} {
		codes, _ := at(d, "components parameters "+strings.ToUpper(entity[:1])+entity[1:]+".period schema enum").([]any)
		if len(codes) != 15 {
			t.Errorf("the periods of %s are %v, want 15", entity, codes)
		}
		for _, code := range codes {
			if a := s.Get(fmt.Sprintf("/api/2.0/%s?last_days=3&period=%s", entity, code)); a.Status != 200 {
				t.Errorf("the period %s of %s is answered %d %s", code, entity, a.Status, a.Body)
			}
		}
		if a := s.Get("/api/2.0/" + entity + "?period=Z"); a.Status != 400 || strings.Count(a.Body, "period must be one of") != 1 {
			t.Errorf("another period of %s is answered %d %s", entity, a.Status, a.Body)
		}
	}
}

// TestE10_DocumentOfVersion: the document has the answer of GET version.
func TestE10_DocumentOfVersion(t *testing.T) {
	banner := shopapi.Banner{Brand: "Pottery", Version: "4.3.5", Edition: "single"}
	s := apitest.New(t, &shop.Options{Options: shopapi.Options{Dialect: shopapi.DialectLive, Banner: banner}})
	d := documentOf(t, s.API, nil)
	a := s.Get("/api/2.0/version")
	described := follow(d, at(responseOf(t, d, "/version get", a), "content application/json schema"))
	if a.Field("Version") != "4.3.5" || at(described, "properties Version type") != "string" {
		t.Errorf("the answer is %s, and described as %v", a.Body, described)
	}
}
