package exceptions_test

import (
	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/internal/shoptest"
)

// hostProducts has two of company 1 and one of company 2.
func hostProducts() *shoptest.Host {
	return &shoptest.Host{Name: "products", View: "view_catalog", Objects: map[string]any{
		"41": shopapi.Map{{Name: "product_id", Value: "41"}, {Name: "company_id", Value: "1"}},
		"42": map[string]any{"product_id": 42, "company_id": 1},
		"77": map[string]any{"product_id": "77", "company_id": "2"},
	}}
}

// options has a select box and a checkbox of product 41, a text of 41, and radio
// buttons of 42 and of 77.
func options() *shoptest.Host {
	option := func(id, product, kind string, variants ...string) any {
		o := map[string]any{"option_id": id, "product_id": product, "option_type": kind, "variants": []string{}}
		if len(variants) > 0 {
			m := map[string]any{}
			for _, v := range variants {
				m[v] = map[string]any{"variant_id": v}
			}
			o["variants"] = m
		}
		return o
	}
	return &shoptest.Host{Name: "options", View: "view_catalog", Objects: map[string]any{
		"12": option("12", "41", "S", "33", "34"),
		"14": option("14", "41", "C", "36", "37"),
		"15": option("15", "41", "I"),
		"16": option("16", "41", "R"),
		"21": option("21", "42", "R", "51"),
		"71": option("71", "77", "R", "91"),
	}}
}

// A shop is an API with exceptions in it.
type shop struct{ *shoptest.Shop }

var suite = shoptest.Suite[*shop]{
	Entities: []string{"exceptions"},
	Users:    users,
	Wrap:     func(s *shoptest.Shop) *shop { return &shop{Shop: s} },
}

var users = shoptest.Staff(shopapi.Privileges{View: "view_catalog", Manage: "manage_catalog"})

// as returns the shop, used as another user.
func (s *shop) as(email string) *shop { return &shop{s.As(email)} }
