package shop_test

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apitest"
)

// A list may be filtered and sorted only by fields that its objects show, or by fields
// that need another entity's privilege; otherwise it reveals what that privilege hides
// (decisions §3). parameters lists each filter and, after "by", each sort key of each
// entity, the second kind with the entity whose privilege it needs. Add new ones here.
var parameters = map[string]string{
	"call_requests": `status name phone company_id user_id order_status order_exists
		by date id status name phone user_id user:users order order_status`,
	"carts": `last_days cname email user_id company_id with_info_only users_type total_from total_to product_type_c product_type_w
		period time_from time_to p_ids view_id updated_at_from updated_at_to by customer date updated_at`,
	"blocks":       `type company_id by id name`,
	"categories":   `parent_id status company_id category updated_at_from updated_at_to by position updated_at`,
	"combinations": `product_id by position id`,
	"discussions": `last_days status name message type ip_address rating_value object_type object_id user_id period time_from time_to
		updated_at_from updated_at_to by timestamp name ip_address status updated_at`,
	"exceptions": `product_id by id`,
	"features":   `get_variants product_id feature_type parent_id status purpose company_id description feature_code by position id name`,
	"languages":  `by lang_id name`,
	"langvars":   `by name`,
	"options":    `product_id by position id name`,
	"orders": `last_days status order_id q user_id cname email phone invoice_id credit_memo_id company_id company period time_from time_to
		updated_at_from updated_at_to include_parent_orders parent_order_id by date order_id status customer email total updated_at`,
	"pages": `parent_id page_type status company_id q item_ids simple get_tree updated_at_from updated_at_to
		by position name timestamp updated_at type multi_level id`,
	"payments": `status company_id by position payment_id payment`,
	"products": `q product pcode cid subcats low_stock amount_from amount_to amount price_from price_to price list_price status
		updated_from updated_to updated_at_from updated_at_to get_options pcode_exact pcode_from_q product_type company_id parent_product_id free_shipping is_edp order_ids:orders is_returnable age_verification age_limit
		age_warning_message features_hash show_master_products_only variation_group_id has_variation_group variations_by_product_id
		include_child_variations group_child_variations get_variation_info get_variation_name get_variation_features_variants pname pshort pfull pkeywords code
		by product date status list_price price code amount updated updated_at id`,
	"product_variations": `q product pcode cid subcats low_stock amount_from amount_to amount price_from price_to price list_price status
		updated_from updated_to updated_at_from updated_at_to get_options pcode_exact pcode_from_q product_type company_id parent_product_id free_shipping is_edp order_ids:orders is_returnable age_verification age_limit
		age_warning_message features_hash show_master_products_only variation_group_id has_variation_group variations_by_product_id
		include_child_variations group_child_variations get_variation_info get_variation_name get_variation_features_variants pname pshort pfull pkeywords code
		by product date status list_price price code amount updated updated_at id`,
	"product_variations_groups": `product_ids feature_ids updated_at_from updated_at_to by id updated_at`,
	"settings":                  `section_id section_tab_id company_id by position id name`,
	"shipments":                 `order_id user_id company_id status tracking_number by shipment_id order_id`,
	"shippings":                 `status company_id by position shipping_id shipping`,
	"statuses":                  `status type by status_id description status`,
	"stores":                    `company timestamp email status by id name timestamp email status`,
	"taxes":                     `status by tax_id tax`,
	"usergroups":                `type status by id name`,
	"users": `user_ids company name user_login email address zipcode country state city usergroup_id:usergroups status
		user_type user_types exclude_user_types compact
		updated_at_from updated_at_to by id name email date user_login user_type status timestamp updated_at company_id`,
}

// declared returns the filters and sort keys of an entity in the table, as
// sort_by=<key>, with the entity whose privilege each needs, "" for none.
func declared(entity string) map[string]string {
	list, prefix := map[string]string{}, ""
	for word := range strings.FieldsSeq(parameters[entity]) {
		if word == "by" {
			prefix = "sort_by="
			continue
		}
		name, owner, _ := strings.Cut(word, ":")
		list[prefix+name] = owner
	}
	return list
}

// offered returns the filters and sort keys of an entity's description.
func offered(d shopapi.Description) (list []string) {
	for _, key := range d.Sorts {
		list = append(list, "sort_by="+key)
	}
	if d.Filter == nil {
		return list
	}
	for _, f := range reflect.VisibleFields(d.Filter) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if !f.Anonymous && name != "" && name != "-" {
			list = append(list, name)
		}
	}
	return list
}

// TestLists_RevealNothing: a filter or sort order that reveals what another entity's
// privilege hides is 403 without that privilege, and the error names it.
func TestLists_RevealNothing(t *testing.T) {
	s := apitest.New(t, nil)
	view := map[string]string{}
	for _, d := range s.Descriptions() {
		view[d.Name] = d.Privileges.View
	}
	for _, d := range s.Descriptions() {
		if !slices.Contains(d.Operations, shopapi.OpList) {
			continue
		}
		table, has := declared(d.Name), offered(d)
		for _, name := range has {
			if _, ok := table[name]; !ok {
				t.Errorf("%s has %s: say in the table whether it tells what another entity's privilege hides", d.Name, name)
			}
		}
		for name := range table {
			if !slices.Contains(has, name) {
				t.Errorf("the table has %s of %s, which the entity has not", name, d.Name)
			}
		}
		alone := s.User(d.Privileges.View)
		for _, name := range slices.Sorted(maps.Keys(table)) {
			address := "/api/2.0/" + d.Name + "?product_id=1&" + name
			if !strings.Contains(name, "=") {
				address += "=1"
			}
			owner := table[name]
			got := alone.Get(address)
			switch {
			case owner == "" && got.Status == 403:
				t.Errorf("%s is 403 with %s alone: %s", address, d.Privileges.View, got.Body)
			case owner != "" && (got.Status != 403 || !strings.Contains(got.Body, view[owner])):
				t.Errorf("%s is %d without %s, want a 403 that names it: %s", address, got.Status, view[owner], got.Body)
			}
			if owner == "" {
				continue
			}
			if got := s.User(d.Privileges.View, view[owner]).Get(address); got.Status != 200 {
				t.Errorf("%s is %d with both privileges: %s", address, got.Status, got.Body)
			}
		}
	}
}
