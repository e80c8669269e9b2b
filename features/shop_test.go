package features_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/categories"
	"github.com/shopapi/shopapi/features"
	"github.com/shopapi/shopapi/internal/shoptest"
	"github.com/shopapi/shopapi/products"
	"github.com/shopapi/shopapi/store"
)

var users = shoptest.Staff(shopapi.Privileges{View: "view_catalog", Manage: "manage_catalog"})

// A shop is an API with the categories 1, 2 in it and 3 beside it, the products 1 in
// category 2 and 2 in category 3, and features.
type shop struct {
	*shoptest.Shop
	products *products.Products
	features *features.Features
}

func newShop(t *testing.T, st store.Store, opts shopapi.Options) *shop {
	t.Helper()
	opts.Authenticator = users
	s := &shop{Shop: shoptest.New(t, st, opts)}
	tree, err := categories.Register(t.Context(), s.API, st)
	s.must(err)
	s.products, err = products.Register(t.Context(), s.API, st, tree)
	s.must(err)
	s.features, err = features.Register(t.Context(), s.API, st, s.products)
	s.must(err)
	s.Call(201, "POST", "categories", `{"category": "Cups", "company_id": 1}`)
	s.Call(201, "POST", "categories", `{"category": "Mugs", "parent_id": 1, "company_id": 1}`)
	s.Call(201, "POST", "categories", `{"category": "Bowls", "company_id": 1}`)
	s.Call(201, "POST", "products", `{"product": "Mug", "category_ids": [2], "company_id": 1}`)
	s.Call(201, "POST", "products", `{"product": "Bowl", "category_ids": [3], "company_id": 1}`)
	s.Dump = s.dump
	return s
}

func (s *shop) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

// as is the same shop, used by another user.
func (s *shop) as(email string) *shop {
	other := *s
	other.Shop = s.As(email)
	return &other
}

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

// eachShop runs a test in a shop over each store.
func eachShop(t *testing.T, test func(s *shop)) {
	shoptest.EachStore(t, func(t *testing.T, st store.Store) { test(newShop(t, st, shopapi.Options{})) })
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
		s.must(err)
		var v struct {
			Variant string `json:"variant"`
			ID      string `json:"variant_id"`
		}
		s.must(d.Decode(&v))
		if key != v.ID {
			s.Errorf("the variant %s stands under the key %v", v.ID, key)
		}
		parts = append(parts, v.Variant+"="+v.ID)
	}
	return strings.Join(parts, " ")
}
