package features_test

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/internal/shoptest"
)

var users = shoptest.Staff(shopapi.Privileges{View: "view_catalog", Manage: "manage_catalog"})

// A shop is an API with the categories 1, 2 in it and 3 beside it, the products 1 in
// category 2 and 2 in category 3, and features.
type shop struct{ *shoptest.Shop }

var suite = shoptest.Suite[*shop]{
	Entities: []string{"categories", "products", "features"},
	Users:    users,
	Wrap:     func(s *shoptest.Shop) *shop { return &shop{Shop: s} },
	Fill: func(s *shop) {
		s.Dump = s.dump
		s.Call(201, "POST", "categories", `{"category": "Cups", "company_id": 1}`)
		s.Call(201, "POST", "categories", `{"category": "Mugs", "parent_id": 1, "company_id": 1}`)
		s.Call(201, "POST", "categories", `{"category": "Bowls", "company_id": 1}`)
		s.Call(201, "POST", "products", `{"product": "Mug", "category_ids": [2], "company_id": 1}`)
		s.Call(201, "POST", "products", `{"product": "Bowl", "category_ids": [3], "company_id": 1}`)
	},
}

// as is the same shop, used by another user.
func (s *shop) as(email string) *shop { return &shop{s.As(email)} }

// dump is all that the package stores: features, variants and values.
func (s *shop) dump() any {
	root := s.As(shoptest.Root)
	all := []string{root.Send("GET", "features?items_per_page=1000", "").Body}
	for id := range 12 {
		all = append(all, root.Send("GET", fmt.Sprintf("features/%d", id+1), "").Body)
	}
	for id := range 3 {
		all = append(all, root.Send("GET", fmt.Sprintf("products/%d", id+1), "").Body)
	}
	return all
}

// feature makes a feature with the named variants, and returns its id.
func (s *shop) feature(kind, name string, variants ...string) string {
	s.Helper()
	list := make([]string, len(variants))
	for i, v := range variants {
		list[i] = `{"variant": "` + v + `"}`
	}
	sent := ""
	if len(list) > 0 {
		sent = `, "variants": [` + strings.Join(list, ",") + `]`
	}
	body := s.Call(201, "POST", "features", `{"description": "`+name+`", "feature_type": "`+kind+`", "company_id": 1`+sent+`}`)
	var reply map[string]string
	shoptest.Decode(s, body, &reply)
	return reply["feature_id"]
}

// variants are the names of the variants of a feature with their ids, in their order.
func (s *shop) variants(feature string) string {
	s.Helper()
	var parts []string
	var f struct{ Variants json.RawMessage }
	shoptest.Decode(s, s.Call(200, "GET", "features/"+feature, ""), &f)
	if string(f.Variants) == "[]" {
		return ""
	}
	d := json.NewDecoder(strings.NewReader(string(f.Variants)))
	if _, err := d.Token(); err != nil {
		s.Fatal(err)
	}
	for d.More() {
		key, err := d.Token()
		s.Must(err)
		var v struct {
			Variant string `json:"variant"`
			ID      string `json:"variant_id"`
		}
		s.Must(d.Decode(&v))
		if key != v.ID {
			s.Errorf("the variant %s stands under the key %v", v.ID, key)
		}
		parts = append(parts, v.Variant+"="+v.ID)
	}
	return strings.Join(parts, " ")
}
