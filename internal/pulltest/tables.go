// Package pulltest compares the tables of two shops, one of which was pulled from the other.
package pulltest

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store"
)

// given are the tables whose keys are given by each shop for itself.
var given = []string{
	"products_categories", "product_features_values", "usergroup_links", "cart_products", "product_variation_group_products",
	"product_variation_group_features", "settings_values", "language_variables", "store_status_texts", "store_status_translations", "order_history", "order_documents", "order_counters",
}

// unread are columns that no response contains, or that each shop computes.
var unread = map[string][]string{
	"users":              {"api_key_hash", "api_key_created", "password_hash"},
	"carts":              {"email", "phone"},
	"orders":             {"updated_at", "shipping_cost_set", "payment_surcharge_set", "rules"}, // without kept tables amounts count as written
	"call_requests":      {"email"},
	"payments":           {"processor_params"},
	"settings_numbers":   {"object_id", "section_id"},
	"statuses":           {"lang_code"},
	"language_variables": {"lang_code"},
	"companies":          {"secure_storefront", "redirect_customer", "entry_page", "countries_list"},
}

// untold are tables whose rows no response contains.
var untold = []string{"secrets", "sign_in_links", "api_keys", "api_key_uses", "image_uploads", "idempotency_keys", "schema_changes", "image_pair_ids", "base_language", "language_variables_texts", "order_rules"}

// Held names the pieces that orders hold and that shipments took from them. They follow from
// the status of each order, unless the old shop wrote orders that take no stock.
const Held = "held"

// Seller names the address and the telephone number of companies, which storefronts do not
// show.
const Seller = "seller"

// Tables returns the rows of a store as texts, by table, in a fixed order. It leaves out
// what no response contains, and what without names.
func Tables(t testing.TB, st store.Store, without ...string) map[string][]string {
	t.Helper()
	c := comparison{slices.Contains(without, Held), slices.Contains(without, Seller)}
	rows := map[string][]string{}
	err := st.View(t.Context(), func(_ context.Context, tx store.Tx) error {
		for _, s := range shop.Schemas() {
			if slices.Contains(untold, s.Name) {
				continue
			}
			list := []string{}
			err := tx.Select(s.All(), &store.Query{}, func(r []store.Value) error {
				list = append(list, c.text(s, r))
				return nil
			})
			if err != nil {
				return err
			}
			if s.Name == "product_sales" {
				if list, err = sold(tx, s); err != nil {
					return err
				}
			}
			slices.Sort(list)
			rows[s.Name] = list
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// sold are the sums of the sales of products, which are rows in no order.
func sold(tx store.Tx, s *store.Schema) (list []string, err error) {
	by := map[int64]int64{}
	product, pieces := s.Index("product_id"), s.Index("pieces")
	err = tx.Select(s.All(), &store.Query{}, func(r []store.Value) error {
		by[r[product].Int()] += r[pieces].Int()
		return nil
	})
	for product, pieces := range by {
		if pieces != 0 {
			list = append(list, fmt.Sprintf("product_id: %d\npieces: %d\n", product, pieces))
		}
	}
	return list, err
}

// A comparison compares tables without some columns.
type comparison struct {
	withoutHeld, withoutSeller bool
}

func (c comparison) text(s *store.Schema, r []store.Value) string {
	var b strings.Builder
	for i, v := range r {
		name := s.Columns[i].Name
		if i == 0 && (slices.Contains(given, s.Name) || strings.HasSuffix(s.Name, "_texts")) || slices.Contains(unread[s.Name], name) ||
			c.withoutHeld && s.Name == "shipments" && name == "consumed" ||
			c.withoutSeller && s.Name == "companies" && slices.Contains([]string{"phone", "address", "city", "state", "country", "zipcode"}, name) {
			continue
		}
		fmt.Fprintf(&b, "%s: %s\n", name, c.value(s.Name, name, v))
	}
	return b.String()
}

// value returns a value without the parts that responses do not contain: taxes of
// shipping methods that the order does not have, and the trailing zeros of weights.
func (c comparison) value(table, column string, v store.Value) string {
	switch {
	case table == "orders" && column == "taxes":
		return taxes(v.Text())
	case table == "order_documents" && column == "content":
		return content(v.Text())
	}
	if table != "orders" || column != "products" && column != "shipping_methods" {
		return v.GoString()
	}
	var list []map[string]any
	if json.Unmarshal([]byte(v.Text()), &list) != nil {
		return v.GoString()
	}
	for _, entry := range list {
		if column == "shipping_methods" {
			delete(entry, "tax_ids")
		} else if c.withoutHeld {
			delete(entry, "held")
			delete(entry, "from_combination")
		}
		for _, weight := range []string{"min_weight", "max_weight"} {
			if text, ok := entry[weight].(string); ok {
				entry[weight] = strings.TrimRight(strings.TrimRight(text, "0"), ".")
				entry[weight] = cmp.Or(entry[weight].(string), "0")
			}
		}
	}
	sorted, _ := json.MarshalIndent(list, "", " ")
	return string(sorted)
}

// taxes are the taxes of an order without rates that apply to nothing in it.
func taxes(text string) string {
	var list []map[string]any
	if json.Unmarshal([]byte(text), &list) != nil {
		return text
	}
	if len(list) == 0 {
		return "[]"
	}
	withoutIdleRates(list)
	sorted, _ := json.Marshal(list)
	return string(sorted)
}

// content is a document without rates that apply to nothing in it.
func content(text string) string {
	var all map[string]any
	if json.Unmarshal([]byte(text), &all) != nil {
		return text
	}
	all["taxes"] = taxes(fmt.Sprint(all["taxes"]))
	sorted, _ := json.MarshalIndent(all, "", " ")
	return string(sorted)
}

func withoutIdleRates(taxes []map[string]any) {
	for _, t := range taxes {
		if t["items"] == nil {
			delete(t, "on_products")
		}
		if t["shipping_ids"] == nil && t["taxable_surcharge"] == nil {
			delete(t, "on_shipping")
		}
	}
}
