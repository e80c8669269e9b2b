package products_test

import (
	"testing"

	"github.com/shopapi/shopapi"
)

// summary is what the product of fullShop looks like in lists, without the braces.
const summary = `
	"product_id": "1", "product": "Clay mug", "product_type": "P", "parent_product_id": "0",
	"product_code": "MUG-41", "status": "H", "company_id": "1", "price": "9.50", "base_price": "9.50",
	"list_price": "12.00", "list_discount": 2.5, "list_discount_prc": "21", "discounts": {"A": 0, "P": 0},
	"amount": "7", "category_ids": [1, 2], "main_category": 2, "seo_name": "clay-mug", "seo_path": "1/2",
	"weight": "0.350", "length": "1", "width": "2", "height": "3", "shipping_freight": "4.20",
	"free_shipping": "Y",
	"shipping_params": "a:5:{s:16:\"min_items_in_box\";i:1;s:16:\"max_items_in_box\";i:4;s:10:\"box_length\";i:10;s:9:\"box_width\";i:20;s:10:\"box_height\";i:30;}",
	"timestamp": "1600000000", "updated_timestamp": "1700000000", "avail_since": "1600000001",
	"usergroup_ids": "1,2", "tax_ids": "6,7", "localization": "", "details_layout": "default",
	"is_edp": "Y", "edp_shipping": "Y", "unlimited_download": "Y", "tracking": "D", "low_avail_limit": "2",
	"out_of_stock_actions": "S", "zero_price_action": "A", "exceptions_type": "A", "options_type": "S",
	"min_qty": "1", "max_qty": "9", "qty_step": "2", "list_qty_count": "5",
	"is_returnable": "N", "return_period": "14", "age_verification": "Y", "age_limit": "18",
	"is_pbp": "N", "is_op": "N", "is_oper": "N", "has_options": false,
	"product_features": {"31": {"feature_id": "31", "variant_id": "70"}, "32": {"feature_id": "32", "feature_type": "T", "value": "matt"}},
	"main_pair": {"pair_id": "1", "image_id": "0", "detailed_id": "1", "position": "0", "object_id": "1", "object_type": "product",
		"detailed": {"object_id": "1", "object_type": "product", "type": "M", "image_path": "https://example.com/a.png", "alt": "A mug",
			"image_x": "640", "image_y": "0", "http_image_path": "http://example.com/a.png", "https_image_path": "https://example.com/a.png",
			"absolute_path": "", "relative_path": "", "is_high_res": false}},
	"image_pairs": {"2": {"pair_id": "2", "image_id": "4", "detailed_id": "0", "position": "0", "object_id": "1", "object_type": "product",
		"icon": {"object_id": "1", "object_type": "product", "type": "A", "image_path": "/b.png", "alt": "",
			"image_x": "0", "image_y": "0", "http_image_path": "", "https_image_path": "",
			"absolute_path": "/b.png", "relative_path": "", "is_high_res": true}}},
	"options_type_raw": null, "exceptions_type_raw": null, "tracking_raw": null, "zero_price_action_raw": null,
	"min_qty_raw": null, "max_qty_raw": null, "qty_step_raw": null, "list_qty_count_raw": null,
	"details_layout_raw": "default",
	"variation_features": [], "selected_options": [], "product_options": [], "qty_content": []`

// ownFields are the fields that only a single product has.
const ownFields = `
	"lang_code": "en", "shortname": "mug", "short_description": "short", "full_description": "full",
	"meta_keywords": "k", "meta_description": "d", "search_words": "w", "page_title": "t", "promo_text": "p",
	"age_warning_message": "adults only", "shared_product": "N", "point_price": "11", "feature_comparison": "Y",
	"box_length": 10, "box_width": 20, "box_height": 30, "min_items_in_box": 1, "max_items_in_box": 4,
	"taxes": ["6", "7"], "popularity": null, "sales_amount": "0",
	"header_features": [], "detailed_params": {"info_type": "D"}`

// fullBody sets every field that requests may set; numbers come as numbers.
const fullBody = `{
	"product": "Clay mug", "category_ids": [1, 2], "main_category": 2, "product_code": "MUG-41", "status": "H",
	"company_id": 1, "price": 9.5, "list_price": "12", "amount": 7, "seo_name": "clay-mug",
	"weight": 0.35, "length": 1, "width": 2, "height": 3, "shipping_freight": 4.2, "free_shipping": "Y",
	"timestamp": 1600000000, "avail_since": 1600000001, "usergroup_ids": [1, 2], "tax_ids": ["6", 7],
	"is_edp": "Y", "edp_shipping": true, "unlimited_download": "Y", "tracking": "D", "low_avail_limit": 2,
	"out_of_stock_actions": "S", "zero_price_action": "A", "exceptions_type": "A", "options_type": "S",
	"min_qty": 1, "max_qty": 9, "qty_step": 2, "list_qty_count": 5, "is_returnable": "N", "return_period": 14,
	"age_verification": "Y", "age_limit": 18,
	"product_features": {"32": {"feature_type": "T", "value": "matt"}, "31": 70},
	"main_pair": {"detailed": {"image_path": "https://example.com/a.png", "alt": "A mug", "image_x": 640, "is_high_res": false}},
	"image_pairs": [{"icon": {"image_path": "/b.png", "is_high_res": true}}],
	"lang_code": "en", "shortname": "mug", "short_description": "short", "full_description": "full",
	"meta_keywords": "k", "meta_description": "d", "search_words": "w", "page_title": "t", "promo_text": "p",
	"age_warning_message": "adults only", "point_price": 11, "feature_comparison": "Y",
	"box_length": 10, "box_width": 20, "box_height": 30, "min_items_in_box": 1, "max_items_in_box": 4,

	"product_id": 99, "product_type": "V", "parent_product_id": 5, "updated_timestamp": 5, "base_price": 1,
	"seo_path": "9/9", "is_op": "Y", "has_options": true, "shared_product": "Y", "discounts": 1, "unheard_of": {}}`

// withCategories gives a shop the category 1 and below it the category 2.
func withCategories(s *shop) {
	s.addCategory("cups", s.addCategory("tableware", 0, 1), 1)
}

func TestProducts_ListItemHasTheDocumentedFields(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		withCategories(s)
		s.add("%s", fullBody)
		sameJSON(t, s.Call(200, "GET", "/products", ""), `{"products": [{`+summary+`}], "params": {
			"items_per_page": "10", "page": 1, "sort_order": "asc", "sort_by": "product",
			"sort_order_rev": "desc", "total_items": "1",
			"area": "A", "match": "all", "pname": "Y", "features_hash": "",
			"include_child_variations": true, "group_child_variations": false, "hide_out_of_stock_products": false}}`)
	})
}

func TestProducts_DetailHasTheDocumentedFields(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		withCategories(s)
		s.add("%s", fullBody)
		sameJSON(t, s.Call(200, "GET", "/products/1", ""), `{`+summary+`,`+ownFields+`}`)
	})
}

func TestProducts_DefaultsAreTheDocumentedOnes(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		withCategories(s)
		id := s.add(`{"product": "Plate", "category_ids": "2"}`)
		sameJSON(t, s.Call(200, "GET", at(id), ""), `{
			"product_id": "1", "product": "Plate", "product_type": "P", "parent_product_id": "0",
			"product_code": "", "status": "A", "company_id": "1", "price": "0.00", "base_price": "0.00",
			"list_price": "0.00", "discounts": {"A": 0, "P": 0},
			"amount": "1", "category_ids": [2], "main_category": 2, "seo_name": "", "seo_path": "1/2",
			"weight": "0.000", "length": "0", "width": "0", "height": "0", "shipping_freight": "0.00",
			"free_shipping": "N",
			"shipping_params": "a:5:{s:16:\"min_items_in_box\";i:0;s:16:\"max_items_in_box\";i:0;s:10:\"box_length\";i:0;s:9:\"box_width\";i:0;s:10:\"box_height\";i:0;}",
			"timestamp": "1700000000", "updated_timestamp": "1700000000", "avail_since": "0",
			"usergroup_ids": "0", "tax_ids": "", "localization": "", "details_layout": "default",
			"is_edp": "N", "edp_shipping": "N", "unlimited_download": "N", "tracking": "B", "low_avail_limit": "0",
			"out_of_stock_actions": "N", "zero_price_action": "R", "exceptions_type": "F", "options_type": "P",
			"min_qty": "0", "max_qty": "0", "qty_step": "0", "list_qty_count": "0",
			"is_returnable": "Y", "return_period": "10", "age_verification": "N", "age_limit": "0",
			"is_pbp": "N", "is_op": "N", "is_oper": "N", "has_options": false,
			"product_features": [], "main_pair": [], "image_pairs": [],
			"options_type_raw": null, "exceptions_type_raw": null, "tracking_raw": null, "zero_price_action_raw": null,
			"min_qty_raw": null, "max_qty_raw": null, "qty_step_raw": null, "list_qty_count_raw": null,
			"details_layout_raw": "default",
			"variation_features": [], "selected_options": [], "product_options": [], "qty_content": [],
			"lang_code": "en", "shortname": "", "short_description": "", "full_description": "",
			"meta_keywords": "", "meta_description": "", "search_words": "", "page_title": "", "promo_text": "",
			"age_warning_message": "", "shared_product": "N", "point_price": "0", "feature_comparison": "N",
			"box_length": 0, "box_width": 0, "box_height": 0, "min_items_in_box": 0, "max_items_in_box": 0,
			"taxes": [], "popularity": null, "sales_amount": "0",
			"header_features": [], "detailed_params": {"info_type": "D"}}`)
	})
}

func TestProducts_FormBodiesAreAccepted(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		withCategories(s)
		s.Call(201, "POST", "/products", "product=Clay+mug&category_ids[]=2&category_ids[]=1&price=9.5&free_shipping=Y"+
			"&product_features[31][variant_id]=70")
		s.wants(1, map[string]string{
			"product": `"Clay mug"`, "category_ids": `[2, 1]`, "main_category": `2`, "price": `"9.50"`, "free_shipping": `"Y"`,
			"product_features": `{"31": {"feature_id": "31", "variant_id": "70"}}`,
		})
	})
}

// Arrays of forms are name[key]=value, also with keys that have gaps (§4). The order is
// that in which they were sent.
func TestProducts_FormArraysWithGaps(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		withCategories(s)
		s.Call(201, "POST", "/products", "product=Clay+mug&category_ids[7]=2&category_ids[3]=1&usergroup_ids[4]=0&tax_ids[2]=6&tax_ids[1]=5")
		s.wants(1, map[string]string{
			"category_ids": `[2, 1]`, "main_category": `2`, "usergroup_ids": `"0"`, "tax_ids": `"6,5"`,
		})
	})
}

func TestProducts_TextsAreKeptExactly(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		withCategories(s)
		for _, text := range []string{`<b>Müg</b> & "co"`, "\U0001F375 чашка", `50% _off_ 'x' \ /`, "  spaced  ", "two\nlines\ttab"} {
			id := s.add(`{"product": %[1]q, "full_description": %[1]q, "product_code": %[1]q, "category_ids": [1]}`, text)
			got := s.Object(at(id))
			for _, field := range []string{"product", "full_description", "product_code"} {
				if got[field] != text {
					t.Errorf("%s is %q, want %q", field, got[field], text)
				}
			}
		}
	})
}

func TestProducts_RepliesHoldTheID(t *testing.T) {
	for _, c := range []struct {
		dialect           shopapi.Dialect
		created, replaced string
	}{
		{shopapi.DialectDocumented, `{"product_id": "1"}`, `{"product_id": "1"}`},
		{shopapi.DialectLive, `{"product_id": 1}`, `{"product_id": 1}`},
	} {
		suite.EachWith(t, shopapi.Options{Dialect: c.dialect}, func(t *testing.T, s *shop) {
			withCategories(s)
			sameJSON(t, s.Call(201, "POST", "/products", `{"product": "Mug", "category_ids": [1]}`), c.created)
			sameJSON(t, s.put(200, 1, `{"price": 3}`), c.replaced)
			if body := s.Call(204, "DELETE", at(1), ""); body != "" {
				t.Errorf("DELETE answered a body: %s", body)
			}
		})
	}
}

func TestProducts_UnknownIDsAre404(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		for _, id := range []string{"7", "0", "-1", "01", "x", "99999999999999999999"} {
			s.Call(404, "GET", "/products/"+id, "")
			s.Call(404, "PUT", "/products/"+id, `{"price": 1}`)
			s.Call(404, "DELETE", "/products/"+id, "")
		}
	})
}

func TestProducts_NeedsThePrivilegesOfTheCatalogue(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		withCategories(s)
		s.add(`{"product": "Mug", "category_ids": [1]}`)
		reader := s.as("reader@example.com")
		reader.Call(200, "GET", "/products", "")
		reader.Call(200, "GET", "/products/1", "")
		reader.Call(403, "POST", "/products", `{"product": "Mug", "category_ids": [1]}`)
		reader.Call(403, "PUT", "/products/1", `{"price": 1}`)
		reader.Call(403, "DELETE", "/products/1", "")
	})
}

func TestProducts_MethodsWithoutOrWithIDAre405(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		withCategories(s)
		s.add(`{"product": "Mug", "category_ids": [1]}`)
		s.Call(405, "POST", "/products/1", `{"product": "Mug", "category_ids": [1]}`)
		s.Call(405, "POST", "/products", `{}`)
		s.Call(405, "PUT", "/products", `{"price": 1}`)
		s.Call(405, "PUT", "/products/1", ``)
		s.Call(405, "DELETE", "/products", "")
	})
}

// Published clients know a discount by its being there.
func TestProducts_DiscountIsShownOnlyBelowTheListPrice(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		withCategories(s)
		for _, c := range []struct{ price, list, amount, percent string }{
			{"9.50", "12.00", "2.5", `"21"`},
			{"0", "3.10", "3.1", `"100"`},
			{"9999999999.98", "9999999999.99", "0.01", `"0"`},
			{"12.00", "12", "null", "null"},
			{"13", "12", "null", "null"},
			{"0", "0", "null", "null"},
		} {
			id := s.add(`{"product": "Mug", "category_ids": [1], "price": %q, "list_price": %q}`, c.price, c.list)
			s.wants(id, map[string]string{"list_discount": c.amount, "list_discount_prc": c.percent})
		}
	})
}

func TestProducts_ErrorsNameFieldsAndAllowedValues(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		abc(s)
		sameJSON(t, s.Call(400, "POST", "/products", `{"product": "Mug", "category_ids": [1], "price": "1.999"}`), `{"status": 400,
			"message": "price must be a number from 0 to 9999999999.99 with at most 2 decimals.",
			"errors": {"price": "must be a number from 0 to 9999999999.99 with at most 2 decimals"}}`)
		sameJSON(t, s.Call(400, "POST", "/products", `{"status": "X"}`), `{"status": 400,
			"message": "product is required: the name of the product; status must be one of A, D, H, not \"X\"; category_ids is required: the ids of the categories that the product stands in.",
			"errors": {
				"product": "is required: the name of the product",
				"status": "must be one of A, D, H, not \"X\"",
				"category_ids": "is required: the ids of the categories that the product stands in"}}`)
	})
}
