package pull_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/shopapi/shopapi/products"
	"github.com/shopapi/shopapi/pull"
	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/memory"
)

// php is an old shop that answers as published samples do: lists in any of their forms,
// numbers as texts and texts as numbers, empty arrays for empty objects, missing and
// additional fields.
func php(t *testing.T, answers map[string]string) string {
	t.Helper()
	server := httptest.NewServer(phpHandler(answers))
	t.Cleanup(server.Close)
	return server.URL + "/api"
}

func phpHandler(answers map[string]string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path := strings.TrimPrefix(r.URL.Path, "/api/2.0/")
		if r.URL.Query().Get("page") > "1" && !strings.Contains(answers[path], `"total_items"`) {
			w.Write([]byte(`[]`))
			return
		}
		if product := r.URL.Query().Get("product_id"); product != "" {
			path += "?product_id=" + product
		}
		answer, ok := answers[path]
		if !ok {
			w.WriteHeader(http.StatusNotFound)
			w.Write([]byte(`{"message":"Not Found","status":404}`))
			return
		}
		w.Write([]byte(answer))
	})
}

// cell is the value of one column of a row, by the row's key.
func cell(t *testing.T, st store.Store, table, column string, key int64) store.Value {
	t.Helper()
	i := slices.IndexFunc(shop.Schemas(), func(s *store.Schema) bool { return s.Name == table })
	s := shop.Schemas()[i]
	row := make([]store.Value, len(s.Columns))
	err := st.View(t.Context(), func(_ context.Context, tx store.Tx) error { return tx.Get(s.All(), key, row) })
	if err != nil {
		t.Errorf("%s %d: %v", table, key, err)
		return store.Null
	}
	return row[s.Index(column)]
}

// problem returns the problem of a field, "" for none.
func problem(r *pull.Report, entity, id, field string) string {
	for _, p := range r.Problems {
		if p.Entity == entity && p.ID == id && p.Field == field {
			return p.Reason
		}
	}
	return ""
}

func TestE8_LibertiesOfServers(t *testing.T) {
	t.Parallel()
	url := php(t, map[string]string{
		"categories":            `[{"category_id":"5","parent_id":0},{"category_id":9,"parent_id":"5"}]`,
		"categories/5":          `{"category_id":5,"parent_id":0,"category":"Caf&eacute; &amp; bar","position":"","status":"A","usergroup_ids":[0],"lang_code":"de","main_pair":[],"selected_views":"","timestamp":1700000000,"is_op":null,"unknown":{"a":1}}`,
		"categories/9":          `{"category_id":"9","parent_id":"5","category":7,"position":"10","status":"A"}`,
		"products":              "\ufeff" + `{"products":{"41":{"product_id":"41"}},"params":[]}`,
		"products/41":           `{"product_id":41,"product":"Mug","price":9.5,"amount":"7.00","category_ids":["9",5],"main_category":"5","tax_ids":[2,3],"free_shipping":0,"is_edp":false,"product_features":[],"image_pairs":[],"status":"A","weight":".350","timestamp":null,"list_price":""}`,
		"orders":                `{"orders":[{"order_id":"205"}],"params":{"total_items":1}}`,
		"orders/205":            `{"order_id":205,"status":"O","total":24.5,"subtotal":"24.50","user_id":"","timestamp":"1700000000","products":{"77":{"product_id":"41","amount":"2","price":"9.50","extra":[]}},"taxes":[],"shipping":[],"payment_method":[],"issuer_id":null,"invoice_id":"","firstname":"Ana","lastname":"Petrov"}`,
		"statuses":              `[{"status_id":"1","status":"O","type":"O","is_default":"Y","description":"Open","params":{"inventory":"D","unknown":"x"},"lang_code":"de"}]`,
		"users":                 `{"users":[{"user_id":"17"}]}`,
		"users/17":              `{"user_id":"17","email":"ana@example.org","user_type":"C","status":"A","company_id":1,"tax_exempt":"","usergroups":{"3":{"status":"A"}}}`,
		"usergroups":            `{"3":{"usergroup_id":3,"type":"C","status":"A","usergroup":"Wholesale","privileges":[]}}`,
		"taxes":                 `{"taxes":[{"tax_id":"2"}]}`,
		"taxes/2":               `{"tax_id":"2","tax":"MwSt","address_type":"S","status":"A","price_includes_tax":"Y","regnumber":""}`,
		"call_requests":         `{"call_requests":[{"request_id":3,"company_id":"1","status":"new","phone":"1","notes":null,"cart_products":""}],"params":{"total_items":"1"}}`,
		"options?product_id=41": `[]`,
	})
	st := memory.New()
	report := run(t, newShop(t, st), from(url))
	for _, want := range []struct {
		table, column string
		key           int64
		value         store.Value
	}{
		{"base_language", "lang_code", 1, store.String("de")},
		{"categories", "category", 5, store.String("Caf&eacute; &amp; bar")},
		{"categories", "category", 9, store.String("7")},
		{"categories", "id_path", 9, store.String("5/9")},
		{"categories", "usergroup_ids", 5, store.String("0")},
		{"products", "price", 41, store.Int(950)},
		{"products", "amount", 41, store.Int(7)},
		{"products", "weight", 41, store.Int(350)},
		{"products", "tax_ids", 41, store.String("2,3")},
		{"products", "free_shipping", 41, store.Bool(false)},
		{"orders", "total", 205, store.Int(2450)},
		{"orders", "user_id", 205, store.Int(0)},
		{"orders", "invoice_id", 205, store.Null},
		{"orders", "customer", 205, store.String("Petrov Ana")},
		{"users", "email", 17, store.String("ana@example.org")},
		{"call_requests", "notes", 3, store.Null},
	} {
		if got := cell(t, st, want.table, want.column, want.key); got != want.value {
			t.Errorf("%s %d has the %s %#v, want %#v", want.table, want.key, want.column, got, want.value)
		}
	}
	if got := report.NotCarried["fields of categories"]; len(got) != 1 || got["unknown"] != 1 {
		t.Errorf("fields of categories that are not carried: %v", got)
	}
	if p := report.Problems; len(p) != 1 || p[0].Entity != "taxes" || p[0].Field != "rates" {
		t.Errorf("problems %+v, want that the tax has no rates", p)
	}
}

// Bad rows are taken as far as they can be, and the rest is reported by its field.
func TestE8_BadRows(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("Lang ", 40_000)
	url := php(t, map[string]string{
		"categories":            `[{"category_id":"1","parent_id":"99"},{"category_id":"2","parent_id":"3"},{"category_id":"3","parent_id":"2"},{"category_id":"5000000000","parent_id":"0"}]`,
		"categories/1":          `{"category_id":"1","parent_id":"99","category":"Lost","position":"5","status":"A"}`,
		"categories/2":          `{"category_id":"2","parent_id":"3","category":"Two","status":"A"}`,
		"categories/3":          `{"category_id":"3","parent_id":"2","category":"Three","status":"A"}`,
		"categories/5000000000": `{"category_id":"5000000000","parent_id":"0","category":"Large id","status":"A"}`,
		"products":              `[{"product_id":"1"},{"product_id":"1"},{"product_id":"2"},{"product_id":"3"}]`,
		"products/1":            `{"product_id":"1","product":"Six","price":"9.123456","category_ids":[77],"status":"A","timestamp":"0","full_description":"` + long + `"}`,
		"products/2":            `{"product_id":"2","product":"Bad ` + "\xff" + ` byte","price":"cheap","amount":"many","category_ids":[1],"status":"A","search_words":"a\u0000b"}`,
		"products/3":            `{"product_id":"3","product":"Floats","price":24.500000000000004,"list_price":9.123456,"category_ids":[1],"status":"A"}`,
		"users":                 `[{"user_id":"1"},{"user_id":"2"},{"user_id":"3"}]`,
		"users/1":               `{"user_id":"1","email":"twice@example.org","user_type":"C","status":"A"}`,
		"users/2":               `{"user_id":"2","email":"Twice@example.org","user_type":"C","status":"A"}`,
		"users/3":               `{"user_id":"3","email":"","user_type":"C","status":"A"}`,
		"statuses":              `[{"status_id":"1","status":"O","type":"O","description":"Open"}]`,
		"orders":                `[{"order_id":"1","is_parent_order":"N"}]`,
		"orders/1":              `{"order_id":"1","status":"Q","total":"1.00","user_id":"404","parent_order_id":"7","products":{"5":{"item_id":"5","product_id":"404","amount":"1","price":"1.00","product":"Gone","deleted_product":true}}}`,
		"orders/7":              `{"order_id":"7","status":"O","total":"1.00","is_parent_order":"Y","products":[]}`,
	})
	st := memory.New()
	report := run(t, newShop(t, st), from(url))
	for _, want := range []struct{ entity, id, field, reason string }{
		{"categories", "1", "parent_id", "not there"},
		{"categories", "2", "parent_id", "below it"},
		{"products", "1", "price", "rounded to 9.12"},
		{"products", "1", "category_ids", "77"},
		{"products", "3", "list_price", "9.123456 was rounded to 9.12"},
		{"products", "2", "product", "UTF-8"},
		{"products", "2", "price", "no amount"},
		{"products", "2", "amount", "no whole number"},
		{"products", "2", "search_words", "NUL"},
		{"users", "2", "email", "another row"},
		{"users", "3", "email", "empty"},
	} {
		if got := problem(report, want.entity, want.id, want.field); !strings.Contains(got, want.reason) {
			t.Errorf("%s %s %s: %q, want it to say %q", want.entity, want.id, want.field, got, want.reason)
		}
	}
	if got := problem(report, "products", "3", "price"); got != "" {
		t.Errorf("the error of a float is reported: %s", got)
	}
	for kind, id := range map[string]string{
		"users that orders name and nobody has": "404", "products that orders name and nobody has": "404",
		"statuses that orders have and nobody lists": "Q",
	} {
		if n := report.NotCarried[kind][id]; n != 1 {
			t.Errorf("%s: %v, want %s once", kind, report.NotCarried[kind], id)
		}
	}
	for _, want := range []struct {
		table, column string
		key           int64
		value         store.Value
	}{
		{"products", "price", 3, store.Int(2450)},
		{"products", "timestamp", 1, store.Int(0)},
		{"categories", "id_path", 1, store.String("1")},
		{"categories", "id_path", 3, store.String("2/3")},
		{"categories", "category", 5_000_000_000, store.String("Large id")},
		{"products", "full_description", 1, store.String(long)},
		{"products", "search_words", 2, store.String("ab")},
		{"products", "product", 2, store.String("Bad \ufffd byte")},
		{"orders", "status", 1, store.String("Q")},
		{"orders", "user_id", 1, store.Int(404)},
		{"orders", "is_parent_order", 7, store.Int(1)},
	} {
		if got := cell(t, st, want.table, want.column, want.key); got != want.value {
			t.Errorf("%s %d has the %s %.80s, want %.80s", want.table, want.key, want.column, got.GoString(), want.value.GoString())
		}
	}
}

// Items that are not objects are reported, and the objects that have them are taken.
func TestE8_ItemsThatAreNoObjects(t *testing.T) {
	t.Parallel()
	url := php(t, map[string]string{
		"categories":                `[]`,
		"features":                  `[{"feature_id":"3"}]`,
		"features/3":                `{"feature_id":"3","description":"Colour","feature_type":"S","variants":{"7":null,"8":{"variant":"Blue"},"9":"Red"}}`,
		"products":                  `[{"product_id":"1"}]`,
		"products/1":                `{"product_id":"1","product":"Mug","status":"A","product_features":{"3":{"feature_type":"S","variant_id":"8"},"4":null,"5":"x"}}`,
		"options?product_id=1":      `[]`,
		"carts":                     `[{"user_id":"2"}]`,
		"carts/2":                   `{"user_id":"2","products":{"5":"a mug"}}`,
		"orders":                    `[{"order_id":"1"}]`,
		"orders/1":                  `{"order_id":"1","status":"O","total":"1.00","products":{"5":"a mug","6":{"product_id":"1","amount":"1","price":"1.00"}}}`,
		"statuses":                  `[{"status_id":"1","status":"O","type":"O","description":"Open"}]`,
		"orders/1/history":          `[]`,
		"orders/1/documents":        `[]`,
		"users/2":                   `{"user_id":"2","email":"ana@example.org","user_type":"C","status":"A"}`,
		"users":                     `[{"user_id":"2"}]`,
		"combinations?product_id=1": `[]`,
	})
	st := memory.New()
	report := run(t, newShop(t, st), from(url))
	for _, want := range []struct{ entity, id, field string }{
		{"features", "3", "variants"}, {"products", "1", "product_features"}, {"carts", "2", "products"}, {"orders", "1", "products"},
	} {
		if got := problem(report, want.entity, want.id, want.field); !strings.Contains(got, "not an object") {
			t.Errorf("%s %s %s: %q", want.entity, want.id, want.field, got)
		}
	}
	for _, want := range []struct {
		table, column string
		key           int64
		value         store.Value
	}{
		{"product_feature_variants", "variant", 8, store.String("Blue")},
		{"products", "product", 1, store.String("Mug")},
		{"orders", "total", 1, store.Int(100)},
	} {
		if got := cell(t, st, want.table, want.column, want.key); got != want.value {
			t.Errorf("%s %d has the %s %#v, want %#v", want.table, want.key, want.column, got, want.value)
		}
	}
}

// Objects that do not have their own id are taken under the id by which they were read.
func TestE8_ObjectsWithoutTheirID(t *testing.T) {
	t.Parallel()
	url := php(t, map[string]string{
		"categories":            `[{"category_id":"50","parent_id":"0"}]`,
		"categories/50":         `{"category":"Mugs","status":"A"}`,
		"products":              `[{"product_id":"70"}]`,
		"products/70":           `{"product_id":null,"product":"Mug","status":"A","category_ids":[50]}`,
		"options?product_id=70": `{"90":{"option_name":"Size","option_type":"S","status":"A"}}`,
		"users":                 `[{"user_id":"20"}]`,
		"users/20":              `{"email":"ana@example.org","user_type":"C","status":"A"}`,
		"orders":                `[{"order_id":"30"}]`,
		"orders/30":             `{"status":"O","total":"1.00","products":[]}`,
	})
	st := memory.New()
	sh := newShop(t, st)
	for n := range 2 {
		report := run(t, sh, from(url))
		if len(report.Problems) > 0 || n > 0 && report.Written > 0 {
			t.Errorf("run %d wrote %d, problems %+v", n+1, report.Written, report.Problems)
		}
	}
	for _, want := range []struct {
		table, column string
		key           int64
		text          string
	}{
		{"categories", "category", 50, "Mugs"}, {"products", "product", 70, "Mug"}, {"product_options", "option_name", 90, "Size"},
		{"users", "email", 20, "ana@example.org"}, {"orders", "status", 30, "O"},
	} {
		if got := cell(t, st, want.table, want.column, want.key); got != store.String(want.text) {
			t.Errorf("%s %d has the %s %#v, want %s", want.table, want.key, want.column, got, want.text)
		}
	}
}

// A variant without an id in an array is reported: its place in the array is not an id.
func TestE8_VariantsWithoutID(t *testing.T) {
	t.Parallel()
	st := memory.New()
	report := run(t, newShop(t, st), from(php(t, map[string]string{
		"categories": `[]`,
		"features":   `[{"feature_id":"3"},{"feature_id":"4"}]`,
		"features/3": `{"feature_id":"3","feature_type":"S","variants":[{"variant_id":"1","variant":"Blue"}]}`,
		"features/4": `{"feature_id":"4","feature_type":"S","variants":[{"variant_id":"2","variant":"Large"},{"variant":"Small"}]}`,
	})))
	if got := problem(report, "features", "4", "variants"); !strings.Contains(got, "without variant_id") {
		t.Errorf("problems %+v", report.Problems)
	}
	for id, want := range map[int64]string{1: "Blue", 2: "Large"} {
		if got := cell(t, st, "product_feature_variants", "variant", id); got != store.String(want) {
			t.Errorf("the variant %d is %#v, want %s", id, got, want)
		}
	}
}

// Settings that have the same section and name are reported: one of them is taken.
func TestE8_SettingsOfOneName(t *testing.T) {
	t.Parallel()
	url := php(t, map[string]string{
		"categories": `[]`,
		"settings":   `{"settings":[{"object_id":"1","section_name":"Company","name":"company_city","value":"Oslo"},{"object_id":"2","section_name":"Company","name":"company_city","value":"Bergen"}],"params":{"total_items":2}}`,
	})
	sh := newShop(t, memory.New())
	report := run(t, sh, from(url))
	if got := problem(report, "settings", "Company.company_city", "name"); !strings.Contains(got, "another setting") {
		t.Errorf("problems %+v", report.Problems)
	}
	if got, err := sh.Settings.Value(t.Context(), "Company.company_city"); err != nil || got != "Oslo" {
		t.Errorf("the setting is %q, %v", got, err)
	}
}

// Values that the settings of this shop do not allow are reported, and not taken: the shop could not compute
// dates or list anything with them.
func TestE8_SettingsWithWrongValues(t *testing.T) {
	t.Parallel()
	wrong := map[string]string{"Appearance.timezone": "Mars/Base", "Appearance.items_per_page": "many"}
	var items []string
	for name, value := range wrong {
		section, name, _ := strings.Cut(name, ".")
		items = append(items, fmt.Sprintf(`{"object_id":"%d","section_name":"%s","name":"%s","value":"%s"}`, len(items)+1, section, name, value))
	}
	sh := newShop(t, memory.New())
	report := run(t, sh, from(php(t, map[string]string{"categories": `[]`, "settings": "[" + strings.Join(items, ",") + "]"})))
	for name, value := range wrong {
		if got := problem(report, "settings", name, "value"); !strings.Contains(got, value) {
			t.Errorf("%s: problem %q", name, got)
		}
		if got, err := sh.Settings.Value(t.Context(), name); err != nil || got == value {
			t.Errorf("%s is %q, %v", name, got, err)
		}
	}
}

// Texts and numbers beyond what a store takes are cut or left out, and reported: they never
// end the run.
func TestE8_RowsThatAreTooLarge(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	long := func(n int) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = "abcdefghijklmnopqrstuvwxyz0123456789"[random.IntN(36)]
		}
		return string(b)
	}
	url := php(t, map[string]string{
		"categories":                 `[]`,
		"products":                   `[{"product_id":"1"},{"product_id":"2"},{"product_id":"3"}]`,
		"products/1":                 `{"product_id":"1","product":"Long","company_id":1,"status":"A","full_description":"` + long(3<<20) + `","short_description":"Short"}`,
		"products/2":                 `{"product_id":"2","product":"Code","status":"A","product_code":"` + long(9000) + `"}`,
		"products/3":                 `{"product_id":"3","product":"Dear","status":"A","price":"99999999999999999","weight":123456789012345678901234567890,"amount":"9999999999999999999999","timestamp":1e300}`,
		"users":                      `[{"user_id":"1"},{"user_id":"99999999999999999999"}]`,
		"users/1":                    `{"user_id":"1","email":"` + long(9000) + `@example.org","user_type":"C","status":"A"}`,
		"orders":                     `[{"order_id":"1"}]`,
		"orders/1":                   `{"order_id":"1","user_id":"0","status":"P","email":"ana@example.org","firstname":"Ana","lang_code":"en","products":{"1":{"item_id":"1","product_id":"1","amount":"1","product":"` + long(2<<20) + `"}}}`,
		"users/99999999999999999999": `{"user_id":"99999999999999999999","email":"far@example.org","user_type":"C"}`,
	})
	everyStore(t, func(t *testing.T, st store.Store) {
		sh := newShop(t, st)
		report := run(t, sh, from(url))
		for _, want := range []struct{ entity, id, field string }{
			{"products", "1", "full_description"}, {"products", "2", "product_code"}, {"products", "3", "price"}, {"products", "3", "weight"},
			{"products", "3", "amount"}, {"products", "3", "timestamp"}, {"users", "1", "email"}, {"users", "99999999999999999999", "user_id"},
			{"orders", "1", ""},
		} {
			if problem(report, want.entity, want.id, want.field) == "" {
				t.Errorf("%s %s: %s is not reported: %+v", want.entity, want.id, want.field, report.Problems)
			}
		}
		for id, name := range map[int64]string{1: "Long", 2: "Code", 3: "Dear"} {
			if got := cell(t, st, "products", "product", id).Text(); got != name {
				t.Errorf("product %d is %q", id, got)
			}
		}
		for column, want := range map[string]string{"status": "P", "email": "ana@example.org", "firstname": "Ana", "lang_code": "en"} {
			if got := cell(t, st, "orders", column, 1).Text(); got != want { // a document makes the order too long: to cut others does not help
				t.Errorf("%s of the order is %q, want %q", column, got, want)
			}
		}
		if again := run(t, sh, from(url)); again.Written != 0 {
			t.Errorf("the second run wrote %d objects", again.Written)
		}
		if p, err := sh.Products.Update(t.Context(), 1, func(p *products.Product) error { p.Name = "Other"; return nil }); err != nil || p.Name != "Other" {
			t.Errorf("a change of the long product: %v", err)
		}
	})
}

// Where the options of the first product cannot be read, the options of the others are taken.
func TestE8_OptionsAfterARefusal(t *testing.T) {
	t.Parallel()
	for status, problems := range map[int]int{http.StatusNotFound: 0, http.StatusForbidden: 1} {
		answers := phpHandler(map[string]string{
			"categories":           `[]`,
			"products":             `[{"product_id":"1"},{"product_id":"2"}]`,
			"products/1":           `{"product_id":"1","product":"Mug","status":"A"}`,
			"products/2":           `{"product_id":"2","product":"Cup","status":"A"}`,
			"options?product_id=2": `[{"option_id":"7","product_id":"2","option_name":"Size","option_type":"S","status":"A"}]`,
		})
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Query().Get("product_id") == "1" {
				http.Error(w, `{"message":"no"}`, status)
				return
			}
			answers.ServeHTTP(w, r)
		}))
		t.Cleanup(server.Close)
		report := run(t, newShop(t, memory.New()), from(server.URL+"/api"))
		if n := report.Counts["options"]; n.There != 1 || n.Here != 1 {
			t.Errorf("%d: options %+v, notes %v", status, n, report.Notes)
		}
		if n := len(report.Problems); n != problems {
			t.Errorf("%d: problems %+v", status, report.Problems)
		}
	}
}
