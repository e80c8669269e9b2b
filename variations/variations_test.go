package variations_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/internal/shoptest"
	whole "github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/variations"
)

var users = shoptest.Staff(shopapi.Privileges{View: "view_catalog", Manage: "manage_catalog"})

// A shop is an API with the features 1 Glaze (variants 1 to 4, variations of one
// product), 2 Size (5 and 6, products of their own) and 3 Note, a text, and the products 1 to 4, mugs with
// the glazes 1 to 4, and 5, which has none.
type shop struct{ *shoptest.Shop }

var suite = shoptest.Suite[*shop]{
	Entities: []string{"categories", "products", "features", "product_variations", "product_variations_groups"},
	Users:    users,
	Wrap:     func(s *shoptest.Shop) *shop { return &shop{Shop: s} },
	Fill: func(s *shop) {
		s.Dump = s.dump
		s.Call(201, "POST", "categories", `{"category": "Cups", "company_id": 1}`)
		s.Call(201, "POST", "features", `{"description": "Glaze", "feature_type": "S", "company_id": 1, "purpose": "group_variation_catalog_item",
			"variants": [{"variant": "Matt"}, {"variant": "Gloss"}, {"variant": "Ash"}, {"variant": "Salt"}]}`)
		s.Call(201, "POST", "features", `{"description": "Size", "feature_type": "S", "company_id": 1, "purpose": "group_catalog_item",
			"variants": [{"variant": "Small"}, {"variant": "Large"}]}`)
		s.Call(201, "POST", "features", `{"description": "Note", "feature_type": "T", "company_id": 1}`)
		for glaze := 1; glaze <= 4; glaze++ {
			s.mug(fmt.Sprintf(`{"1": %d}`, glaze))
		}
		s.mug(`{}`)
	},
}

// mug makes a product with features, and returns its id.
func (s *shop) mug(has string) string {
	s.Helper()
	return s.id("product_id", s.Call(201, "POST", "products", `{"product": "Mug", "category_ids": [1], "product_code": "M", "price": "9.50", "company_id": 1, "product_features": `+has+`}`))
}

func (s *shop) id(field, body string) string {
	s.Helper()
	var reply map[string]any
	shoptest.Decode(s, body, &reply)
	return fmt.Sprint(reply[field])
}

// group makes a group of products, and returns its id.
func (s *shop) group(code string, products ...int) string {
	s.Helper()
	list, _ := json.Marshal(products)
	return s.id("id", s.Call(201, "POST", "product_variations_groups", fmt.Sprintf(`{"code": %q, "product_ids": %s}`, code, list)))
}

func (s *shop) as(email string) *shop { return &shop{s.As(email)} }

func (s *shop) dump() any {
	root := s.As(shoptest.Root)
	return []string{
		root.Send("GET", "product_variations_groups", "").Body, root.Send("GET", "products?items_per_page=100", "").Body,
		root.Send("GET", "features/1", "").Body,
	}
}

// shape is the groups of a shop: the products of each, a variation after its parent
// as 2<1, in their order.
func (s *shop) shape() string {
	s.Helper()
	var list struct{ Groups []variations.Group }
	shoptest.Decode(s, s.As(shoptest.Root).Call(200, "GET", "product_variations_groups", ""), &list)
	var groups []string
	for _, g := range list.Groups {
		var of []string
		for _, p := range g.Products {
			text := fmt.Sprint(p.ProductID)
			product := s.As(shoptest.Root).Object(fmt.Sprintf("products/%d", p.ProductID))
			kind := "P"
			if p.ParentProductID != 0 {
				text += fmt.Sprintf("<%d", p.ParentProductID)
				kind = "V"
			}
			if product["product_type"] != kind || product["parent_product_id"] != fmt.Sprint(p.ParentProductID) {
				s.Errorf("in its group product %s, but it shows the type %v and the parent %v", text, product["product_type"], product["parent_product_id"])
			}
			of = append(of, text)
		}
		groups = append(groups, strings.Join(of, " "))
	}
	return strings.Join(groups, "; ")
}

func (s *shop) want(what, shape string) {
	s.Helper()
	if diff := cmp.Diff(shape, s.shape()); diff != "" {
		s.Errorf("%s: the groups (-want +got):\n%s", what, diff)
	}
}

// A group shows its numbers as numbers, and is reached by id and by code.
func TestGroups_Wire(t *testing.T) {
	suite.Each(t, func(s *shop) {
		s.Want("POST", "product_variations_groups", `{"product_ids": [1, 2], "code": "MUGS"}`, 201, `{"id":"1"}`)
		group := fmt.Sprintf(`{"id": 1, "code": "MUGS", "features": [{"feature_id": 1, "purpose": "group_variation_catalog_item",
				"is_purpose_create_catalog_item": false, "is_purpose_create_variation_of_catalog_item": true}],
			"products": [{"product_id": 1, "parent_product_id": 0, "company_id": 1, "feature_values": [{"feature_id": 1, "variant_id": "1"}]},
				{"product_id": 2, "parent_product_id": 1, "company_id": 1, "feature_values": [{"feature_id": 1, "variant_id": "2"}]}],
			"created_at": %d, "updated_at": %[1]d}`, shoptest.Now)
		for _, address := range []string{"1", "MUGS"} {
			shoptest.SameJSON(t, s.Call(200, "GET", "product_variations_groups/"+address, ""), group)
		}
		shoptest.SameJSON(t, s.Call(200, "GET", "product_variations_groups", ""), `{"groups": [`+group+`], "params": {"items_per_page": "10", "page": 1,
			"sort_by": "id", "sort_order": "asc", "sort_order_rev": "desc", "total_items": "1"}}`)
		for query, want := range map[string]string{
			"product_ids=1": "1", "product_ids=3,2": "1", "product_ids=5": "", "feature_ids=1": "1", "feature_ids=2": "", "product_ids[]=2&product_ids[]=3": "1",
		} {
			if got := s.List("product_variations_groups?"+query, "id"); got != want {
				t.Errorf("%s: %q, want %q", query, got, want)
			}
		}
		s.Want("PUT", "product_variations_groups/MUGS", `{"code": "CUPS"}`, 200, `{"id":"1"}`)
		s.Status("GET", "product_variations_groups/MUGS", "", 404)
		if code := s.id("code", s.Call(200, "GET", "product_variations_groups/"+s.group("", 3, 4), "")); len(code) != 12 || code[:3] != "PV-" {
			t.Errorf("a code is %s", code)
		}
	})
}

func TestGroups_BadInput(t *testing.T) {
	suite.Each(t, func(s *shop) {
		s.mug(`{"1": 2, "2": 5}`)
		s.group("TAKEN", 3, 4)
		for _, c := range []struct{ body, field string }{
			{`{"code": "A"}`, "product_ids"},
			{`{"product_ids": [1]}`, "product_ids"},
			{`{"product_ids": [1, 1]}`, "product_ids"},
			{`{"product_ids": [1, 99]}`, "product_ids"},
			{`{"product_ids": [1, 3]}`, "product_ids"}, // is in a group
			{`{"product_ids": [2, 6]}`, "product_ids"}, // equal values
			{`{"product_ids": [1, 5]}`, "product_ids"}, // no value
			{`{"product_ids": "x"}`, "product_ids"},
			{`{"product_ids": [1, 2], "code": "12"}`, "code"},
			{`{"product_ids": [1, 2], "code": "a/b"}`, "code"},
			{`{"product_ids": [1, 2], "code": "TAKEN"}`, "code"},
			{`{"product_ids": [1, 2], "code": "` + strings.Repeat("x", 256) + `"}`, "code"},
			{`{"product_ids": [1, 2], "features": "x"}`, "features"},
			{`{"product_ids": [1, 2], "features": [{"feature_id": 3}]}`, "features"},
			{`{"product_ids": [1, 2], "features": [{"feature_id": 1, "purpose": "find_products"}]}`, "features"},
			{`{"product_ids": [1, 2], "features": [{"feature_id": 1}, {"feature_id": 1}]}`, "features"},
			{`{"product_ids": [1, 2], "features": [{"feature_id": 2}]}`, "product_ids"}, // no value of it
		} {
			if got := s.Refuses("POST", "product_variations_groups", c.body, c.field); got[c.field] == "" {
				t.Errorf("%s: %v", c.body, got)
			}
		}
		for _, code := range []string{`""`, `"7"`, `"x/y"`} {
			s.Refuses("PUT", "product_variations_groups/1", `{"code": `+code+`}`, "code")
		}
		other := s.group("OTHER", 1, 2)
		s.Refuses("PUT", "product_variations_groups/"+other, `{"code": "TAKEN"}`, "code")
		for _, c := range []struct{ product, code string }{{"6", "(254)"}, {"5", "(255)"}} { // equal values, no values
			got := s.Refuses("PUT", "product_variations/"+c.product, `{"variation_group_id": `+other+`}`, "variation_group_id")
			if !strings.Contains(got["variation_group_id"], c.code) {
				t.Errorf("product %s is refused as %v, want %s", c.product, got, c.code)
			}
		}
		s.Refuses("PUT", "product_variations/5", `{"variation_group_id": 99}`, "variation_group_id")
	})
}

// The parent is the first product, or the one set by set_default_product_variation, among
// products with the same values of features that make separate catalog items (decisions
// §22).
func TestVariations_Parents(t *testing.T) {
	suite.Each(t, func(s *shop) {
		s.group("A", 2, 1, 3)
		s.want("a group", "2 1<2 3<2")
		s.Want("POST", "product_variations/3/set_default_product_variation", `{}`, 201, `{"product_id":"3"}`)
		s.want("another default", "3 2<3 1<3")
		s.Call(201, "POST", "product_variations/1/detach_product_variation", `{}`)
		s.want("one is detached", "3 2<3")
		s.Call(200, "PUT", "product_variations/4", `{"variation_group_id": 1}`)
		s.want("one joined", "3 2<3 4<3")
		s.Call(204, "DELETE", "products/3", "")
		s.want("the parent is deleted", "2 4<2")
		s.Call(204, "DELETE", "product_variations/2", "")
		s.want("a group of one goes", "")
		if got := s.Field("products/4", "product_type"); got != `"P"` {
			t.Errorf("what is left is of the type %s", got)
		}
		for _, id := range []string{"4", "5"} {
			s.Status("POST", "product_variations/"+id+"/detach_product_variation", `{}`, 400)
			s.Status("POST", "product_variations/"+id+"/set_default_product_variation", ``, 400)
		}
		s.Status("POST", "product_variations/99/detach_product_variation", `{}`, 404)
		s.Status("GET", "product_variations/4/detach_product_variation", ``, 405)

		s.Call(200, "PUT", "products/1", `{"product_features": {"2": 5}}`)
		s.Call(200, "PUT", "products/4", `{"product_features": {"2": 6}}`)
		s.mug(`{"1": 1, "2": 6}`)
		s.group("B", 1, 4, 6)
		s.want("sizes are products of their own", "1 4 6<4")
		s.Call(200, "PUT", "products/6", `{"product_features": {"2": 5, "1": 3}}`)
		s.want("a size changed", "1 4 6<1")
	})
}

// Decisions §25: a generation that is sent twice is carried out once.
func TestVariations_IdempotencyKey(t *testing.T) {
	s := suite.Open(t, shoptest.Memory(t), shopapi.Options{})
	const address = "product_variations/1/generate_product_variations"
	send := func(key, body string) (int, string) {
		answer := s.Send("POST", address, body, "Idempotency-Key", key)
		return answer.Status, answer.Body
	}
	one, other := `{"combinations": [{"1": 2}]}`, `{"combinations": [{"1": 3}]}`
	status, first := send("a", one)
	if status != 201 || s.shape() != "1 6<1" {
		t.Fatalf("generated %d %s; the groups are %s", status, first, s.shape())
	}
	s.Unchanged(func() {
		if status, again := send("a", one); status != 201 || again != first {
			t.Errorf("the same request is answered %d %s, want 201 %s", status, again, first)
		}
		if status, _ := send("a", other); status != 422 {
			t.Errorf("another request with the key is answered %d, want 422", status)
		}
	})
	if status, _ := send("b", other); status != 201 || s.shape() != "1 6<1 7<1" {
		t.Errorf("with a new key %d; the groups are %s", status, s.shape())
	}
}

// generate makes the products that are missing: copies with amount 0 and an empty code.
func TestVariations_Generate(t *testing.T) {
	suite.Each(t, func(s *shop) {
		s.Call(200, "PUT", "products/1", `{"full_description": "<p>Clay</p>", "product_features": {"3": "By hand"}}`)
		body := s.Call(201, "POST", "product_variations/1/generate_product_variations", `{"combinations": [{"1": 1}, {"1": 2}, {"1": "3"}]}`)
		var reply struct {
			Group  variations.Group
			Status map[string]int `json:"products_status"`
		}
		shoptest.Decode(t, body, &reply)
		if diff := cmp.Diff(map[string]int{"1": 1, "6": 1, "7": 1}, reply.Status); diff != "" || reply.Group.GroupID != 1 || len(reply.Group.Products) != 3 {
			t.Errorf("generate answered %s", body)
		}
		s.want("made", "1 6<1 7<1")
		made := s.Object("products/6")
		if made["amount"] != "0" || made["product_code"] != "" || made["price"] != "9.50" || made["full_description"] != "<p>Clay</p>" || made["product"] != "Mug" {
			t.Errorf("the copy is %v", made)
		}
		if note := made["product_features"].(map[string]any)["3"].(map[string]any)["value"]; note != "By hand" {
			t.Errorf("the copy has the note %v", note)
		}
		body = s.Call(201, "POST", "product_variations/6/generate_product_variations", `{"combinations": [{"1": 3}, {"1": 4}]}`)
		shoptest.Decode(t, body, &reply)
		if diff := cmp.Diff(map[string]int{"1": 1, "6": 0, "7": 0, "8": 1}, reply.Status); diff != "" {
			t.Errorf("generate answered %s", body)
		}
		s.Call(200, "PUT", "products/1", `{"full_description": "changed"}`)
		if got := s.Field("products/8", "full_description"); got != `"<p>Clay</p>"` {
			t.Errorf("a copy follows its origin: %s", got)
		}
		for _, c := range []string{`{}`, `{"combinations": []}`, `{"combinations": "x"}`, `{"combinations": [1]}`, `{"combinations": [{"x": 1}]}`,
			`{"combinations": [{"1": 1, "2": 5}]}`, `{"combinations": [{"1": 99}]}`, `{"combinations": [{}]}`} {
			s.Refuses("POST", "product_variations/1/generate_product_variations", c, "combinations")
		}
		for product, c := range map[string]string{"2": `[{"1": 2}]`, "3": `[{"3": 1}]`, "5": `[{"1": 1}]`, "4": `[{"2": 5}]`} {
			s.Refuses("POST", "product_variations/"+product+"/generate_product_variations", `{"combinations": `+c+`}`, "combinations")
		}
	})
}

// Copies have the texts of their origin in every language, whatever the language of the
// request (§15, §22).
func TestVariations_GenerateCopiesAllLanguages(t *testing.T) {
	for _, sl := range []string{"", "?sl=en", "?sl=de", "?sl=fr"} {
		t.Run(sl, func(t *testing.T) {
			suite.Each(t, func(s *shop) {
				s.Call(200, "PUT", "products/1", `{"full_description": "Clay", "age_warning_message": "Hot"}`)
				s.Call(200, "PUT", "products/1?sl=de", `{"product": "Becher", "full_description": "Ton", "age_warning_message": "Heiß"}`)
				s.Call(201, "POST", "product_variations/1/generate_product_variations"+sl, `{"combinations": [{"1": 2}]}`)
				for address, want := range map[string][3]string{
					"products/6":       {"Mug", "Clay", "Hot"},
					"products/6?sl=de": {"Becher", "Ton", "Heiß"},
					"products/6?sl=fr": {"Mug", "Clay", "Hot"},
				} {
					made := s.Object(address)
					got := [3]string{fmt.Sprint(made["product"]), fmt.Sprint(made["full_description"]), fmt.Sprint(made["age_warning_message"])}
					if diff := cmp.Diff(want, got); diff != "" {
						t.Errorf("%s (-want +got):\n%s", address, diff)
					}
				}
				s.Call(200, "PUT", "products/1?sl=de", `{"product": "Tasse"}`)
				if got := s.Field("products/6?sl=de", "product"); got != `"Becher"` {
					t.Errorf("the copy follows its origin: %s", got)
				}
			})
		})
	}
}

// Messages about combinations name features by their ids, and are one sentence.
func TestVariations_RefusedCombinations(t *testing.T) {
	suite.Each(t, func(s *shop) {
		s.Call(200, "PUT", "products/1", `{"product_features": {"2": 5}}`)
		s.Call(200, "PUT", "products/2", `{"product_features": {"2": 5}}`)
		s.group("A", 1, 2)
		for combination, want := range map[string]string{
			`{"1": 3}`:         "[0]: must have a variant of each of the features 1, 2, and of no others",
			`{"1": 9, "2": 5}`: "[0]: [1]: must have one of its own variants, not 9",
		} {
			got := s.Refuses("POST", "product_variations/1/generate_product_variations", `{"combinations": [`+combination+`]}`, "combinations")
			if diff := cmp.Diff(want, got["combinations"]); diff != "" {
				t.Errorf("%s (-want +got):\n%s", combination, diff)
			}
		}
		got := s.Refuses("PUT", "product_variations/3", `{"variation_group_id": 1}`, "variation_group_id")
		want := "does not fit: products of the group A have a variant of each of the features 1, 2 (255)"
		if diff := cmp.Diff(want, got["variation_group_id"]); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

// Changes of a product must keep the rules of its group, and cannot remove its
// distinguishing values.
func TestVariations_ChangesKeepToTheGroup(t *testing.T) {
	suite.Each(t, func(s *shop) {
		s.group("A", 1, 2)
		s.Refuses("PUT", "products/2", `{"product_features": {"1": 1}}`, "product_features")
		s.Refuses("PUT", "products/2", `{"product_features": {"1": null}}`, "product_features")
		s.Status("DELETE", "products/2/features/1", "", 400)
		s.Call(200, "PUT", "products/2", `{"product_features": {"1": 4, "3": "Salt"}, "price": 12}`)
		s.Unchanged(func() { s.Call(400, "DELETE", "features/1", "") })
		s.Refuses("PUT", "features/1", `{"variants": {"1": {}, "2": {}}}`, "variants") // product 2 has 4
		s.Refuses("PUT", "features/1", `{"feature_type": "M", "purpose": "find_products"}`, "feature_type")
		s.Call(200, "PUT", "features/1", `{"variants": {"1": {}, "4": {}}}`)
		s.Call(204, "DELETE", "product_variations_groups/A", "{}")
		s.want("deleted", "")
		if got := s.Field("products/2", "product_type") + s.Field("products/2", "parent_product_id"); got != `"P""0"` {
			t.Errorf("a product of a deleted group shows %s", got)
		}
		s.Call(204, "DELETE", "features/1", "")
	})
}

// Lists: products in groups, products of a group, and the filters of products.
func TestVariations_Lists(t *testing.T) {
	suite.Each(t, func(s *shop) {
		s.group("A", 1, 2)
		s.group("B", 3, 4)
		for address, want := range map[string]string{
			"product_variations":                                                  "1 2 3 4",
			"product_variations?variation_group_id=1":                             "1 2",
			"product_variations_groups/2/product_variations":                      "3 4",
			"product_variations_groups/B/product_variations":                      "3 4",
			"product_variations?has_variation_group=N":                            "",
			"product_variations_groups/B/product_variations?variation_group_id=1": "",
			"products":                               "1 2 3 4 5",
			"products?include_child_variations=0":    "1 3 5",
			"products?include_child_variations=true": "1 2 3 4 5",
			"products?group_child_variations=1":      "1 3 5",
			"products?product_type=V":                "2 4",
			"products?variation_group_id=2":          "3 4",
			"products?variation_group_id=9":          "",
			"products?has_variation_group=1":         "1 2 3 4",
			"products?has_variation_group=0":         "5",
			"products?variations_by_product_id=4":    "3 4",
			"products?parent_product_id=1":           "2",
		} {
			if got := s.List(address, "product_id"); got != want {
				t.Errorf("%s: %q, want %q", address, got, want)
			}
		}
		s.Refuses("GET", "product_variations?has_variation_group=junk", "", "has_variation_group")
		s.Status("GET", "product_variations_groups/A/product_variations/2", "", 200)
		s.Status("GET", "product_variations_groups/A/product_variations/3", "", 404)
		s.Status("PUT", "product_variations_groups/A/product_variations/3", `{"amount": 1}`, 404)
		s.Status("DELETE", "product_variations_groups/A/product_variations/3", ``, 404)
		s.Status("GET", "product_variations_groups/C/product_variations", "", 404)
		s.Call(200, "GET", "product_variations/5", "") // any product has this address
		id := s.id("product_id", s.Call(201, "POST", "product_variations_groups/A/product_variations",
			`{"product": "Mug", "category_ids": [1], "price": 9, "product_features": {"1": 3}}`))
		s.want("made in a group", "1 2<1 "+id+"<1; 3 4<3")
		s.Refuses("POST", "product_variations_groups/A/product_variations", `{"product": "Mug", "category_ids": [1], "product_features": {"1": 3}}`, "variation_group_id")
		s.Call(200, "PUT", "product_variations/2", `{"variation_group_id": 2}`)
		s.want("moved", "1 "+id+"<1; 3 4<3 2<3")
		s.Call(200, "PUT", "product_variations/2", `{"variation_group_id": 0}`)
		s.want("left", "1 "+id+"<1; 3 4<3")
	})
}

// With If-Match, PUT answers the ETag that the product has in its new group.
func TestVariations_ETagAfterJoin(t *testing.T) {
	suite.Each(t, func(s *shop) {
		s.group("MUGS", 1, 2)
		for _, payload := range []string{`{"variation_group_id": 1}`, `{"variation_group_id": 0, "price": 3}`, `{"price": 4}`} {
			before := s.Send("GET", "product_variations/3", "").Header.Get("Etag")
			reply := s.Send("PUT", "product_variations/3", payload, "If-Match", before)
			if now := s.Send("GET", "product_variations/3", "").Header.Get("Etag"); reply.Status != 200 || reply.Header.Get("Etag") != now || now == before {
				t.Errorf("PUT %s of %s: %d %s, now %s", payload, before, reply.Status, reply.Header.Get("Etag"), now)
			}
			s.Unchanged(func() {
				if a := s.Send("PUT", "product_variations/3", payload, "If-Match", before); a.Status != 412 {
					t.Errorf("PUT %s with an old ETag: %d", payload, a.Status)
				}
			})
		}
		if a := s.Send("PUT", "product_variations/99", `{"variation_group_id": 1}`, "If-Match", `"x"`); a.Status != 404 {
			t.Errorf("PUT of a missing product: %d", a.Status)
		}
	})
}

// A group is of one company, and vendors reach their own.
func TestVariations_Vendors(t *testing.T) {
	s := suite.Open(t, shoptest.Memory(t), shopapi.Options{Edition: shopapi.MultiVendor})
	vendor := s.as("vendor2@example.com")
	own := func(glaze int) int {
		var id int
		fmt.Sscan(vendor.mug(fmt.Sprintf(`{"1": %d}`, glaze)), &id)
		return id
	}
	a, b := own(1), own(2)
	s.Refuses("POST", "product_variations_groups", fmt.Sprintf(`{"product_ids": [1, %d]}`, b), "product_ids")
	vendor.Refuses("POST", "product_variations_groups", fmt.Sprintf(`{"product_ids": [1, %d]}`, b), "product_ids")
	s.group("SHOP", 3, 4)
	vendor.group("OWN", a, b)
	if got := vendor.List("product_variations_groups", "code"); got != "OWN" {
		t.Errorf("the vendor sees the groups %s", got)
	}
	for _, address := range []string{"product_variations_groups/%s", "product_variations_groups/%s/product_variations"} {
		theirs := vendor.Call(404, "GET", fmt.Sprintf(address, "SHOP"), "")
		if none := vendor.Call(404, "GET", fmt.Sprintf(address, "NONE"), ""); theirs != strings.ReplaceAll(none, "NONE", "SHOP") {
			t.Errorf("the group of another company is refused with %s, and no group with %s", theirs, none)
		}
	}
	vendor.Status("POST", "product_variations/3/detach_product_variation", "{}", 404)
	vendor.Refuses("PUT", fmt.Sprintf("product_variations/%d", a), `{"variation_group_id": 1}`, "variation_group_id")
	if got := s.Refuses("PUT", fmt.Sprintf("product_variations/%d", a), `{"variation_group_id": 1}`, "variation_group_id"); !strings.Contains(got["variation_group_id"], "(253)") {
		t.Errorf("a product of another company is refused as %v", got)
	}
	s.Refuses("PUT", fmt.Sprintf("products/%d", a), `{"company_id": 3}`, "company_id")
	if got := vendor.List("product_variations", "product_id"); got != fmt.Sprintf("%d %d", a, b) {
		t.Errorf("the vendor sees the variations %s", got)
	}
}

// A common product does not get values with which an offer of it would not fit its group.
func TestVariations_OfferOfCommonProduct(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, &whole.Options{Options: shopapi.Options{Edition: shopapi.MultiVendor}})
	send := func(status int, method, address, payload string) string {
		t.Helper()
		a := s.Do(method, "/api/"+address, "application/json", payload)
		if a.Status != status {
			t.Fatalf("%s %s: %d %s", method, address, a.Status, a.Body)
		}
		return a.Body
	}
	send(201, "POST", "categories", `{"category": "Cups"}`)
	send(201, "POST", "features", `{"description": "Glaze", "feature_type": "S", "company_id": 1, "purpose": "group_variation_catalog_item",
		"variants": [{"variant": "Matt"}, {"variant": "Gloss"}, {"variant": "Ash"}]}`)
	send(201, "POST", "master_products", `{"product": "Mug", "category_ids": [1], "price": 5, "product_features": {"1": 1}}`)
	send(201, "POST", "master_products/1/master_product_offers", `{"company_id": 1}`)
	send(201, "POST", "products", `{"product": "Cup", "category_ids": [1], "product_features": {"1": 2}}`)
	send(201, "POST", "product_variations_groups", `{"product_ids": [2, 3], "code": "MUGS"}`)
	before := send(200, "GET", "product_variations_groups/MUGS", "")
	for sent, reason := range map[string]string{"2": "(254)", `""`: "(255)"} {
		refused := send(400, "PUT", "master_products/1", `{"price": 6, "product_features": {"1": `+sent+`}}`)
		if !strings.Contains(refused, `"product_features":"of the offer 2 does not fit`) || !strings.Contains(refused, reason) {
			t.Errorf("the value %s is refused with %s", sent, refused)
		}
		if after := send(200, "GET", "product_variations_groups/MUGS", ""); after != before {
			t.Errorf("the value %s made the group %s, want %s", sent, after, before)
		}
	}
	send(200, "PUT", "master_products/1", `{"product_features": {"1": 3}}`)
	if after := send(200, "GET", "product_variations_groups/MUGS", ""); !strings.Contains(after, `"feature_values":[{"feature_id":1,"variant_id":"3"}]`) {
		t.Errorf("the group does not follow the common product: %s", after)
	}
}

// The hooks of groups run when one is created, when its code changes, and when its deletion is asked for.
func TestVariations_Hooks(t *testing.T) {
	suite.Each(t, func(s *shop) {
		var ran []string
		note := func(what string) func(context.Context, store.Tx, *variations.Group, *variations.Group) error {
			return func(_ context.Context, _ store.Tx, _, g *variations.Group) error {
				ran = append(ran, what+" "+g.Code)
				return nil
			}
		}
		s.Variations.BeforeSave(note("before"))
		s.Variations.AfterSave(note("after"))
		s.Variations.BeforeDelete(func(_ context.Context, _ store.Tx, g *variations.Group) error {
			ran = append(ran, "delete "+g.Code)
			return nil
		})
		made, err := s.Variations.CreateAll(t.Context(), []variations.Group{{Code: "A", ProductIDs: []int64{1, 2}}, {Code: "B", ProductIDs: []int64{3, 4}}})
		s.Must(err)
		_, err = s.Variations.Update(t.Context(), made[0].GroupID, func(g *variations.Group) error { g.Code = "C"; return nil })
		s.Must(err)
		s.Must(s.Variations.Detach(t.Context(), 2)) // ends the group C
		s.Must(s.Variations.Delete(t.Context(), made[1].GroupID))
		want := []string{"before A", "after A", "before B", "after B", "before C", "after C", "delete B"}
		if diff := cmp.Diff(want, ran); diff != "" {
			t.Errorf("hooks (-want +got):\n%s", diff)
		}
	})
}
