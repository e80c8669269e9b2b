package shop_test

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/extensions/changes"
	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store"
)

// logs are the change logs of the shops that openShop opened, by their APIs, until runEntity makes
// the handler of the shop: for comparisons of a log with the tables.
var logs sync.Map

type loggedShop struct {
	*shopapi.API
	st  store.Store
	log *changes.Log
}

// An owner says to which objects of the log the rows of a table belong: the entity, and
// the column with the id of the object.
type owner struct{ entity, column string }

// ownersOf are the owners of the rows of all tables that hold objects. A table that a
// change of an object may write is here, or in unlogged with the reason.
var ownersOf = map[string]owner{
	"settings_values":                  {"settings", "object_id"},
	"users":                            {"users", "user_id"},
	"usergroups":                       {"usergroups", "usergroup_id"},
	"usergroup_links":                  {"users/usergroups", "usergroup_id"},
	"categories":                       {"categories", "category_id"},
	"categories_texts":                 {"categories", "object_id"},
	"products":                         {"products", "product_id"},
	"products_texts":                   {"products", "object_id"},
	"products_categories":              {"products", "product_id"},
	"product_features":                 {"features", "feature_id"},
	"product_features_texts":           {"features", "object_id"},
	"product_feature_variants":         {"features", "feature_id"},
	"product_features_values":          {"products/product_features", "feature_id"},
	"product_variation_groups":         {"product_variations_groups", "id"},
	"product_variation_group_products": {"product_variations_groups", "group_id"},
	"product_variation_group_features": {"product_variations_groups", "group_id"},
	"product_options_exceptions":       {"exceptions", "exception_id"},
	"product_options":                  {"options", "option_id"},
	"product_options_texts":            {"options", "object_id"},
	"product_option_variants":          {"options", "option_id"},
	"product_options_inventory":        {"combinations", "combination_hash"},
	"discussions":                      {"discussions", "post_id"},
	"call_requests":                    {"call_requests", "request_id"},
	"languages":                        {"languages", "lang_id"},
	"language_variables":               {"langvars", "name"},
	"taxes":                            {"taxes", "tax_id"},
	"taxes_texts":                      {"taxes", "object_id"},
	"payments":                         {"payments", "payment_id"},
	"payments_texts":                   {"payments", "object_id"},
	"shippings":                        {"shippings", "shipping_id"},
	"shippings_texts":                  {"shippings", "object_id"},
	"orders":                           {"orders", "order_id"},
	"statuses":                         {"statuses", "status_id"},
	"statuses_texts":                   {"statuses", "object_id"},
	"shipments":                        {"shipments", "shipment_id"},
	"carts":                            {"carts", "user_id"},
	"cart_products":                    {"carts", "user_id"},
	"pages":                            {"pages", "page_id"},
	"pages_texts":                      {"pages", "object_id"},
	"blocks":                           {"blocks", "block_id"},
	"blocks_texts":                     {"blocks", "object_id"},
}

const ofOwner = "read from the user who owns the cart"

// unlogged lists columns, by table, whose changes are not changes of the object, with the
// reason. "*" is the whole table.
var unlogged = map[string]map[string]string{
	"categories": {"product_count": "a count", "tree_order": "follows from the parent and the positions", "updated_at": "a time of change"},
	"pages":      {"tree_order": "follows from the parent and the positions", "updated_at": "a time of change"},
	"products":   {"updated_timestamp": "a time of change"},
	"orders":     {"updated_at": "a time of change", "pieces": "follows from products"},
	"carts": {"date": "a time of change", "firstname": ofOwner, "lastname": ofOwner, "name": ofOwner, "sort_name": ofOwner,
		"email": ofOwner, "phone": ofOwner},
	"users": {"api_key_hash": "keys are not in the log", "api_key_created": "keys are not in the log",
		"updated_at": "a time of change"},
	"discussions": {"updated_at": "a time of change"},

	"product_variation_groups": {"updated_at": "a time of change"},
}

// tables are all rows of a shop: by table and key, the values by column.
type tables map[string]map[int64]map[string]store.Value

func readTables(t *testing.T, st store.Store) tables {
	t.Helper()
	all := tables{}
	err := st.View(context.Background(), func(_ context.Context, tx store.Tx) error {
		for _, schema := range shop.Schemas() {
			of := map[int64]map[string]store.Value{}
			err := tx.Select(schema.All(), &store.Query{}, func(row []store.Value) error {
				values := map[string]store.Value{}
				for i, column := range schema.Columns {
					values[column.Name] = row[i]
				}
				of[row[0].Int()] = values
				return nil
			})
			if err != nil {
				return fmt.Errorf("%s: %w", schema.Name, err)
			}
			all[schema.Name] = of
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// changedObjects returns the objects whose rows differ, with what became of the row of
// the object itself, or Updated.
func changedObjects(before, after tables) map[string]string {
	found := map[string]string{}
	for table, of := range ownersOf {
		keys := slices.Concat(slices.Collect(maps.Keys(before[table])), slices.Collect(maps.Keys(after[table])))
		slices.Sort(keys)
		for _, key := range slices.Compact(keys) {
			was, is := before[table][key], after[table][key]
			if was != nil && is != nil && !differ(table, was, is) {
				continue
			}
			row := is
			if row == nil {
				row = was
			}
			id := shopapi.FormatID(row[of.column].Int())
			if of.column == "name" {
				id = row[of.column].Text()
			}
			entity := of.entity
			if entity == "products" && isMaster(before, after, row[of.column].Int()) {
				entity = "master_products"
			}
			name := entity + "/" + id
			if found[name] == "" {
				found[name] = changes.Updated
			}
			if slices.Contains([]string{"settings_values", "products_categories", "usergroup_links", "product_features_values"}, table) ||
				strings.HasSuffix(table, "_texts") || strings.HasPrefix(table, "product_variation_group_") ||
				table == "product_feature_variants" || table == "product_option_variants" || table == "cart_products" {
				continue
			}
			switch {
			case was == nil:
				found[name] = changes.Created
			case is == nil:
				found[name] = changes.Deleted
			}
		}
	}
	return found
}

// isMaster reports whether a product is a common one, which belongs to no company.
func isMaster(before, after tables, id int64) bool {
	for _, all := range []tables{before, after} {
		if row := all["products"][id]; row != nil {
			return row["company_id"].Int() == 0
		}
	}
	return false
}

func differ(table string, was, is map[string]store.Value) bool {
	for column := range is {
		if was[column] != is[column] && unlogged[table][column] == "" {
			return true
		}
	}
	return false
}

// compareWithTables wraps a handler: after each request that changes something it
// compares what the log got with the rows that differ.
func compareWithTables(t *testing.T, s loggedShop, next http.Handler) http.Handler {
	var mu sync.Mutex
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet || r.Method == http.MethodHead {
			next.ServeHTTP(w, r)
			return
		}
		mu.Lock()
		defer mu.Unlock()
		from, err := s.log.Position(context.Background())
		if err != nil {
			t.Error(err)
		}
		before := readTables(t, s.st)
		next.ServeHTTP(w, r)
		after := readTables(t, s.st)
		want := changedObjects(before, after)
		for _, name := range stale(want, after, s.Now(r.Context()).Unix()) {
			t.Errorf("E4: after %s %s the time of change of %s is a former one", r.Method, r.URL, name)
		}
		got := map[string]string{}
		for c, err := range s.log.Since(context.Background(), from, changes.Filter{}) {
			if err != nil {
				t.Error(err)
				return
			}
			entity := c.Entity
			if c.Parent != nil && entity != "discussions" { // which have an address of their own
				entity = c.Parent.Entity + "/" + entity
			}
			if c.ID != changes.Every && got[entity+"/"+c.ID] != "" && c.Parent == nil {
				t.Errorf("E4: one transaction told twice of %s/%s", entity, c.ID)
			}
			got[entity+"/"+c.ID] = c.Op
		}
		for name, op := range want {
			entity := name[:strings.LastIndexByte(name, '/')]
			if got[entity+"/*"] != "" {
				continue
			}
			if got[name] == "" || got[name] != op && op != changes.Updated {
				t.Errorf("E4: after %s %s the rows of %s were %s, and the log has %q of it; all of it: %v", r.Method, r.URL, name, op, got[name], got)
			}
		}
	})
}
