package shop_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/extensions/changes"
	"github.com/shopapi/shopapi/shop"
)

// E4: the fields of a change are the stored fields that differ, each once. A change of a
// shipment that its order does not show does not count as a change of the order.
func TestE4_FieldsOfChanges(t *testing.T) {
	s := apitest.New(t, &shop.Options{Changes: changes.Options{Mode: changes.On}})
	for address, body := range map[string]string{
		"categories": `{"category": "Cups"}`,
		"payments":   `{"payment": "Card"}`,
		"shippings":  `{"shipping": "Parcel"}`,
		"users":      `{"email": "ana@example.com", "user_type": "C", "password": "first password"}`,
	} {
		want(t, s.Post("/api/2.0/"+address, body), 201, "")
	}
	const customer = "2"
	want(t, s.Post("/api/2.0/products", `{"product": "Cup", "price": 1, "category_ids": [1], "amount": 9}`), 201, "")
	want(t, s.Post("/api/2.0/orders", `{"payment_id": 1, "shipping_id": 1, "products": {"1": {"amount": 3}}, "user_data": {
		"email": "kim@example.com", "b_firstname": "Kim", "b_lastname": "Berg", "b_address": "Main St 1", "b_city": "Oslo", "b_country": "NO", "b_zipcode": "0150",
		"s_firstname": "Kim", "s_lastname": "Berg", "s_address": "Main St 1", "s_city": "Oslo", "s_country": "NO", "s_zipcode": "0150"}}`), 201, "")
	var order struct{ Products map[string]any }
	if err := json.Unmarshal([]byte(s.Get("/api/2.0/orders/1").Body), &order); err != nil {
		t.Fatal(err)
	}
	line := ""
	for line = range order.Products {
	}
	for _, test := range []struct {
		name, method, address, body string
		want                        []string
	}{
		{"a password", "PUT", "users/" + customer, `{"password": "other password"}`, []string{"updated users [password]"}},
		{"a setting", "PUT", "settings/1", `{"value": "20"}`, []string{"updated settings [value]"}},
		{"the same setting again", "PUT", "settings/1", `{"value": "30"}`, []string{"updated settings [value]"}},
		{"a counter", "PUT", "settings/10", `{"value": "100"}`, []string{"updated settings [value]"}},
		{"a shipment", "POST", "shipments", `{"order_id": 1, "shipping_id": 1, "products": {"` + line + `": 1}}`, []string{"updated orders [products shipment_ids]", "created shipments []"}},
		{"its number", "PUT", "shipments/1", `{"tracking_number": "A1"}`, []string{"updated shipments [tracking_number]"}},
		{"its pieces", "PUT", "shipments/1", `{"products": {"` + line + `": 2}}`, []string{"updated orders [products]", "updated shipments [products]"}},
		{"its end", "DELETE", "shipments/1", "", []string{"deleted shipments []", "updated orders [products shipment_ids]"}},
	} {
		got := logged(t, s, func() {
			if got := s.Do(test.method, "/api/2.0/"+test.address, "application/json", test.body); got.Status >= 400 {
				t.Errorf("%s: %d %s", test.name, got.Status, got.Body)
			}
		})
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("E4: %s (-want +got):\n%s", test.name, diff)
		}
	}
}

// logged returns what the change log has of a function: operation, entity and fields.
func logged(t *testing.T, s *apitest.Shop, do func()) (got []string) {
	t.Helper()
	since := s.Get("/api/2.0/changes?since=now").Field("last_seq")
	do()
	var log struct{ Changes []changes.Change }
	if err := json.Unmarshal([]byte(s.Get("/api/2.0/changes?since="+since).Body), &log); err != nil {
		t.Fatal(err)
	}
	for _, c := range log.Changes {
		got = append(got, c.Op+" "+c.Entity+" "+fmt.Sprint(c.Fields))
	}
	return got
}

// E4: a storefront's texts about a status are named with their language.
func TestE4_FieldsOfStatusTexts(t *testing.T) {
	s := apitest.New(t, &shop.Options{Options: shopapi.Options{Edition: shopapi.MultiStorefront}, Changes: changes.Options{Mode: changes.On}})
	for _, step := range [][2]string{
		{`{"email_subj": "Fired"}`, "email_subj"},
		{`{"email_subj": "Gebrannt", "email_header": "Hallo", "lang_code": "de"}`, "email_subj@de email_header@de"},
		{`{"email_subj": "Fired", "email_header": "Hello"}`, "email_header"},
	} {
		got := logged(t, s, func() { want(t, s.Put("/api/2.0/stores/1/statuses/1", step[0]), 200, "") })
		if diff := cmp.Diff([]string{"updated statuses [" + step[1] + "]"}, got); diff != "" {
			t.Errorf("E4: %s (-want +got):\n%s", step[0], diff)
		}
	}
}

// E4: common products are named as master_products also where their change follows from a deletion.
func TestE4_DeletionsThatChangeCommonProducts(t *testing.T) {
	s := apitest.New(t, &shop.Options{Options: shopapi.Options{Edition: shopapi.MultiVendor}, Changes: changes.Options{Mode: changes.On}})
	const fields = `{"product": "Mug", "price": 1, "category_ids": [1, 2], "usergroup_ids": "3", "tax_ids": "1"}`
	for _, row := range [][2]string{
		{"categories", `{"category": "Cups"}`}, {"categories", `{"category": "Mugs"}`}, {"taxes", `{"tax": "VAT"}`},
		{"usergroups", `{"type": "C", "status": "A", "usergroup": "Club"}`}, {"master_products", fields}, {"products", fields},
	} {
		want(t, s.Post("/api/2.0/"+row[0], row[1]), 201, "")
	}
	for address, fields := range map[string]string{"usergroups/3": "usergroup_ids", "taxes/1": "tax_ids", "categories/2": "category_ids main_category"} {
		got := logged(t, s, func() { want(t, s.Delete("/api/2.0/"+address), 204, "") })
		entity, _, _ := strings.Cut(address, "/")
		if diff := cmp.Diff([]string{"updated products [" + fields + "]", "updated master_products [" + fields + "]", "deleted " + entity + " []"}, got); diff != "" {
			t.Errorf("E4: %s (-want +got):\n%s", address, diff)
		}
	}
}
