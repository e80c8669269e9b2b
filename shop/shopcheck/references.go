package shopcheck

import (
	"maps"
	"slices"

	"github.com/shopapi/shopapi/discussions"
	"github.com/shopapi/shopapi/store"
)

// A reference is a column that contains the key of a row of another table.
type reference struct {
	table, column, to string
	orNone            bool // 0 means none
}

var references = []reference{
	{table: "categories", column: "parent_id", to: "categories", orNone: true},
	{table: "pages", column: "parent_id", to: "pages", orNone: true},
	{table: "products", column: "parent_product_id", to: "products", orNone: true},
	{table: "products", column: "master_product_id", to: "products", orNone: true},
	{table: "products_categories", column: "product_id", to: "products"},
	{table: "products_categories", column: "category_id", to: "categories"},
	{table: "product_features", column: "parent_id", to: "product_features", orNone: true},
	{table: "product_feature_variants", column: "feature_id", to: "product_features"},
	{table: "product_features_values", column: "product_id", to: "products"},
	{table: "product_features_values", column: "feature_id", to: "product_features"},
	{table: "product_features_values", column: "variant_id", to: "product_feature_variants", orNone: true},
	{table: "product_variation_group_products", column: "group_id", to: "product_variation_groups"},
	{table: "product_variation_group_products", column: "product_id", to: "products"},
	{table: "product_variation_group_features", column: "group_id", to: "product_variation_groups"},
	{table: "product_variation_group_features", column: "feature_id", to: "product_features"},
	{table: "product_options", column: "product_id", to: "products"},
	{table: "product_option_variants", column: "option_id", to: "product_options"},
	{table: "product_options_inventory", column: "product_id", to: "products"},
	{table: "product_options_exceptions", column: "product_id", to: "products"},
	{table: "discussions", column: "thread_id", to: "discussion_threads"},
	{table: "orders", column: "parent_order_id", to: "orders", orNone: true},
	{table: "shipments", column: "order_id", to: "orders"},
	{table: "order_history", column: "order_id", to: "orders"},
	{table: "order_documents", column: "order_id", to: "orders"},
	{table: "cart_products", column: "user_id", to: "carts"},
	{table: "cart_products", column: "product_id", to: "products"},
	{table: "usergroup_links", column: "user_id", to: "users"},
	{table: "usergroup_links", column: "usergroup_id", to: "usergroups"},
	{table: "sign_in_links", column: "user_id", to: "users"},
	{table: "api_keys", column: "user_id", to: "users"},
	{table: "settings_sections", column: "parent_id", to: "settings_sections", orNone: true},
	{table: "settings_numbers", column: "section_id", to: "settings_sections"},
	{table: "settings_values", column: "object_id", to: "settings_numbers"},
	{table: "store_status_texts", column: "status_id", to: "statuses"},
	{table: "store_status_translations", column: "status_id", to: "statuses"},
}

// references finds rows that refer to missing rows.
func (c *checker) references() error {
	list := slices.Clone(references)
	hasCompanies, err := c.tx.Count(c.schemas["companies"], nil)
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(c.schemas)) {
		s := c.schemas[name]
		if hasCompanies > 0 && name != "companies" && s.Index("company_id") > 0 {
			list = append(list, reference{table: name, column: "company_id", to: "companies", orNone: true})
		}
		if s.Texts() != nil {
			list = append(list, reference{table: s.Texts().Name, column: store.TextObject, to: name})
		}
	}
	for _, r := range list {
		if err := c.dangling(r); err != nil {
			return err
		}
	}
	objects := discussions.Entities()
	for _, kind := range slices.Sorted(maps.Keys(objects)) {
		r := reference{table: "discussion_threads", column: "object_id", to: objects[kind]}
		if err := c.dangling(r, store.Equal("object_type", store.String(kind))); err != nil {
			return err
		}
	}
	orders := c.schemas["orders"]
	noStatus := store.Not(store.InQuery("status", c.schemas["statuses"], "status"))
	return c.each("orders", []string{orders.Key(), "status"}, func(r row) error {
		c.found("orders", r.int(0), "has the status %q, which is none", r.text(1))
		return nil
	}, noStatus)
}

// dangling finds rows whose reference has no row.
func (c *checker) dangling(r reference, where ...store.Cond) error {
	to := c.schemas[r.to]
	where = append(where, store.Not(store.InQuery(r.column, to, to.Key())))
	if r.orNone {
		where = append(where, store.NotEqual(r.column, store.Int(0)))
	}
	return c.each(r.table, []string{c.schemas[r.table].Key(), r.column}, func(v row) error {
		c.found(r.table, v.int(0), "%s is %d, and %s has no such row", r.column, v.int(1), r.to)
		return nil
	}, where...)
}
