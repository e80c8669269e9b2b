package companies_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/companies"
	"github.com/shopapi/shopapi/internal/shoptest"
	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/users"
)

// eachStore runs a test over a whole shop of an edition, over each store.
func eachStore(t *testing.T, o shopapi.Options, test func(t *testing.T, s *apitest.Shop)) {
	t.Helper()
	shoptest.EachStore(t, func(t *testing.T, st store.Store) {
		test(t, apitest.NewWithStore(t, st, &shop.Options{Options: o}))
	})
}

const kiln = `{"company": "Kiln & Co", "email": "kiln@example.org", "phone": "1", "address": "Quay 1", "city": "Oslo",
	"country": "NO", "state": "03", "zipcode": "0150"}`

const pottery = `{"company": "Pottery Shop", "storefront": "pottery.example.org", "email": "shop@example.org"}`

func want(t *testing.T, a *apitest.Answer, status int, body string) {
	t.Helper()
	if a.Status != status || body != "" && a.Body != body {
		t.Errorf("answered %d %s, want %d %s", a.Status, a.Body, status, body)
	}
}

// refused expects a 400 about exactly the fields.
func refused(t *testing.T, a *apitest.Answer, fields ...string) {
	t.Helper()
	var e struct{ Errors map[string]string }
	a.Decode(&e)
	if a.Status != 400 || len(e.Errors) != len(fields) {
		t.Errorf("answered %d %s, want 400 about %v", a.Status, a.Body, fields)
	}
	for _, f := range fields {
		if e.Errors[f] == "" {
			t.Errorf("answered %s, want it to name %s", a.Body, f)
		}
	}
}

// The edition with one store has it as stores/1, with all of the shop below it: published
// clients place orders at stores/1/orders. It is neither created nor deleted.
func TestStores_27_OnlyStore(t *testing.T) {
	eachStore(t, shopapi.Options{}, func(t *testing.T, s *apitest.Shop) {
		want(t, s.Get("/api/2.0/stores/1"), 200, "")
		want(t, s.Get("/api/2.0/stores/2"), 404, "")
		want(t, s.Get("/api/2.0/vendors"), 404, "")
		if list := s.Get("/api/2.0/stores"); list.Status != 200 || strings.Count(list.Body, `"company_id":"1"`) != 1 || !strings.Contains(list.Body, `"total_items":"1"`) {
			t.Errorf("the list is %d %s", list.Status, list.Body)
		}
		want(t, s.Post("/api/2.0/stores", pottery), 405, "")
		want(t, s.Delete("/api/2.0/stores/1"), 405, "")
		want(t, s.Put("/api/2.0/stores/1", `{"company": "Pottery", "company_city": "Oslo"}`), 200, `{"store_id":"1"}`)
		refused(t, s.Put("/api/2.0/stores/1", `{"company": "", "status": "X"}`), "company", "status")
		if a := s.Get("/api/2.0/stores/1"); a.Field("company") != "Pottery" {
			t.Errorf("the store is %s", a.Body)
		}
		if city, _, err := s.API.Setting(t.Context(), "Company.company_city"); city != "Oslo" || err != nil {
			t.Errorf("the shop is in %q, %v", city, err)
		}

		want(t, s.Post("/api/2.0/stores/1/categories", `{"category": "Clay"}`), 201, "")
		want(t, s.Post("/api/2.0/stores/1/products", `{"product": "Mug", "category_ids": [1], "price": "9", "amount": 3, "is_edp": "Y"}`), 201, "")
		want(t, s.Post("/api/2.0/stores/1/users", `{"email": "ana@example.org", "user_type": "C"}`), 201, "")
		want(t, s.Post("/api/2.0/payments", `{"payment": "Cash"}`), 201, "")
		ana := s.Get("/api/2.0/users?email=ana@")
		var users struct {
			Users []struct{ User_id string }
		}
		ana.Decode(&users)
		order := `{"user_id": ` + users.Users[0].User_id + `, "payment_id": 1, "products": {"1": {"amount": 1}}}`
		want(t, s.Post("/api/2.0/stores/1/orders", order), 201, `{"order_id":"1"}`)
		want(t, s.Get("/api/2.0/stores/1/orders/1"), 200, "")
		want(t, s.Get("/api/2.0/stores/2/orders"), 404, "")
		want(t, s.Post("/api/2.0/stores/2/orders", order), 404, "")
		for _, of := range []string{"users", "orders", "products", "categories", "statuses", "pages", "shippings", "features", "discussions", "call_requests"} {
			all, below := s.Get("/api/2.0/"+of), s.Get("/api/2.0/stores/1/"+of)
			if below.Status != 200 || of != "statuses" && below.Body != all.Body {
				t.Errorf("stores/1/%s is %d %s, want %s", of, below.Status, below.Body, all.Body)
			}
		}
		want(t, s.Put("/api/2.0/stores/1/statuses/1", `{"email_subj": "Thanks"}`), 200, "")
		want(t, s.User("view_products").Get("/api/2.0/stores/1"), 403, "")
	})
}

func TestCompanies_FirstIsThere(t *testing.T) {
	for entity, o := range map[string]shopapi.Options{"stores": {Edition: shopapi.MultiStorefront}, "vendors": {Edition: shopapi.MultiVendor}} {
		eachStore(t, o, func(t *testing.T, s *apitest.Shop) {
			first := s.Get("/api/2.0/" + entity + "/1")
			want(t, first, 200, "")
			if first.Field("company") != "Company 1" || first.Field("status") != "A" {
				t.Errorf("the first company is %s", first.Body)
			}
			want(t, s.Delete("/api/2.0/"+entity+"/1"), 400, "")
			want(t, s.Put("/api/2.0/"+entity+"/1", first.Body), 200, `{"store_id":"1"}`)
			want(t, s.Put("/api/2.0/"+entity+"/1", `{"company": "Main"}`), 200, `{"store_id":"1"}`)
			if events := s.Events(); len(events) != 1 {
				t.Errorf("the observer was told of %v", events)
			}
		})
	}
	single := apitest.New(t, nil)
	want(t, single.Get("/api/2.0/vendors/1"), 404, "")
	want(t, apitest.New(t, &shop.Options{Options: shopapi.Options{Edition: shopapi.MultiVendor}}).Get("/api/2.0/stores"), 404, "")
}

func TestVendors_AreMadeReadChangedAndDeleted(t *testing.T) {
	eachStore(t, shopapi.Options{Edition: shopapi.MultiVendor}, func(t *testing.T, s *apitest.Shop) {
		const at = "/api/2.0/vendors"
		want(t, s.Post(at, kiln), 201, `{"store_id":"2","company_id":"2","message":""}`)
		item := `{"company_id":"2","lang_code":"en","email":"kiln@example.org","company":"Kiln & Co","timestamp":"1704110400","status":"A",` +
			`"seo_name":"","seo_path":"","average_rating":null,"company_thread_ids":"2_0"`
		want(t, s.Get(at+"?company=kiln"), 200, `{"vendors":[`+item+`}],"params":{"items_per_page":"10","page":1,"sort_order":"desc",`+
			`"sort_by":"name","sort_order_rev":"asc","total_items":"1"}}`)
		want(t, s.Get(at+"/2"), 200, item+`,"storefront":"","company_description":"","phone":"1","address":"Quay 1","city":"Oslo",`+
			`"country":"NO","state":"03","zipcode":"0150","url":"","fax":"","terms":"","categories":"","shippings":[],"commission":"0.00",`+
			`"commission_type":"P","pre_moderation":"N","pre_moderation_edit":"N","pre_moderation_edit_vendors":"N"}`)
		want(t, s.Post("/api/2.0/shippings", `{"shipping": "Bike"}`), 201, "")
		want(t, s.Put(at+"/2", `{"status": "P", "commission": "12.50", "commission_type": "A", "shippings": {"1": "Y"}, "redirect_customer": "x"}`), 200, `{"store_id":"2"}`)
		after := s.Get(at + "/2")
		if after.Field("status")+after.Field("commission")+after.Field("commission_type") != "P12.50A" {
			t.Errorf("changed to %s", after.Body)
		}
		s.Events()
		want(t, s.Put(at+"/2", after.Body), 200, "")
		if events := s.Events(); len(events) != 0 {
			t.Errorf("a PUT of what GET answered is reported: %v", events)
		}
		want(t, s.Get(at+"?status=P&email=KILN&timestamp=1704110400"), 200, "")
		for address, names := range map[string]string{
			"?sort_by=email&sort_order=asc": "Company 1 Kiln & Co", "?sort_by=timestamp&status=A": "Company 1", "?email=kiln": "Kiln & Co", "": "Kiln & Co Company 1",
		} {
			if got := list(s.Get(at+address), "vendors", "company"); got != names {
				t.Errorf("%s: %s, want %s", address, got, names)
			}
		}
		refused(t, s.Get(at+"?status=X"), "status")
		refused(t, s.Get(at+"?sort_by=x"), "sort_by")
		want(t, s.Delete(at+"/2"), 204, "")
		want(t, s.Get(at+"/2"), 404, "")
		want(t, s.Put(at+"/2", kiln), 404, "")
		want(t, s.Delete(at+"/2"), 404, "")
		want(t, s.Post(at, strings.Replace(kiln, "Kiln &", "Second", 1)), 201, `{"store_id":"3","company_id":"3","message":""}`)
	})
}

// list are the values of a field of a list.
func list(a *apitest.Answer, key, field string) string {
	var envelope map[string]any
	a.Decode(&envelope)
	var values []string
	for _, item := range envelope[key].([]any) {
		values = append(values, fmt.Sprint(item.(map[string]any)[field]))
	}
	return strings.Join(values, " ")
}

func TestVendors_LiveDialect(t *testing.T) {
	s := apitest.New(t, &shop.Options{Options: shopapi.Options{Edition: shopapi.MultiVendor, Dialect: shopapi.DialectLive}})
	want(t, s.Post("/api/vendors", strings.Replace(kiln, `, "zipcode": "0150"`, "", 1)), 201,
		`{"store_id":2,"company_id":2,"message":""}`)
	want(t, s.Put("/api/vendors/2", `{"fax": "2"}`), 200, `{"store_id":"2"}`)
}

func TestVendors_BadFieldsAreNamed(t *testing.T) {
	eachStore(t, shopapi.Options{Edition: shopapi.MultiVendor}, func(t *testing.T, s *apitest.Shop) {
		const at = "/api/2.0/vendors"
		refused(t, s.Post(at, `{"fax": "1"}`), "company", "email", "phone", "address", "city", "country", "state", "zipcode")
		want(t, s.Post(at, `{}`), 405, "")
		want(t, s.Post(at, kiln), 201, "")
		for body, field := range map[string]string{
			`{"status": "H"}`:                                    "status",
			`{"country": "Norway"}`:                              "country",
			`{"commission": "-1"}`:                               "commission",
			`{"commission": "1.234"}`:                            "commission",
			`{"commission": 9223372036854775807}`:                "commission",
			`{"commission": -9223372036854775809}`:               "commission",
			`{"commission_type": "F"}`:                           "commission_type",
			`{"categories": "x"}`:                                "categories",
			`{"categories": "77"}`:                               "categories",
			`{"company": ""}`:                                    "company",
			`{"phone": null}`:                                    "phone",
			`{"pre_moderation": "?"}`:                            "pre_moderation",
			`{"timestamp": "-1"}`:                                "timestamp",
			`{"lang_code": "english"}`:                           "lang_code",
			`{"lang_code": "9"}`:                                 "lang_code",
			`{"lang_code": "e1"}`:                                "lang_code",
			`{"lang_code": ""}`:                                  "lang_code",
			`{"shippings": "x"}`:                                 "shippings",
			`{"shippings": true}`:                                "shippings",
			`{"shippings": 5}`:                                   "shippings",
			`{"shippings": {"x": "y"}}`:                          "shippings",
			`{"shippings": {"77": "Y"}}`:                         "shippings",
			`{"shippings": {"1": {"a": "b"}}}`:                   "shippings",
			`{"shippings": [77]}`:                                "shippings",
			`{"shippings": ["Y"]}`:                               "shippings",
			`{"company": "` + strings.Repeat("x", 256) + `"}`:    "company",
			`{"terms": "` + strings.Repeat("x", 64<<10+1) + `"}`: "terms",
		} {
			refused(t, s.Put(at+"/2", body), field)
		}
		want(t, s.Post("/api/2.0/shippings", `{"shipping": "Bike"}`), 201, "")
		want(t, s.Post("/api/2.0/shippings", `{"shipping": "Kiln's own", "company_id": 2}`), 201, "")
		refused(t, s.Put(at+"/2", `{"shippings": {"1": "2"}}`), "shippings")
		for body, want := range map[string]string{
			`{"shippings": {"7": "1"}, "lang_code": "DE"}`: `de {"7":"1"}`, `{"shippings": [1]}`: `de [1]`, `{"shippings": {"1": "N"}}`: `de {"1":"N"}`, `{"shippings": ""}`: `de []`,
		} {
			a := s.Put(at+"/2", `{"lang_code": "de"}`)
			if a.Status == 200 {
				a = s.Put(at+"/2", body)
			}
			var v struct {
				LangCode  string          `json:"lang_code"`
				Shippings json.RawMessage `json:"shippings"`
			}
			s.Get(at + "/2").Decode(&v)
			if got := v.LangCode + " " + string(v.Shippings); a.Status != 200 || got != want {
				t.Errorf("%s: answered %d %s, stored %s, want %s", body, a.Status, a.Body, got, want)
			}
		}
		made := strings.Replace(kiln, `"Kiln & Co"`, `"Loom", "lang_code": ""`, 1)
		if id := s.Post(at, made).Field("store_id"); s.Get(at+"/"+id).Field("lang_code") != "en" {
			t.Errorf("a company that names no language has %s", s.Get(at+"/"+id).Body)
		}
	})
}

func TestStores_AreMadeReadChangedAndDeleted(t *testing.T) {
	eachStore(t, shopapi.Options{Edition: shopapi.MultiStorefront}, func(t *testing.T, s *apitest.Shop) {
		const at = "/api/2.0/stores"
		want(t, s.Post(at, pottery), 201, `{"store_id":"2","message":""}`)
		item := `{"company_id":"2","lang_code":"en","email":"shop@example.org","company":"Pottery Shop","timestamp":"1704110400","status":"A",` +
			`"storefront":"pottery.example.org","secure_storefront":"","average_rating":null,"company_thread_ids":"2_0"`
		want(t, s.Get(at+"?company=pottery"), 200, `{"stores":[`+item+`}],"params":{"items_per_page":"10","page":1,"sort_order":"desc",`+
			`"sort_by":"name","sort_order_rev":"asc","total_items":"1"}}`)
		want(t, s.Get(at+"/2"), 200, item+`,"company_description":"","redirect_customer":"Y","entry_page":"index","countries_list":[]}`)
		want(t, s.Put(at+"/2", `{"countries_list": ["NO", "se", "NO"], "entry_page": "none", "redirect_customer": "N", "phone": [1]}`), 200, `{"store_id":"2"}`)
		after := s.Get(at + "/2")
		if !strings.Contains(after.Body, `"redirect_customer":"N","entry_page":"none","countries_list":["NO","SE"]`) {
			t.Errorf("changed to %s", after.Body)
		}
		want(t, s.Put(at+"/2", after.Body), 200, "")
		refused(t, s.Post(at, `{"status": "P"}`), "company", "storefront", "status")
		refused(t, s.Post(at, strings.Replace(pottery, "pottery.ex", "POTTERY.ex", 1)), "storefront")
		refused(t, s.Put(at+"/2", `{"entry_page": "x", "countries_list": ["Norway"]}`), "entry_page", "countries_list")
		refused(t, s.Put(at+"/2", `{"countries_list": [1]}`), "countries_list")
		want(t, s.Delete(at+"/2"), 204, "")
		want(t, s.Get(at+"/2"), 404, "")
	})
}

// The contact data of a storefront are settings of its own.
func TestStores_ContactDataAreSettings(t *testing.T) {
	eachStore(t, shopapi.Options{Edition: shopapi.MultiStorefront}, func(t *testing.T, s *apitest.Shop) {
		want(t, s.Post("/api/2.0/stores", `{"company": "North", "storefront": "n.example.org", "company_city": "Oslo", "company_start_year": 1987}`), 201, "")
		for name, value := range map[string]string{"company_city": "Oslo", "company_start_year": "1987"} {
			if got, _, err := s.SettingOf(t.Context(), 2, "Company."+name); got != value || err != nil {
				t.Errorf("%s of the storefront is %q, %v", name, got, err)
			}
			if got, _, err := s.SettingOf(t.Context(), 1, "Company."+name); got != "" || err != nil {
				t.Errorf("%s of another is %q, %v", name, got, err)
			}
		}
		refused(t, s.Put("/api/2.0/stores/2", `{"company": "South", "company_country": "Norway", "company_city": ["a"]}`), "company_city")
		refused(t, s.Put("/api/2.0/stores/2", `{"company": "South", "company_city": true}`), "company_city")
		refused(t, s.Put("/api/2.0/stores/2", `{"company": "South", "company_country": "Norway"}`), "company_country")
		if got := s.Get("/api/2.0/stores/2").Field("company"); got != "North" {
			t.Errorf("half of a change was kept: %s", got)
		}
	})
}

// A company goes only when no row of any entity names it.
func TestCompanies_GoWhenNothingNamesThem(t *testing.T) {
	for entity, o := range map[string]shopapi.Options{"stores": {Edition: shopapi.MultiStorefront}, "vendors": {Edition: shopapi.MultiVendor}} {
		t.Run(entity, func(t *testing.T) {
			eachStore(t, o, func(t *testing.T, s *apitest.Shop) {
				payload := map[string]string{"stores": pottery, "vendors": kiln}[entity]
				want(t, s.Post("/api/2.0/"+entity, payload), 201, "")
				want(t, s.Post("/api/2.0/categories", `{"category": "All", "company_id": 1}`), 201, "")
				for child, create := range map[string]string{
					"categories": `{"category": "Cups"}`, "products": `{"product": "Mug", "category_ids": [1]}`, "call_requests": `{"phone": "1"}`,
					"users": `{"email": "ana@example.org", "user_type": "C"}`, "features": `{"description": "Glaze", "feature_type": "T"}`,
					"shippings": `{"shipping": "Bike"}`,
				} {
					if child == "products" && entity == "stores" {
						create = strings.Replace(create, "[1]", "["+s.Post("/api/2.0/stores/2/categories", `{"category": "Mugs"}`).Field("category_id")+"]", 1)
					}
					created := s.Post("/api/2.0/"+entity+"/2/"+child, create)
					want(t, created, 201, "")
					refusal := s.Delete("/api/2.0/" + entity + "/2")
					if want(t, refusal, 400, ""); !strings.Contains(refusal.Body, child) && child != "products" {
						t.Errorf("%s: the refusal names something else: %s", child, refusal.Body)
					}
					for id := range 9 { // of the company alone
						s.Delete(fmt.Sprintf("/api/2.0/%s/2/%s/%d", entity, child, id+1))
						s.Delete(fmt.Sprintf("/api/2.0/%s/2/categories/%d", entity, id+1))
					}
				}
				want(t, s.Delete("/api/2.0/"+entity+"/2"), 204, "")
			})
		})
	}
}

// Users of a vendor that is new or disabled cannot sign in, from the next request on.
func TestVendors_StatusKeepsUsersOut(t *testing.T) {
	eachStore(t, shopapi.Options{Edition: shopapi.MultiVendor}, func(t *testing.T, s *apitest.Shop) {
		user, other := s.UserOf(2, "view_catalog"), s.UserOf(3, "view_catalog")
		for _, c := range []struct {
			status string
			want   int
		}{{"A", 200}, {"P", 200}, {"D", 401}, {"P", 200}, {"N", 401}, {"A", 200}} {
			want(t, s.Put("/api/2.0/vendors/2", `{"status": "`+c.status+`", "email": "a@b.c", "phone": "1", "address": "a", "city": "b",
				"country": "NO", "state": "c", "zipcode": "d"}`), 200, "")
			for range 2 {
				want(t, user.Get("/api/2.0/products"), c.want, "")
				want(t, other.Get("/api/2.0/products"), 200, "")
			}
		}
	})
}

// Nor do their passwords and one-time links sign them in.
func TestVendors_StatusKeepsUsersOutOfPages(t *testing.T) {
	eachStore(t, shopapi.Options{Edition: shopapi.MultiVendor}, func(t *testing.T, s *apitest.Shop) {
		want(t, s.Post("/api/2.0/vendors", kiln), 201, "")
		want(t, s.Post("/api/2.0/vendors/2/users", `{"email": "ana@example.org", "user_type": "V", "password": "long enough"}`), 201, "")
		signsIn := func(key string, may bool) {
			t.Helper()
			if _, err := s.Users.CheckPassword(t.Context(), "ana@example.org", "long enough"); (err == nil) != may || err != nil && !errors.Is(err, shopapi.ErrBadCredentials) {
				t.Errorf("the password: %v", err)
			}
			if _, _, err := s.Users.RedeemLink(t.Context(), key); (err == nil) != may || err != nil && !errors.Is(err, users.ErrLink) {
				t.Errorf("the link: %v", err)
			}
		}
		ask := func() *apitest.Answer { return s.Post("/api/2.0/auth", `{"email": "ana@example.org"}`) }
		key := ask().Field("key")
		want(t, s.Put("/api/2.0/vendors/2", `{"status": "D"}`), 200, "")
		signsIn(key, false)
		want(t, ask(), 404, "")
		want(t, s.Put("/api/2.0/vendors/2", `{"status": "P"}`), 200, "")
		signsIn(key, true)
	})
}

// A deleted category leaves the list of categories that a vendor may sell in, unless it
// is the last in the list.
func TestVendors_CategoriesThatAreDeleted(t *testing.T) {
	eachStore(t, shopapi.Options{Edition: shopapi.MultiVendor}, func(t *testing.T, s *apitest.Shop) {
		want(t, s.Post("/api/2.0/categories", `{"category": "Cups"}`), 201, "")
		want(t, s.Post("/api/2.0/categories", `{"category": "Pots"}`), 201, "")
		want(t, s.Post("/api/2.0/vendors", strings.Replace(kiln, "{", `{"categories": "1,2", `, 1)), 201, "")
		want(t, s.Delete("/api/2.0/categories/1"), 204, "")
		if got := s.Get("/api/2.0/vendors/2").Field("categories"); got != "2" {
			t.Errorf("the vendor may sell in %s", got)
		}
		// An empty list would allow all categories.
		refusal := s.Delete("/api/2.0/categories/2")
		if want(t, refusal, 400, ""); !strings.Contains(refusal.Field("message"), "The vendor 2 (Kiln & Co) may sell in") {
			t.Errorf("the refusal is %s", refusal.Body)
		}
		if got := s.Get("/api/2.0/vendors/2").Field("categories"); got != "2" || s.Get("/api/2.0/categories/2").Status != 200 {
			t.Errorf("after a refused DELETE the vendor may sell in %q", got)
		}
		want(t, s.Put("/api/2.0/vendors/2", `{"categories": ""}`), 200, "")
		want(t, s.Delete("/api/2.0/categories/2"), 204, "")
	})
}

// A deleted shipping method leaves the lists of vendors, which stay in their form (decisions §14).
func TestVendors_ShippingsThatAreDeleted(t *testing.T) {
	eachStore(t, shopapi.Options{Edition: shopapi.MultiVendor}, func(t *testing.T, s *apitest.Shop) {
		want(t, s.Post("/api/2.0/shippings", `{"shipping": "Bike"}`), 201, "")
		lists := []struct{ had, left string }{
			{`["2","1"]`, `["1"]`}, {`[2,1,2]`, `[1]`}, {`{"1":"Y","2":"N"}`, `{"1":"Y"}`}, {`{"a":"2","b":"1"}`, `{"b":"1"}`},
			{`{"2":"1"}`, `{"2":"1"}`}, {`[2]`, `[]`}, {`{"2":"Y"}`, `[]`}, {`[]`, `[]`},
		}
		want(t, s.Post("/api/2.0/shippings", `{"shipping": "Van"}`), 201, "")
		for i, list := range lists {
			vendor := strings.Replace(kiln, "{", fmt.Sprintf(`{"shippings": %s, `, list.had), 1)
			want(t, s.Post("/api/2.0/vendors", strings.Replace(vendor, "kiln.example", fmt.Sprintf("kiln%d.example", i), 1)), 201, "")
		}
		want(t, s.Delete("/api/2.0/shippings/2"), 204, "")
		for i, list := range lists {
			var vendor struct {
				Shippings json.RawMessage `json:"shippings"`
			}
			at := fmt.Sprintf("/api/2.0/vendors/%d", i+2)
			if err := json.Unmarshal([]byte(s.Get(at).Body), &vendor); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(list.left, string(vendor.Shippings)); diff != "" {
				t.Errorf("%s: %s", list.had, diff)
			}
		}
	})
}

// A shipping method of the shop that becomes a vendor's leaves the lists of vendors, which can name methods of
// the shop alone (decisions §11, §14).
func TestVendors_ShippingsThatAreMoved(t *testing.T) {
	eachStore(t, shopapi.Options{Edition: shopapi.MultiVendor}, func(t *testing.T, s *apitest.Shop) {
		for _, name := range []string{"Bike", "Van"} {
			want(t, s.Post("/api/2.0/shippings", `{"shipping": "`+name+`"}`), 201, "")
		}
		want(t, s.Post("/api/2.0/vendors", strings.Replace(kiln, "{", `{"shippings": ["2","1"], `, 1)), 201, "")
		for _, moved := range []struct{ body, left string }{{`{"company_id": 1}`, `["2","1"]`}, {`{"company_id": 2}`, `["1"]`}, {`{"company_id": 1}`, `["1"]`}} {
			want(t, s.Put("/api/2.0/shippings/2", moved.body), 200, "")
			if got := s.Get("/api/2.0/vendors/2").Body; !strings.Contains(got, `"shippings":`+moved.left) {
				t.Errorf("after PUT of %s the vendor has %s", moved.body, got)
			}
		}
	})
}

// A company's own users see only it, and may change all fields but the shop's.
func TestCompanies_OwnUsers(t *testing.T) {
	for entity, o := range map[string]shopapi.Options{"stores": {Edition: shopapi.MultiStorefront}, "vendors": {Edition: shopapi.MultiVendor}} {
		t.Run(entity, func(t *testing.T) {
			eachStore(t, o, func(t *testing.T, s *apitest.Shop) {
				at := "/api/2.0/" + entity
				want(t, s.Post(at, map[string]string{"stores": pottery, "vendors": kiln}[entity]), 201, "")
				user := s.UserOf(2, "view_"+entity, "manage_"+entity)
				if got := list(user.Get(at), entity, "company_id"); got != "2" {
					t.Errorf("the user lists %s", got)
				}
				own := user.Get(at + "/2")
				want(t, own, 200, "")
				want(t, user.Put(at+"/2", own.Body), 200, "")
				want(t, user.Put(at+"/2", `{"company": "Ours", "email": "new@example.org"}`), 200, "")
				for _, body := range []string{`{"status": "D"}`, `{"commission": "1"}`, `{"commission_type": "A"}`} {
					if entity == "vendors" || strings.Contains(body, "status") {
						want(t, user.Put(at+"/2", body), 403, "")
					}
				}
				for _, id := range []string{"1", "9"} {
					want(t, user.Get(at+"/"+id), 404, "")
					want(t, user.Put(at+"/"+id, `{"company": "Mine"}`), 404, "")
				}
				want(t, user.Post(at, kiln), 403, "")
				want(t, user.Delete(at+"/2"), 403, "")
				want(t, user.Delete(at+"/1"), 403, "")
			})
		})
	}
}

// Users show the name of their company as it is now.
func TestCompanies_NameOfUsers(t *testing.T) {
	eachStore(t, shopapi.Options{Edition: shopapi.MultiVendor}, func(t *testing.T, s *apitest.Shop) {
		want(t, s.Post("/api/2.0/vendors", kiln), 201, "")
		id := s.Post("/api/2.0/vendors/2/users", `{"email": "ana@example.org", "user_type": "V"}`).Field("user_id")
		if got := s.Get("/api/2.0/users/" + id).Field("company_name"); got != "Kiln & Co" {
			t.Errorf("the company of the user is %s", got)
		}
		want(t, s.Put("/api/2.0/vendors/2", `{"company": "Oven"}`), 200, "")
		if got := s.Get("/api/2.0/users/" + id).Field("company_name"); got != "Oven" {
			t.Errorf("the company of the user is %s now", got)
		}
		refused(t, s.Put("/api/2.0/users/"+id, `{"company_id": 9}`), "company_id")
	})
}

// What the storefront writes when an order gets a status is its own.
func TestStores_StatusTexts(t *testing.T) {
	eachStore(t, shopapi.Options{Edition: shopapi.MultiStorefront}, func(t *testing.T, s *apitest.Shop) {
		want(t, s.Post("/api/2.0/stores", pottery), 201, "")
		id := s.Post("/api/2.0/statuses", `{"description": "Fired", "email_subj": "Fired & glazed", "email_header": "<b>Hello</b>"}`).Field("status_id")
		shops, own := "/api/2.0/statuses/"+id, "/api/2.0/stores/2/statuses/"+id
		if a, b := s.Get(shops), s.Get(own); a.Status != 200 || a.Body != b.Body {
			t.Errorf("the shop has %s, the storefront %d %s", a.Body, b.Status, b.Body)
		}
		if a, b := s.Get("/api/2.0/statuses?items_per_page=3"), s.Get("/api/2.0/stores/2/statuses?items_per_page=3"); a.Body != b.Body {
			t.Errorf("the shop lists %s, the storefront %s", a.Body, b.Body)
		}
		want(t, s.Put(own, `{"email_subj": "In our kiln", "description": "Other"}`), 200, `{"status_id":"`+id+`"}`)
		if a := s.Get(own); a.Field("email_subj") != "In our kiln" || a.Field("description") != "Fired" || a.Field("email_header") != "<b>Hello</b>" {
			t.Errorf("the storefront has %s", a.Body)
		}
		if got := s.Get(shops).Field("email_subj"); got != "Fired & glazed" {
			t.Errorf("the shop has %s", got)
		}
		s.Events()
		want(t, s.Put(own, s.Get(own).Body), 200, "")
		if events := s.Events(); len(events) != 0 {
			t.Errorf("a PUT of what GET answered is reported: %v", events)
		}
		want(t, s.Put(shops, `{"email_subj": "Done", "email_header": "Bye"}`), 200, "")
		if a := s.Get(own); a.Field("email_subj") != "In our kiln" || a.Field("email_header") != "Bye" {
			t.Errorf("the storefront has %s", a.Body)
		}
		want(t, s.Put(own, `{"email_subj": null}`), 200, "")
		if got := s.Get(own).Field("email_subj"); got != "Done" {
			t.Errorf("the storefront has %s, want what the shop writes", got)
		}
		refused(t, s.Put(own, `{"email_subj": ["a"]}`), "email_subj")
		want(t, s.Put("/api/2.0/stores/2/statuses/999", `{"email_subj": "a"}`), 404, "")
		want(t, s.Put("/api/2.0/stores/9/statuses/"+id, `{"email_subj": "a"}`), 404, "")
		want(t, s.Post("/api/2.0/stores/2/statuses", `{"description": "a"}`), 405, "")
		want(t, s.Delete(own), 405, "")
		want(t, s.UserOf(1, "view_stores", "view_statuses", "manage_statuses").Put(own, `{"email_subj": "a"}`), 404, "")
		want(t, s.UserOf(2, "view_stores", "view_statuses", "manage_statuses").Put(own, `{"email_subj": "a"}`), 200, "")
	})
}

// The storefront writes in each language what the shop writes in each (decisions §15).
func TestStores_StatusTextsInLanguages(t *testing.T) {
	eachStore(t, shopapi.Options{Edition: shopapi.MultiStorefront}, func(t *testing.T, s *apitest.Shop) {
		want(t, s.Post("/api/2.0/stores", pottery), 201, "")
		german := s.Post("/api/2.0/languages", `{"lang_code": "de", "name": "Deutsch"}`).Field("lang_id")
		id := s.Post("/api/2.0/statuses", `{"description": "Fired", "email_subj": "Fired", "email_header": "Hello"}`).Field("status_id")
		shops, own := "/api/2.0/statuses/"+id, "/api/2.0/stores/2/statuses/"+id
		want(t, s.Put(shops, `{"email_subj": "Gebrannt", "lang_code": "de"}`), 200, "")

		for _, step := range []struct{ query, body, english, german, french string }{
			{"", `{"email_subj": "Im Ofen", "lang_code": "de"}`, "Fired", "Im Ofen", "Fired"},
			{"", `{"email_subj": "In our kiln"}`, "In our kiln", "Im Ofen", "In our kiln"},
			{"?sl=fr", `{"email_subj": "Au four"}`, "In our kiln", "Im Ofen", "Au four"},
			{"?sl=fr", `{"email_subj": "Schön", "lang_code": "de"}`, "In our kiln", "Schön", "Au four"},
			{"", `{"email_subj": null, "lang_code": "DE"}`, "In our kiln", "In our kiln", "Au four"},
			{"", `{"email_subj": "", "lang_code": "de"}`, "In our kiln", "", "Au four"},
			{"?sl=de", `{"email_subj": null}`, "In our kiln", "In our kiln", "Au four"},
			{"", `{"email_subj": null}`, "Fired", "Gebrannt", "Au four"},
			{"", `{"email_subj": "Im Ofen", "lang_code": "de"}`, "Fired", "Im Ofen", "Au four"},
		} {
			want(t, s.Put(own+step.query, step.body), 200, `{"status_id":"`+id+`"}`)
			got := []string{s.Get(own).Field("email_subj"), s.Get(own + "?sl=de").Field("email_subj"), s.Get(own + "?sl=fr").Field("email_subj")}
			if diff := cmp.Diff([]string{step.english, step.german, step.french}, got); diff != "" {
				t.Errorf("after %s %s (-want +got):\n%s", step.query, step.body, diff)
			}
			var list struct {
				Statuses []struct {
					ID      string `json:"status_id"`
					Subject string `json:"email_subj"`
				}
			}
			s.Get("/api/2.0/stores/2/statuses?sl=de&items_per_page=50").Decode(&list)
			for _, status := range list.Statuses {
				if status.ID == id && status.Subject != step.german {
					t.Errorf("after %s the list has %q in German", step.body, status.Subject)
				}
			}
		}
		for _, in := range []string{"", "?sl=de", "?sl=fr", "?sl=nl"} {
			before := s.Get(own + in).Body
			s.Events()
			want(t, s.Put(own+in, before), 200, "")
			if events := s.Events(); len(events) != 0 || s.Get(own+in).Body != before {
				t.Errorf("%s: a PUT of what GET answered changes something: %v", in, events)
			}
		}
		if got := s.Get(shops + "?sl=de").Field("email_subj"); got != "Gebrannt" {
			t.Errorf("the shop has %s", got)
		}
		refused(t, s.Put(own, `{"email_subj": "a", "lang_code": "english"}`), "lang_code")
		if a := s.Put("/api/2.0/stores/2/statuses/999", `{"email_subj": "a"}`); !strings.Contains(a.Body, `There is no status with the id \"999\".`) {
			t.Errorf("a status that is missing answers %s", a.Body)
		}

		want(t, s.Delete("/api/2.0/languages/"+german), 204, "")
		if got := s.Get(own + "?sl=de").Field("email_subj"); got != "Fired" {
			t.Errorf("without its language the text is %q", got)
		}
		want(t, s.Put(own, `{"email_subj": "Im Ofen", "lang_code": "de"}`), 200, "")
		want(t, s.Delete(shops), 204, "")
	})
}

func TestCompanies_FromGo(t *testing.T) {
	eachStore(t, shopapi.Options{Edition: shopapi.MultiStorefront}, func(t *testing.T, s *apitest.Shop) {
		c := s.Companies.Defaults(t.Context())
		c.Name, c.Storefront = "North", "n.example.org"
		c, err := s.Companies.Create(t.Context(), c)
		if err != nil || c.CompanyID != 2 || !bool(c.RedirectCustomer) {
			t.Fatalf("Create: %+v, %v", c, err)
		}
		if _, err := s.Companies.CreateAll(t.Context(), []companies.Company{{Name: "A", Storefront: "a"}, {Name: "B"}}); err == nil {
			t.Error("a storefront without an address was made")
		}
		if _, err := s.Companies.Update(t.Context(), 2, func(c *companies.Company) error { c.Countries = "NO,SE"; return nil }); err != nil {
			t.Error(err)
		}
		for c, err := range s.Companies.All(t.Context(), companies.Filter{Name: "north"}) {
			if err != nil || fmt.Sprint(c.Countries.All()) != "[NO SE]" {
				t.Errorf("All: %+v, %v", c, err)
			}
		}
		var told *shopapi.Error
		if err := s.Companies.Delete(t.Context(), 1); !errors.As(err, &told) || told.Status != 400 {
			t.Errorf("Delete of the first: %v", err)
		}
		if err := s.Companies.Delete(t.Context(), 2); err != nil {
			t.Error(err)
		}
	})
}

func FuzzCountries(f *testing.F) {
	f.Add(`["NO", "SE"]`)
	f.Add(`"NO,se,"`)
	f.Fuzz(func(t *testing.T, text string) {
		var c companies.Countries
		if c.UnmarshalJSON([]byte(text)) != nil {
			return
		}
		again, err := c.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		d := c
		if err := d.UnmarshalJSON(again); err != nil || c != d {
			t.Errorf("%q became %q, %v", c, d, err)
		}
	})
}
