package options_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/internal/shoptest"
)

var users = shoptest.Staff(shopapi.Privileges{View: "view_catalog", Manage: "manage_catalog"})

// A shop is an API with everything about products in it: a category and the products
// 1 and 2.
type shop struct{ *shoptest.Shop }

var suite = shoptest.Suite[*shop]{
	Entities: []string{"categories", "products", "exceptions", "options", "combinations"},
	Users:    users,
	Wrap:     func(s *shoptest.Shop) *shop { return &shop{Shop: s} },
	Fill: func(s *shop) {
		s.Dump = s.dump
		s.Call(201, "POST", "categories", `{"category": "Cups", "company_id": 1}`)
		s.Call(201, "POST", "products", `{"product": "Mug", "category_ids": [1], "company_id": 1}`)
		s.Call(201, "POST", "products", `{"product": "Bowl", "category_ids": [1], "company_id": 1}`)
	},
}

// as is the same shop, used by another user.
func (s *shop) as(email string) *shop { return &shop{s.As(email)} }

// dump is all that the package stores of the products 1 to 3.
func (s *shop) dump() any {
	root := s.As(shoptest.Root)
	var all []string
	for product := range 3 {
		for _, address := range []string{"options?product_id=%d", "combinations?product_id=%d", "exceptions?product_id=%d", "products/%d"} {
			all = append(all, root.Send("GET", fmt.Sprintf(address, product+1), "").Body)
		}
	}
	return all
}

// option makes an option of a product with the named variants, and returns its id.
func (s *shop) option(product int, kind string, names ...string) string {
	s.Helper()
	variants := make([]string, len(names))
	for i, name := range names {
		variants[i] = `{"variant_name": "` + name + `"}`
	}
	body := fmt.Sprintf(`{"product_id": %d, "option_name": "Option", "option_type": "%s", "variants": [%s]}`, product, kind, strings.Join(variants, ","))
	return idOf(s, s.Call(201, "POST", "options", body), "option_id")
}

// combination makes a combination with an amount, and returns its hash.
func (s *shop) combination(product int, combination string, amount int) string {
	s.Helper()
	return idOf(s, s.Call(201, "POST", "combinations", fmt.Sprintf(`{"product_id": %d, "combination": %s, "amount": %d}`, product, combination, amount)), "combination_hash")
}

func idOf(s *shop, body, field string) string {
	s.Helper()
	var reply map[string]json.RawMessage
	shoptest.Decode(s, body, &reply)
	return strings.Trim(string(reply[field]), `"`)
}

// variants are the variants of an option by name and id, in the order of positions.
func (s *shop) variants(option string) string {
	s.Helper()
	var o struct {
		Variants json.RawMessage
	}
	shoptest.Decode(s, s.Call(200, "GET", "options/"+option, ""), &o)
	if string(o.Variants) == "[]" {
		return ""
	}
	type variant struct {
		Name string `json:"variant_name"`
		ID   string `json:"variant_id"`
	}
	d := json.NewDecoder(strings.NewReader(string(o.Variants)))
	_, err := d.Token()
	s.Must(err)
	var list []string
	for d.More() {
		key, err := d.Token()
		s.Must(err)
		var v variant
		s.Must(d.Decode(&v))
		if key != v.ID {
			s.Errorf("the variant %s stands under the key %v", v.ID, key)
		}
		list = append(list, v.Name+":"+v.ID)
	}
	return strings.Join(list, " ")
}

// equal checks a value.
func equal[T comparable](s *shop, what string, got, want T) {
	s.Helper()
	if got != want {
		s.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func keys[V any](m map[string]V) string {
	return strings.Join(slices.Sorted(maps.Keys(m)), " ")
}
