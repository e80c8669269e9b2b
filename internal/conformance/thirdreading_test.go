package conformance

import (
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/shop"
)

// The tests of this file check what published clients need (decisions §27).

// created sends a POST that has to be answered 201, and returns a field of the reply.
func created(t *testing.T, s *apitest.Client, address, payload, field string) string {
	t.Helper()
	answer := s.Post(address, payload)
	if answer.Status != 201 {
		t.Fatalf("POST %s %s: %d %s", address, payload, answer.Status, answer.Body)
	}
	return answer.Field(field)
}

// shows reads an object and checks one of its fields.
func shows(t *testing.T, s *apitest.Client, address, field, want string) {
	t.Helper()
	if answer := s.Get(address); answer.Status != 200 || answer.Field(field) != want {
		t.Errorf("GET %s: %d, %s is %q, want %q", address, answer.Status, field, answer.Field(field), want)
	}
}

func in(t *testing.T, o shopapi.Options) *apitest.Shop {
	t.Helper()
	return apitest.New(t, &shop.Options{Options: o})
}

func Test27_WholeNumbers(t *testing.T) {
	t.Parallel()
	s := in(t, shopapi.Options{})
	category := created(t, s.Client, "/api/categories", `{"category": "Cups"}`, "category_id")
	product := created(t, s.Client, "/api/products",
		`{"product": "Mug", "category_ids": [`+category+`.0], "price": 5, "amount": 12.0, "min_qty": 3e0}`, "product_id")
	at := "/api/products/" + product
	shows(t, s.Client, at, "amount", "12")
	shows(t, s.Client, at, "min_qty", "3")
	status(t, s.PutForm(at, "amount=15.0"), 200)
	shows(t, s.Client, at, "amount", "15")
	for _, wrong := range []string{"12.5", "1e400", `"NaN"`, `"Infinity"`, "1e19", `"12."`, `"1.0.0"`} {
		refused(t, s.Put(at, `{"price": 7, "amount": `+wrong+`}`), "amount")
	}
	shows(t, s.Client, at, "price", "5.00")

	payment := created(t, s.Client, "/api/payments", `{"payment": "Invoice", "position": 1.0}`, "payment_id")
	shipping := created(t, s.Client, "/api/shippings",
		`{"shipping": "Courier", "rates": [{"destination_id": 1.0, "rate_value": {"C": {"0": {"value": 5}}}}]}`, "shipping_id")
	user := created(t, s.Client, "/api/users", `{"email": "ana@example.org", "user_type": "C", "company_id": 1.0}`, "user_id")
	order := func(amount string) string {
		return `{"user_id": ` + user + `.0, "payment_id": ` + payment + `.0, "shipping_id": ` + shipping + `e0,
			"products": {"0": {"product_id": ` + product + `.0, "amount": ` + amount + `}}}`
	}
	created(t, s.Client, "/api/orders", order("2.0"), "order_id")
	refused(t, s.Post("/api/orders", order("2.5")), "products[0][amount]")
	option := created(t, s.Client, "/api/options",
		`{"product_id": `+product+`.0, "option_name": "Size", "option_type": "S", "variants": [{"variant_name": "Small", "position": 1.0}]}`, "option_id")
	created(t, s.Client, "/api/exceptions", `{"product_id": `+product+`, "combination": {"`+option+`": -1.0}}`, "exception_id")
	refused(t, s.Post("/api/exceptions", `{"product_id": `+product+`, "combination": {"`+option+`": -1.5}}`), "combination")
}

func Test27_LiveProductWithoutCategory(t *testing.T) {
	t.Parallel()
	documented := in(t, shopapi.Options{})
	created(t, documented.Client, "/api/categories", `{"category": "Cups"}`, "category_id")
	refused(t, documented.Post("/api/products", `{"product": "Mug", "price": 5}`), "category_ids")
	refused(t, documented.Post("/api/products", `{"product": "Mug", "category_ids": [1], "main_category": 77}`), "main_category")

	s := in(t, shopapi.Options{Dialect: shopapi.DialectLive})
	refused(t, s.Post("/api/products", `{"product": "Mug", "price": 5}`), "category_ids")
	for _, name := range []string{`{"category": "Late", "position": 50}`, `{"category": "First", "position": 10}`, `{"category": "Below", "parent_id": 1, "position": 1}`} {
		created(t, s.Client, "/api/categories", name, "category_id")
	}
	main := func(payload, want string) {
		t.Helper()
		shows(t, s.Client, "/api/products/"+created(t, s.Client, "/api/products", payload, "product_id"), "main_category", want)
	}
	main(`{"product": "Mug", "price": 5}`, "2")
	main(`{"product": "Mug", "main_category": 3}`, "3")
	main(`{"product": "Mug", "category_ids": [1], "main_category": 3}`, "1")
	for _, wrong := range []string{`{"product": "Mug", "main_category": 77}`, `{"product": "Mug", "category_ids": [1], "main_category": 77}`} {
		refused(t, s.Post("/api/products", wrong), "main_category")
	}
	refused(t, s.Put("/api/products/1", `{"product": "Cup", "main_category": 77}`), "main_category")
	shows(t, s.Client, "/api/products/1", "product", "Mug")
	for _, empty := range []string{`[]`, `""`, `null`} {
		refused(t, s.Post("/api/products", `{"product": "Mug", "category_ids": `+empty+`}`), "category_ids")
	}
	if err := s.Settings.Set(t.Context(), 0, shopapi.SettingDefaultCategory, "3"); err != nil {
		t.Fatal(err)
	}
	main(`{"product": "Mug"}`, "3")
	status(t, s.Delete("/api/categories/3"), 204)
	main(`{"product": "Mug"}`, "2")
	if err := s.Settings.Set(t.Context(), 0, shopapi.SettingDefaultCategory, "First"); err == nil {
		t.Error("the default category is a name")
	}
}

// The setting default_category names a category that exists, or none; the value that it has
// is not checked again (decisions §5).
func Test27_DefaultCategoryExists(t *testing.T) {
	t.Parallel()
	s := in(t, shopapi.Options{Dialect: shopapi.DialectLive})
	created(t, s.Client, "/api/categories", `{"category": "Cups"}`, "category_id")
	var setting string
	for _, one := range items(t, s.Get("/api/settings?items_per_page=100"), "settings") {
		if string(one["name"]) == `"default_category"` {
			setting = "/api/settings/" + strings.Trim(string(one["object_id"]), `"`)
		}
	}
	refused(t, s.Put(setting, `{"value": "77"}`), "value")
	status(t, s.Put(setting, `{"value": "1"}`), 200)
	refused(t, s.Put(setting, `{"value": 77}`), "value")
	shows(t, s.Client, setting, "value", "1")
	status(t, s.Delete("/api/categories/1"), 204)
	status(t, s.Put(setting, `{"value": "1"}`), 200)
	status(t, s.Put(setting, `{"value": ""}`), 200)
	refused(t, s.Put(setting, `{"value": "1"}`), "value")
}

func Test27_NoMessageInReplies(t *testing.T) {
	t.Parallel()
	vendors := in(t, shopapi.Options{Edition: shopapi.MultiVendor})
	answer := vendors.Post("/api/vendors", `{"company": "Kiln", "email": "kiln@example.org", "phone": "1", "address": "1 Quay", "city": "Oslo", "country": "NO", "state": "03", "zipcode": "0150"}`)
	body(t, answer, 201, `{"store_id":"2","company_id":"2","message":""}`)
	stores := in(t, shopapi.Options{Edition: shopapi.MultiStorefront})
	body(t, stores.Post("/api/stores", `{"company": "Kiln", "storefront": "kiln.example.org"}`), 201, `{"store_id":"2","message":""}`)
}

func Test27_PagesAndBlocksBelongToTheDefaultCompany(t *testing.T) {
	t.Parallel()
	s := in(t, shopapi.Options{Edition: shopapi.MultiStorefront})
	created(t, s.Client, "/api/stores", `{"company": "Kiln", "storefront": "kiln.example.org"}`, "store_id")
	page, block := `{"page": "Delivery", "page_type": "T"}`, `{"type": "main", "name": "Main", "properties": {"template": "main.tpl"}}`
	shows(t, s.Client, "/api/pages/"+created(t, s.Client, "/api/pages", page, "page_id"), "company_id", "1")
	shows(t, s.Client, "/api/blocks/"+created(t, s.Client, "/api/blocks", block, "block_id"), "company_id", "1")
	clerk := s.UserOf(2, "view_pages", "manage_pages", "view_blocks", "manage_blocks")
	shows(t, clerk, "/api/pages/"+created(t, clerk, "/api/pages", page, "page_id"), "company_id", "2")
	shows(t, clerk, "/api/blocks/"+created(t, clerk, "/api/blocks", block, "block_id"), "company_id", "2")
	refused(t, s.Post("/api/categories", `{"category": "Cups"}`), "company_id")
}

func Test27_ProductsByTimeOfChange(t *testing.T) {
	t.Parallel()
	s := in(t, shopapi.Options{})
	created(t, s.Client, "/api/categories", `{"category": "Cups"}`, "category_id")
	created(t, s.Client, "/api/products", `{"product": "Early", "category_ids": [1]}`, "product_id")
	s.Clock.Advance(48 * time.Hour)
	created(t, s.Client, "/api/products", `{"product": "Late", "category_ids": [1]}`, "product_id")
	for query, want := range map[string]string{
		"updated_at_from=2024-01-02": "1", "updated_at_to=2024-01-01": "1", "updated_at_from=2024-01-01&updated_at_to=2024-01-03": "2",
		"updated_at_from=1704110400": "2", "updated_at_to=1704110399": "0", "updated_from=2024-01-02": "1",
	} {
		if answer := s.Get("/api/products?" + query); !strings.Contains(answer.Body, `"total_items":"`+want+`"`) {
			t.Errorf("%s: %s, want %s products", query, answer.Body, want)
		}
	}
	refused(t, s.Get("/api/products?updated_at_from=yesterday"), "updated_at_from")
	refused(t, s.Get("/api/products?updated_at_from=2024-02-01&updated_at_to=2024-01-01"), "updated_at_from")
}

func Test27_ListsOfUsersHavePhoneAndBillingAddress(t *testing.T) {
	t.Parallel()
	s := in(t, shopapi.Options{})
	created(t, s.Client, "/api/users", `{"email": "ana@example.org", "user_type": "C", "company_id": 1, "phone": "555", "b_city": "Riga", "s_city": "Oslo"}`, "user_id")
	answer := s.Get("/api/users?email=ana")
	if !strings.Contains(answer.Body, `"phone":"555"`) || !strings.Contains(answer.Body, `"b_city":"Riga"`) || strings.Contains(answer.Body, "s_city") {
		t.Errorf("the list is %s", answer.Body)
	}
}

func Test27_LiveFilters(t *testing.T) {
	t.Parallel()
	s := in(t, shopapi.Options{Dialect: shopapi.DialectLive})
	created(t, s.Client, "/api/categories", `{"category": "Cups", "company_id": ""}`, "category_id")
	created(t, s.Client, "/api/products", `{"product": "Early", "status": "D", "company_id": ""}`, "product_id")
	created(t, s.Client, "/api/discussions", `{"object_type": "P", "object_id": 1, "message": "Early"}`, "post_id")
	s.Clock.Advance(48 * time.Hour)
	created(t, s.Client, "/api/products", `{"product": "A late one", "status": "H"}`, "product_id")
	created(t, s.Client, "/api/discussions", `{"object_type": "P", "object_id": 1, "message": "Late"}`, "post_id")
	for query, want := range map[string]string{
		"products?status=D,H": "2", "products?status=A,D": "1", "products?status=D": "1",
		"discussions?period=HD": "1", "discussions?period=HC&last_days=1": "1", "discussions?period=HC&last_days=3": "2",
		"discussions?time_from=2024-01-02": "1", "discussions?time_to=2024-01-02": "1", "discussions": "2",
	} {
		if answer := s.Get("/api/" + query); !strings.Contains(answer.Body, `"total_items":"`+want+`"`) {
			t.Errorf("%s: %s, want %s", query, answer.Body, want)
		}
	}
	if answer := s.Get("/api/products?sort_by=updated_timestamp&sort_order=desc"); !strings.Contains(answer.Body, `"sort_by":"updated"`) ||
		!strings.Contains(answer.Body, `"products":[{"product_id":"2"`) {
		t.Errorf("sort_by=updated_timestamp: %s", answer.Body)
	}
	refused(t, s.Get("/api/products?status=D,X"), "status")
	refused(t, s.Get("/api/discussions?period=HC"), "last_days")
	refused(t, s.Get("/api/discussions?period=HC&last_days=3651"), "last_days")
	refused(t, s.Get("/api/discussions?time_from=soon"), "time_from")

	documented := in(t, shopapi.Options{})
	refused(t, documented.Post("/api/categories", `{"category": "Cups", "company_id": ""}`), "company_id")
}

func Test27_ListsWithVariantsAndOptions(t *testing.T) {
	t.Parallel()
	for name, dialect := range dialects {
		t.Run(name, func(t *testing.T) {
			s := in(t, shopapi.Options{Dialect: dialect})
			created(t, s.Client, "/api/features", `{"description": "Glaze", "feature_type": "S", "company_id": 1, "variants": [{"variant": "Matt"}, {"variant": "Gloss"}]}`, "feature_id")
			created(t, s.Client, "/api/features", `{"description": "Weight", "feature_type": "O", "company_id": 1}`, "feature_id")
			if plain, full := s.Get("/api/features"), s.Get("/api/features?get_variants=Y"); strings.Contains(plain.Body, "variants") ||
				strings.Count(full.Body, `"variants":{"1":{"variant_id":"1","variant":"Matt"`) != 1 || strings.Count(full.Body, `"variants"`) != 1 {
				t.Errorf("lists of features: %s and %s", plain.Body, full.Body)
			}
			created(t, s.Client, "/api/categories", `{"category": "Cups"}`, "category_id")
			for _, product := range []string{"Mug", "Plate"} {
				created(t, s.Client, "/api/products", `{"product": "`+product+`", "category_ids": [1]}`, "product_id")
			}
			created(t, s.Client, "/api/options", `{"product_id": 1, "option_name": "Size", "option_type": "S", "variants": [{"variant_name": "Small"}]}`, "option_id")
			if plain, full := s.Get("/api/products"), s.Get("/api/products?get_options=true"); strings.Contains(plain.Body, "option_name") ||
				strings.Count(full.Body, `"product_options":{"1":{`) != 1 || strings.Count(full.Body, `"product_options":[]`) != 1 {
				t.Errorf("lists of products: %s and %s", plain.Body, full.Body)
			}
			refused(t, s.Get("/api/features?get_variants=perhaps"), "get_variants")
		})
	}
}

func Test27_VariantsThatTheSenderHasNotSeenStay(t *testing.T) {
	t.Parallel()
	s := in(t, shopapi.Options{})
	feature := func() string {
		return created(t, s.Client, "/api/features",
			`{"description": "Glaze", "feature_type": "S", "company_id": 1, "variants": [{"variant": "Matt"}, {"variant": "Gloss"}, {"variant": "Raw"}]}`, "feature_id")
	}
	names := func(id string) string {
		var f struct {
			Variants map[string]struct{ Variant string }
		}
		s.Get("/api/features/" + id).Decode(&f)
		var list []string
		for _, key := range []string{"1", "2", "3", "4", "5", "6", "7", "8", "9"} {
			if v, ok := f.Variants[key]; ok {
				list = append(list, v.Variant)
			}
		}
		return strings.Join(list, " ")
	}
	first, second := feature(), feature()
	status(t, s.Put("/api/features/"+first, `{"variants": [{"variant_id": 1, "variant": "Dull"}], "original_var_ids": "1,2,999"}`), 200)
	if got := names(first); got != "Dull Raw" {
		t.Errorf("after the first change: %s", got)
	}
	status(t, s.Put("/api/features/"+first, `{"variants": [{"variant": "New"}], "original_var_ids": ""}`), 200)
	if got := names(first); got != "Dull Raw New" {
		t.Errorf("after a change by a sender who has seen none: %s", got)
	}
	status(t, s.Put("/api/features/"+first, `{"original_var_ids": "1"}`), 200)
	for _, wrong := range []string{`"1,4"`, `[4]`, `"one"`, `"1.5"`} {
		refused(t, s.Put("/api/features/"+first, `{"variants": [], "original_var_ids": `+wrong+`}`), "original_var_ids")
	}
	if got := names(first) + ", " + names(second); got != "Dull Raw New, Matt Gloss Raw" {
		t.Errorf("after changes that were refused: %s", got)
	}
	status(t, s.Put("/api/features/"+first, `{"variants": [{"variant_id": 3, "variant": "Raw"}]}`), 200)
	if got := names(first); got != "Raw" {
		t.Errorf("without original_var_ids: %s", got)
	}
}

func Test27_EmailAddresses(t *testing.T) {
	t.Parallel()
	vendor := `{"company": "Kiln", "email": "EMAIL", "phone": "1", "address": "1 Quay", "city": "Oslo", "country": "NO", "state": "03", "zipcode": "0150"}`
	for address, test := range map[string]struct {
		edition shopapi.Edition
		payload string
	}{
		"/api/vendors":       {shopapi.MultiVendor, vendor},
		"/api/stores":        {shopapi.MultiStorefront, `{"company": "Kiln", "email": "EMAIL", "storefront": "kiln.example.org"}`},
		"/api/call_requests": {shopapi.SingleStore, `{"email": "EMAIL"}`},
		"/api/users":         {shopapi.SingleStore, `{"email": "EMAIL", "user_type": "C", "company_id": 1}`},
	} {
		s := in(t, shopapi.Options{Edition: test.edition})
		for _, wrong := range []string{"kiln", "@example.org", "kiln@", "ki ln@example.org", "ki:ln@example.org", strings.Repeat("x", 250) + "@example.org"} {
			refused(t, s.Post(address, strings.Replace(test.payload, "EMAIL", wrong, 1)), "email")
		}
		status(t, s.Post(address, strings.Replace(test.payload, "EMAIL", " kiln@example.org ", 1)), 201)
	}
}

// paramsBeside are the members of params that entities document beside those of every
// list.
var paramsBeside = map[string]string{
	"carts":  "company_id",
	"orders": "include_incompleted",
	"products": "area cid features_hash group_child_variations hide_out_of_stock_products include_child_variations match " +
		"pcode_from_q pfull pkeywords pname pshort q subcats",
}

// Test27_ParamsOfLists: params has six members, and what the entity documents beside
// them.
func Test27_ParamsOfLists(t *testing.T) {
	t.Parallel()
	six := map[string]any{"items_per_page": "7", "page": 2.0, "sort_order": "desc", "sort_order_rev": "asc"}
	for _, edition := range []shopapi.Edition{shopapi.SingleStore, shopapi.MultiStorefront, shopapi.MultiVendor} {
		s := in(t, shopapi.Options{Edition: edition})
		lists := 0
		for _, d := range s.Descriptions() {
			if d.Shape != shopapi.EnvelopedList && d.Shape != shopapi.EnvelopedKeyedList {
				continue
			}
			answer := s.Get("/api/2.0/" + d.Name + "?page=2&items_per_page=7&sort_order=desc")
			if answer.Status == 405 {
				continue // there is no list
			}
			status(t, answer, 200)
			lists++
			var list struct{ Params map[string]any }
			answer.Decode(&list)
			beside := paramsBeside[d.Name]
			if answer.JSON().(map[string]any)["products"] != nil {
				beside = paramsBeside["products"]
			}
			for name, value := range list.Params {
				_, text := value.(string)
				switch want, known := six[name]; {
				case known && value != want:
					t.Errorf("%s: params has %s %v, want %v", d.Name, name, value, want)
				case known:
				case name == "sort_by" && (text && value != "" || len(d.Sorts) == 0):
				case name == "total_items" && text:
				case slices.Contains(strings.Fields(beside), name):
				default:
					t.Errorf("%s: params has %s %v", d.Name, name, value)
				}
			}
			for _, name := range []string{"items_per_page", "page", "sort_order", "sort_by", "sort_order_rev", "total_items"} {
				if _, ok := list.Params[name]; !ok {
					t.Errorf("%s: params lacks %s", d.Name, name)
				}
			}
		}
		if lists < 15 {
			t.Errorf("edition %v: %d entities have params", edition, lists)
		}
	}
}

// Test27_ParamsOfCartsNameTheCompany: the one asked for, else the caller's.
func Test27_ParamsOfCartsNameTheCompany(t *testing.T) {
	t.Parallel()
	s := in(t, shopapi.Options{Edition: shopapi.MultiStorefront})
	created(t, s.Client, "/api/stores", `{"company": "Kiln", "storefront": "kiln.example.org"}`, "store_id")
	clerk := s.UserOf(2, "view_orders")
	for _, test := range []struct {
		client      *apitest.Client
		query, want string
	}{{s.Client, "", "1"}, {s.Client, "?company_id=2", "2"}, {clerk, "", "2"}} {
		if got := test.client.Get("/api/carts" + test.query); !strings.Contains(got.Body, `"company_id":"`+test.want+`"`) {
			t.Errorf("carts%s: %s, want company %s", test.query, got.Body, test.want)
		}
	}
}

// Actions are checked in the order of PUT, preconditions included.
func Test27_PreconditionsOfActions(t *testing.T) {
	t.Parallel()
	s := in(t, shopapi.Options{})
	created(t, s.Client, "/api/categories", `{"category": "Cups"}`, "category_id")
	created(t, s.Client, "/api/features", `{"description": "Glaze", "feature_type": "S", "company_id": 1, "purpose": "group_catalog_item", "variants": [{"variant": "Matt"}, {"variant": "Gloss"}]}`, "feature_id")
	for _, variant := range []string{"1", "2"} {
		created(t, s.Client, "/api/products", `{"product": "Mug", "category_ids": [1], "product_features": {"1": `+variant+`}}`, "product_id")
	}
	group := s.Post("/api/product_variations_groups", `{"product_ids": [1, 2], "code": "MUGS"}`)
	status(t, group, 201)
	at := "/api/product_variations/2"
	act := func(etag string) *apitest.Answer {
		req := httptest.NewRequestWithContext(t.Context(), "POST", at+"/detach_product_variation", nil)
		req.SetBasicAuth(s.Email, s.Key)
		req.Header.Set("If-Match", etag)
		return s.Send(req)
	}
	status(t, act(`"stale"`), 412)
	if answer := s.Get(at); answer.Status != 200 {
		t.Fatalf("GET %s: %d %s", at, answer.Status, answer.Body)
	} else {
		status(t, act(answer.Header.Get("Etag")), 201)
	}
}
