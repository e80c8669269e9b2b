package apidoc_test

import (
	"context"
	"encoding/json"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apidoc"
	"github.com/shopapi/shopapi/apitest"
	_ "github.com/shopapi/shopapi/internal/fasttest"
	"github.com/shopapi/shopapi/shop"
)

// documentOf returns the document of an API as served.
func documentOf(t *testing.T, api *shopapi.API, o *apidoc.Options) (document map[string]any) {
	t.Helper()
	data, err := json.Marshal(apidoc.Document(t.Context(), api, o))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &document); err != nil {
		t.Fatal(err)
	}
	return document
}

// at returns the value in the document at a path of members, separated by spaces.
func at(v any, path string) any {
	for name := range strings.SplitSeq(path, " ") {
		members, _ := v.(map[string]any)
		v = members[name]
	}
	return v
}

// TestDocument_ClosedTo: operations name the vendors or storefront administrators to
// whom an edition closes them.
func TestDocument_ClosedTo(t *testing.T) {
	for edition, want := range map[shopapi.Edition]map[string]any{
		shopapi.SingleStore: {"/taxes post": nil, "/orders post": nil, "/settings get": nil},
		shopapi.MultiVendor: {
			"/taxes get": nil, "/taxes post": "vendors", "/orders post": "vendors", "/orders/{order_id} put": nil, "/products post": nil,
			"/settings get": "vendors", "/discussions get": nil, "/discussions post": "vendors", "/products/{product_id}/discussions get": nil,
			"/master_products/{product_id} put": "vendors", "/vendors post": "vendors",
		},
		shopapi.MultiStorefront: {
			"/taxes get": nil, "/taxes post": "administrators of one storefront", "/orders post": nil, "/settings get": nil,
		},
	} {
		d := documentOf(t, apitest.New(t, &shop.Options{Options: shopapi.Options{Edition: edition}}).API, nil)
		for path, closed := range want {
			if got := at(d, "paths "+path+" x-closed-to"); got != closed || at(d, "paths "+path) == nil {
				t.Errorf("edition %v: %s is closed to %v, want %v", edition, path, got, closed)
			}
		}
	}
}

// TestDocument_Fields: the types and rules of fields are in the document.
func TestDocument_Fields(t *testing.T) {
	d := documentOf(t, apitest.New(t, nil).API, nil)
	for path, want := range map[string]any{
		"openapi":      "3.1.0",
		"info version": "2.0",
		"paths /products/{product_id}/discussions get operationId":                     "products_discussions_list",
		"paths /products post x-privilege":                                             "manage_catalog",
		"paths /products post responses 201 content application/json schema":           map[string]any{"$ref": "#/components/schemas/ProductsCreated"},
		"components schemas ProductsObject properties price type":                      "string",
		"components schemas ProductsObject properties box_length type":                 "integer",
		"components schemas ProductsObject properties free_shipping enum":              []any{"Y", "N"},
		"components schemas ProductsObject properties product_id readOnly":             true,
		"components schemas ProductsObject properties product readOnly":                nil,
		"components schemas ProductsObject properties popularity":                      map[string]any{"type": "null", "readOnly": true, "description": "Always null."},
		"components schemas ProductsCreate required":                                   []any{"product", "category_ids"},
		"components schemas PagesCreate required":                                      []any{"page_type", "page"},
		"components schemas PagesCreate properties page_type enum":                     []any{"T", "L", "F", "B"},
		"components schemas ProductVariationsGroupsCreate properties created_at":       nil,
		"components schemas PagesCreate properties status description":                 "A active, H hidden, D disabled. By default A.",
		"components schemas PagesCreate properties status default":                     nil,
		"components schemas PagesUpdate properties status description":                 "A active, H hidden, D disabled.",
		"components schemas ProductsCreate properties timestamp description":           "Of creation, seconds since 1970. From 0. By default the time of the request.",
		"components schemas AuthCreate required":                                       []any{"email"},
		"components schemas BlocksCreate required":                                     []any{"type", "properties", "name"},
		"components schemas ProductsUpdate required":                                   nil,
		"components schemas ProductsUpdate properties status enum":                     []any{"A", "D", "H"},
		"components schemas ProductsCreate properties product":                         map[string]any{"type": []any{"string", "number"}, "minLength": 1.0, "maxLength": 255.0, "x-translated": true, "description": "Its name."},
		"components schemas ProductsUpdate properties product minLength":               nil,
		"components schemas ProductsUpdate properties page_title type":                 []any{"string", "number", "null"},
		"components schemas ProductVariationsGroupsCreate properties code description": "Unique; one is made up where none is given.",
		"components schemas ProductsUpdate properties page_title x-max-bytes":          4096.0,
		"components schemas ProductsUpdate properties product_id":                      nil,
		"components schemas OptionsObject properties variants anyOf":                   []any{map[string]any{"type": "array", "items": map[string]any{}, "maxItems": 0.0}, map[string]any{"type": "object", "additionalProperties": map[string]any{"$ref": "#/components/schemas/OptionsVariant"}}},
		"components schemas OptionsObject properties variants readOnly":                nil,
		"components schemas CategoriesUpdate properties parent_id x-relation":          "categories",
		"components schemas ProductsUpdate properties avail_since x-widget":            "time",
		"components schemas ProductsUpdate properties timestamp x-widget":              "time",
		"components schemas CombinationsObject properties combination":                 map[string]any{"type": "object", "additionalProperties": map[string]any{"type": "string"}, "description": "Ids of options with the ids of their variants."},
		"components schemas UsergroupsList type":                                       "object",
		"components schemas ExceptionsList type":                                       "array",
		"components schemas TaxesList required":                                        []any{"taxes", "params"},
		"components parameters Products.status schema type":                            "array",
		"components parameters Products.status schema items enum":                      []any{"A", "D", "H"},
		"components parameters Products.status explode":                                false,
		"components parameters Orders.status schema items":                             map[string]any{"type": "string"},
		"components parameters Products.amount_from schema type":                       "integer",
		"components schemas UsersCreated properties profile_id type":                   "string",
		"info x-shop edition":                                                  "single store",
		"info x-shop limits maxItemsPerPage":                                   1000.0,
		"info x-shop privileges manage_taxes":                                  []any{"change taxes"},
		"components responses BadRequest content application/json schema $ref": "#/components/schemas/Error",
	} {
		if diff := cmp.Diff(want, at(d, path)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", path, diff)
		}
	}
	for path, required := range map[string]bool{"/options": true, "/products/{product_id}/options": false} {
		parameters, _ := at(d, "paths "+path+" get parameters").([]any)
		if i := slices.IndexFunc(parameters, func(p any) bool { return at(p, "name") == "product_id" }); i < 0 || at(parameters[i], "required") != required {
			t.Errorf("%s: the parameters are %v", path, parameters)
		}
	}
}

// TestDocument_Languages: sl is a parameter if the entity has translated texts.
func TestDocument_Languages(t *testing.T) {
	d := documentOf(t, apitest.New(t, nil).API, nil)
	for path, want := range map[string]bool{
		"/products get": true, "/products post": true, "/products/{product_id} get": true, "/products/{product_id} put": true,
		"/products/{product_id} delete": false, "/langvars/{name} get": true, "/users get": false, "/users/{user_id} put": false,
	} {
		list, _ := at(d, "paths "+path+" parameters").([]any)
		got := slices.ContainsFunc(list, func(p any) bool { return at(p, "$ref") == "#/components/parameters/sl" })
		if got != want {
			t.Errorf("%s names the parameter sl: %v, want %v", path, got, want)
		}
	}
}

// TestDocument_Dialect: the shapes follow the dialect, and the addresses the host's
// options.
func TestDocument_Dialect(t *testing.T) {
	s := apitest.New(t, &shop.Options{Options: shopapi.Options{Dialect: shopapi.DialectLive, Edition: shopapi.MultiStorefront}})
	d := documentOf(t, s.API, &apidoc.Options{Server: "/admin/api/2.0/", Title: "Pottery"})
	for path, want := range map[string]any{
		"info title":                                   "Pottery",
		"info x-shop dialect":                          "live",
		"info x-shop edition":                          "multi-storefront",
		"components schemas CategoriesList type":       "object",
		"components schemas CategoriesCreate required": []any{"category"},
		"components schemas CategoriesUpdate properties company_id description": "Id of the storefront or vendor that it belongs to. From 0. Is required, but for administrators of one storefront, in the edition with several storefronts.",
		"components schemas CategoriesCreated properties category_id type":      []any{"integer", "string"},
		"components schemas TaxesCreated properties tax_id type":                "string",
		"components schemas CategoriesUpdated properties category_id type":      "string",
		"paths /categories get responses 200 headers X-Total-Count":             nil,
		"paths /users/{user_id}/usergroups/{usergroup_id} put x-privilege":      "manage_usergroups",
	} {
		if diff := cmp.Diff(want, at(d, path)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", path, diff)
		}
	}
	for _, p := range at(d, "paths /products get parameters").([]any) {
		if at(p, "name") == "sort_by" && (at(p, "schema enum") != nil || !strings.Contains(at(p, "description").(string), "Others count as")) {
			t.Errorf("sort_by takes any value in this dialect, and is %v", p)
		}
	}
	if servers, _ := d["servers"].([]any); len(servers) != 1 || at(servers[0], "url") != "/admin/api/2.0" {
		t.Errorf("the servers are %v", d["servers"])
	}
}

// notes are an entity of a host that implements shopapi.Entity itself.
type notes struct{}

func (notes) Describe() shopapi.Description {
	return shopapi.Description{
		Name: "notes", IDField: "note_id", Summary: "What the staff writes down.",
		Privileges: shopapi.Privileges{View: "view_notes", Manage: "manage_notes"}, Parents: []string{"products"},
		Actions: []shopapi.Action{{Name: "pin_note", Summary: "Puts it first."}},
	}
}

func (notes) Get(context.Context, *shopapi.Request, string) (any, error) { return nil, nil }

func (notes) Act(context.Context, *shopapi.Request, string, string) (shopapi.Reply, error) {
	return shopapi.Reply{}, nil
}

// TestDocument_Host: a host's own entity is in the document as far as its description
// goes, and an entity in Without is not.
func TestDocument_Host(t *testing.T) {
	s := apitest.New(t, &shop.Options{Without: []string{"taxes"}})
	if err := s.Register(notes{}); err != nil {
		t.Fatal(err)
	}
	d := documentOf(t, s.API, nil)
	for path, want := range map[string]any{
		"paths /notes/{note_id} get operationId":                       "notes_get",
		"paths /notes/{note_id} put":                                   nil,
		"paths /notes":                                                 nil,
		"paths /products/{product_id}/notes/{note_id} get operationId": "products_notes_get",
		"paths /notes/{note_id}/pin_note post summary":                 "Puts it first",
		"paths /taxes":                                                 nil,
	} {
		if diff := cmp.Diff(want, at(d, path)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", path, diff)
		}
	}
}

// TestEmbedders: a program that mounts only the API links neither this package nor the
// console, nor any package that only they import.
func TestEmbedders(t *testing.T) {
	t.Parallel()
	for program, carries := range map[string]bool{"../examples/embed": false, "../examples/shop": true} {
		out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", program).Output()
		if err != nil {
			t.Fatal(err)
		}
		packages := strings.Fields(string(out))
		for _, name := range []string{"github.com/shopapi/shopapi/apidoc", "github.com/shopapi/shopapi/extensions/console",
			"github.com/swaggest/openapi-go", "github.com/swaggest/swgui", "github.com/swaggest/jsonschema-go"} {
			has := slices.ContainsFunc(packages, func(p string) bool { return p == name || strings.HasPrefix(p, name+"/") })
			if has != carries {
				t.Errorf("%s depends on %s: %v", program, name, has)
			}
		}
	}
}

// TestDocument_Actions: the payload of an action is described, and whether it can be
// repeated.
func TestDocument_Actions(t *testing.T) {
	d := documentOf(t, apitest.New(t, nil).API, nil)
	for path, want := range map[string]any{
		"components schemas ProductVariationsGenerateProductVariations properties combinations items additionalProperties type": []any{"integer", "string"},
		"components schemas ProductVariationsDetachProductVariation properties":                                                 map[string]any{},
		"components schemas ProductsUpdate properties product x-translated":                                                     true,
		"components schemas ProductsUpdate properties price x-translated":                                                       nil,
		"paths /product_variations/{product_id}/detach_product_variation post parameters":                                       []any{map[string]any{"$ref": "#/components/parameters/Idempotency-Key"}},
		"paths /product_variations/{product_id}/detach_product_variation post x-privilege":                                      "manage_catalog",
	} {
		if diff := cmp.Diff(want, at(d, path)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", path, diff)
		}
	}
}

// TestE6_DocumentOfBatches: the document describes the bodies of a batch and of PUT with match
// where the shop takes them, and its examples work.
func TestE6_DocumentOfBatches(t *testing.T) {
	t.Parallel()
	off := documentOf(t, apitest.New(t, nil).API, nil)
	for _, path := range []string{"paths /batch", "paths /products put", "info x-shop limits batchRows"} {
		if got := at(off, path); got != nil {
			t.Errorf("without batches %s is %v", path, got)
		}
	}
	s := apitest.New(t, &shop.Options{Batch: true})
	d := documentOf(t, s.API, nil)
	for path, want := range map[string]any{
		"components schemas Batch properties requests maxItems":                    1000.0,
		"components schemas BatchRequest required":                                 []any{"method", "url"},
		"paths /products put operationId":                                          "products_match",
		"paths /combinations put operationId":                                      "combinations_match",
		"paths /products put requestBody content application/json schema maxItems": 10000.0,
		"paths /categories put":                                                    nil,
		"paths /stores/{store_id}/products put":                                    nil,
		"info x-shop limits batchRows":                                             10000.0,
	} {
		if diff := cmp.Diff(want, at(d, path)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", path, diff)
		}
	}
	send := func(method, address, example string) *apitest.Answer {
		t.Helper()
		body, err := json.Marshal(at(d, "paths "+example+" requestBody content application/json example"))
		if err != nil {
			t.Fatal(err)
		}
		return s.Do(method, address, "application/json", string(body))
	}
	if a := send("POST", "/api/2.0/batch", "/batch post"); a.Status != 200 || strings.Count(a.Body, `"status":201`) != 2 {
		t.Errorf("the example of a batch is answered %d %s", a.Status, a.Body)
	}
	if a := send("PUT", "/api/2.0/products?match=product_code", "/products put"); a.Status != 200 || !strings.Contains(a.Body, `"updated":1`) {
		t.Errorf("the example of products is answered %d %s", a.Status, a.Body)
	}
	if a := send("PUT", "/api/2.0/combinations?match=product_code", "/combinations put"); a.Status != 200 || !strings.Contains(a.Body, "No object of combinations") {
		t.Errorf("the example of combinations is answered %d %s", a.Status, a.Body)
	}
}
