package shop_test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/carts"
	"github.com/shopapi/shopapi/extensions/changes"
	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store/memory"
)

// stampsOf are the columns with the time of an object's last change, by table.
var stampsOf = map[string]string{
	"users": "updated_at", "categories": "updated_at", "pages": "updated_at", "discussions": "updated_at",
	"products": "updated_timestamp", "orders": "updated_at", "carts": "date", "product_variation_groups": "updated_at",
}

// total returns how many objects a list has on all pages.
func total(t *testing.T, a *apitest.Answer) int {
	t.Helper()
	text := a.Header.Get("X-Total-Count")
	if text == "" {
		var list struct {
			Params struct {
				Total string `json:"total_items"`
			}
		}
		a.Decode(&list)
		text = list.Params.Total
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("the list says no total: %d %.300s", a.Status, a.Body)
	}
	return n
}

// stale returns the changed objects that still exist and whose time of change is not now.
func stale(changed map[string]string, after tables, now int64) (list []string) {
	for table, column := range stampsOf {
		of := ownersOf[table]
		for _, row := range after[table] {
			entity, id := of.entity, shopapi.FormatID(row[of.column].Int())
			if entity == "products" && row["company_id"].Int() == 0 {
				entity = "master_products"
			}
			if name := entity + "/" + id; changed[name] != "" && row[column].Int() != now {
				list = append(list, name)
			}
		}
	}
	slices.Sort(list)
	return list
}

// TestE4_TimesOfChange: an object that a request changes, also an object that it changes
// beside its own, has the time of that request; an object that it does not change keeps its time.
func TestE4_TimesOfChange(t *testing.T) {
	t.Parallel()
	st := memory.New()
	s := apitest.NewWithStore(t, st, &shop.Options{Options: shopapi.Options{Edition: shopapi.MultiVendor}, Changes: changes.Options{Mode: changes.On}})
	step := func(what string, do func()) map[string]string {
		t.Helper()
		s.Clock.Advance(time.Second)
		before := readTables(t, st)
		do()
		after := readTables(t, st)
		changed := changedObjects(before, after)
		now := s.Clock.Now().Unix()
		for _, name := range stale(changed, after, now) {
			t.Errorf("%s changed %s, which keeps its former time of change", what, name)
		}
		for table, column := range stampsOf {
			if table == "carts" {
				continue // erasing a user blanks columns that follow from the user
			}
			of := ownersOf[table]
			for key, row := range after[table] {
				name := of.entity + "/" + shopapi.FormatID(row[of.column].Int())
				was := before[table][key]
				if was != nil && row[column] != was[column] && changed[name] == "" && changed["master_"+name] == "" {
					t.Errorf("%s gave %s a time of change without changing it", what, name)
				}
			}
		}
		return changed
	}
	ask := func(method, address, body string, status int, changes ...string) {
		t.Helper()
		what := method + " " + address + " " + body
		changed := step(what, func() {
			if a := s.Do(method, "/api/2.0/"+address, "application/json", body); a.Status != status {
				t.Fatalf("%s: %d %s", what, a.Status, a.Body)
			}
		})
		for _, name := range changes {
			if changed[name] == "" {
				t.Errorf("%s changed %v, not %s", what, changed, name)
			}
		}
	}
	post := func(address, body string, changes ...string) {
		t.Helper()
		ask("POST", address, body, http.StatusCreated, changes...)
	}
	put := func(address, body string, changes ...string) {
		t.Helper()
		ask("PUT", address, body, http.StatusOK, changes...)
	}
	remove := func(address string, changes ...string) {
		t.Helper()
		ask("DELETE", address, "", http.StatusNoContent, changes...)
	}
	post("categories", `{"category": "Tea"}`)
	post("categories", `{"category": "Green", "parent_id": 1}`)
	post("categories", `{"category": "Sencha", "parent_id": 2}`)
	post("categories", `{"category": "Shop"}`)
	put("categories/2", `{"parent_id": 4}`, "categories/3") // its path leads through another parent
	put("categories/2", `{"position": 77}`)
	post("pages", `{"page": "Terms", "page_type": "T"}`)
	post("pages", `{"page": "Privacy", "page_type": "T", "parent_id": 1}`)
	var group string
	step("POST usergroups", func() {
		group = s.Post("/api/2.0/usergroups", `{"usergroup": "Wholesale", "type": "C", "status": "A"}`).Field("usergroup_id")
	})
	put("pages/2", `{"usergroup_ids": "`+group+`"}`)
	post("users", `{"email": "ida@example.org", "user_type": "C", "firstname": "Ida"}`)
	put("users/2/usergroups/"+group, `{"status": "A"}`) // no change of the user
	remove("usergroups/"+group, "pages/2")
	post("taxes", `{"tax": "VAT"}`)
	post("products", `{"product": "Mug", "category_ids": [2, 3], "price": "9.50", "amount": 10, "tax_ids": ["1"]}`, "products/1")
	post("products", `{"product": "Cup", "category_ids": [4], "price": "3.50", "amount": 10}`)
	remove("taxes/1", "products/1")
	remove("categories/3", "products/1")
	post("discussions", `{"object_type": "P", "object_id": 1, "name": "Ida", "message": "Good", "rating_value": "5"}`)
	put("discussions/1", `{"message": "Very good"}`, "discussions/1")
	post("payments", `{"payment": "Invoice"}`)
	post("shippings", `{"shipping": "Courier", "rates": [{"destination_id": 1, "rate_value": {"C": {"0": {"value": 5}}}}]}`)
	post("orders", `{"user_id": 2, "payment_id": 1, "shipping_id": 1, "products": {"1": {"amount": 2}}}`, "products/1", "orders/1")
	put("orders/1", `{"status": "I"}`, "products/1", "orders/1")
	put("orders/1", `{"status": "P"}`, "products/1", "orders/1")
	var placed struct{ Products map[string]any }
	s.Get("/api/2.0/orders/1").Decode(&placed)
	item := slices.Collect(maps.Keys(placed.Products))[0]
	post("shipments", `{"order_id": 1, "shipping_id": 1, "products": {"`+item+`": 1}}`, "orders/1")
	remove("shipments/1", "orders/1")
	step("a cart", func() {
		for _, product := range []int64{1, 2} {
			if _, err := s.Carts.Put(t.Context(), carts.Owner{ID: 2}, carts.Item{ProductID: product, Amount: 1}); err != nil {
				t.Fatal(err)
			}
		}
	})
	remove("products/2", "carts/2")
	post("features", `{"description": "Colour", "feature_type": "S", "purpose": "group_catalog_item", "variants": [{"variant": "red"}, {"variant": "blue"}]}`)
	put("users/2", `{"lastname": "Berg"}`, "users/2")
	post("users", `{"email": "staff@example.org", "user_type": "A"}`)
	step("a key", func() { // keys are not in the log
		if _, err := s.Users.GenerateKey(t.Context(), 3); err != nil {
			t.Fatal(err)
		}
	})
	post("master_products", `{"product": "Plate", "category_ids": [4], "price": "5"}`)
	if a := s.Post("/api/2.0/vendors", `{"company": "Berg", "email": "b@example.org", "phone": "1", "address": "A 1", "city": "Oslo", "country": "NO", "state": "O", "zipcode": "1"}`); a.Status != http.StatusCreated {
		t.Fatal(a.Body)
	}
	step("erasing a user", func() {
		if err := s.Users.Erase(t.Context(), 2); err != nil {
			t.Fatal(err)
		}
	})
}

// TestE4_ListsByTimeOfChange: the list of each entity with a time of change filters by
// updated_at_from and updated_at_to, which take seconds and dates, and sorts by updated_at.
func TestE4_ListsByTimeOfChange(t *testing.T) {
	t.Parallel()
	s := newCostShop(t)
	var later string
	for range 2 {
		s.Clock.Advance(48 * time.Hour)
		later = fmt.Sprint(s.Clock.Now().Unix())
		s.post(t, "categories", `{"category": "Bowls"}`)
		s.post(t, "pages", `{"page": "Terms", "page_type": "T"}`)
		s.post(t, "discussions", `{"object_type": "E", "object_id": 0, "name": "Ida", "message": "Good"}`)
		s.post(t, "users", `{"email": "ida`+later+`@example.org", "user_type": "C"}`)
		s.post(t, "products", `{"product": "Bowl", "category_ids": [1], "price": "9.50"}`)
		s.post(t, "orders", `{"user_id": 2, "payment_id": 1, "shipping_id": 1, "products": {"1": {"amount": 2}}}`)
		if _, err := s.Carts.Put(t.Context(), carts.Owner{ID: carts.NewGuest()}, carts.Item{ProductID: 1, Amount: 1}); err != nil {
			t.Fatal(err)
		}
	}
	sorted := 0
	for _, d := range s.Descriptions() {
		if !slices.Contains(d.Sorts, "updated_at") || d.Name == "product_variations_groups" {
			continue
		}
		sorted++
		address := "/api/2.0/" + d.Name + "?page=1&items_per_page=10&user_type=C&" // root was made by the clock of the machine
		all := total(t, s.Get(address+"sort_by=updated_at&sort_order=desc"))
		if d.Name == "product_variations" {
			continue
		}
		date := s.Clock.Now().UTC().Format(time.DateOnly)
		for _, c := range []struct {
			query string
			want  int
		}{
			{"updated_at_from=" + later, 1}, {"updated_at_to=" + later, all},
			{"updated_at_from=" + date, 1}, {"updated_at_from=2999-01-01", 0}, {"updated_at_to=1999-01-01", 0},
			{"updated_at_from=" + later + "&updated_at_to=" + later, 1},
		} {
			want := c.want
			if want == 1 && d.Name == "products" {
				want = 2 // the last order took stock of another one
			}
			if a := s.Get(address + c.query); a.Status != http.StatusOK || total(t, a) != want {
				t.Errorf("%s?%s: %d with %d objects, want %d of %d", d.Name, c.query, a.Status, total(t, a), want, all)
			}
		}
		for _, query := range []string{"updated_at_from=soon", "updated_at_to=2024-13-01", "updated_at_from=2&updated_at_to=1"} {
			name, _, _ := strings.Cut(query, "=")
			if a := s.Get(address + query); a.Status != http.StatusBadRequest || !strings.Contains(a.Body, name) {
				t.Errorf("%s?%s: %d %s, want a 400 that names %s", d.Name, query, a.Status, a.Body, name)
			}
		}
	}
	if sorted < 8 {
		t.Errorf("%d entities sort by their time of change", sorted)
	}
}

// TestE4_FormerNamesOfTimes: updated_from and updated_to of products work as before, with
// the header Deprecation.
func TestE4_FormerNamesOfTimes(t *testing.T) {
	t.Parallel()
	s := newCostShop(t)
	for _, c := range []struct {
		query      string
		total      int
		deprecated string
	}{
		{"updated_from=2999-01-01", 0, "@1795305600"},
		{"updated_to=2999-01-01", 1, "@1795305600"},
		{"updated_at_to=2999-01-01", 1, ""},
		{"updated_at_from=2000-01-01&updated_to=2999-01-01", 1, "@1795305600"},
	} {
		for range 2 { // the second answer comes from the cache
			a := s.Get("/api/2.0/products?page=1&" + c.query)
			if got := a.Header.Get("Deprecation"); a.Status != http.StatusOK || total(t, a) != c.total || got != c.deprecated {
				t.Errorf("products?%s: %d, %d products, Deprecation %q, want %q", c.query, a.Status, total(t, a), got, c.deprecated)
			}
		}
	}
}
