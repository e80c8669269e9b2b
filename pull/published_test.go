package pull_test

import (
	"encoding/json"
	"testing"

	_ "github.com/shopapi/shopapi/internal/fasttest"
	"github.com/shopapi/shopapi/internal/pulltest"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/memory"
)

// A want is a value of a row of the new shop.
type want struct {
	table, column string
	key           int64
	value         store.Value
}

func text(s string) store.Value  { return store.String(s) }
func number(n int64) store.Value { return store.Int(n) }

// wants fails the test for each value that differs.
func wants(t *testing.T, st store.Store, list []want) {
	t.Helper()
	for _, w := range list {
		if got := cell(t, st, w.table, w.column, w.key); got != w.value {
			t.Errorf("%s %d has the %s %#v, want %#v", w.table, w.key, w.column, got, w.value)
		}
	}
}

// The published shape of each documented page, with the liberties that PHP servers take:
// numbers for texts and texts for numbers, [] for {}, "" and missing fields for null, floats,
// html entities, lists by id, by tab and without envelope.
func TestE8_PublishedPages(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		answers map[string]string
		wants   []want
		count   int64 // objects of the entity, which all are taken
		lost    map[string]string
	}{
		"settings": {
			answers: map[string]string{"settings": `{"settings":{"main":{"301":{"object_id":"301","name":"company_name","section_id":"Company","section_name":"Company","section_tab_name":"main",` +
				`"type":"I","value":"Kiln &amp; Co","variants":[],"is_global":"Y"}},"other":{"302":{"object_id":302,"name":"weights","section_name":"Unknown","type":"I","value":5}}},"search":{"section_id":""}}`},
			wants: []want{{"settings_values", "value", 1, text("Kiln &amp; Co")}, {"settings_values", "company_id", 1, number(0)}},
			lost:  map[string]string{"settings": "Unknown.weights"},
		},
		"stores": {
			answers: map[string]string{
				"stores":   `{"stores":[{"company_id":"3","company":"Pottery Shop"}],"params":[0]}`,
				"stores/3": `{"company_id":"3","lang_code":"en","email":"shop@example.org","company":"Pottery Shop","timestamp":"1700000000","status":"A","storefront":"pottery.example.org","secure_storefront":null,"average_rating":null,"company_thread_ids":"3_0"}`,
			},
			wants: []want{{"companies", "company", 3, text("Pottery Shop")}, {"companies", "storefront", 3, text("pottery.example.org")}, {"companies", "timestamp", 3, number(1_700_000_000)}},
		},
		"vendors": {
			answers: map[string]string{
				"vendors":   `{"vendors":{"5":{"company_id":5}},"params":[]}`,
				"vendors/5": `{"company_id":5,"lang_code":"en","email":"kiln@example.org","company":"Kiln & Co","timestamp":1700000000,"status":"A","seo_name":"kiln-and-co","average_rating":null,"commission":"7.50","shippings":[],"categories":""}`,
			},
			wants: []want{{"companies", "company", 5, text("Kiln & Co")}, {"companies", "email", 5, text("kiln@example.org")}},
		},
		"languages": {
			answers: map[string]string{"languages": `{"languages":{"en":{"lang_id":"1","lang_code":"en","name":"English","status":"A","country_code":"GB","direction":"ltr"},` +
				`"pt":{"lang_id":4,"lang_code":"pt","name":"Portugu\u00eas","status":"A","country_code":"PT"}},"params":{"items_per_page":"10","page":1,"total_items":"2"}}`},
			wants: []want{{"languages", "lang_code", 4, text("pt")}, {"languages", "name", 4, text("Português")}},
			count: 2,
		},
		"langvars": {
			answers: map[string]string{"langvars": `{"langvars":[{"value":"Add a gift note","name":"gift_note"},{"value":7,"name":"seven"}],"params":{"page":1,"items_per_page":"10","total_items":"2"}}`},
			wants:   []want{{"language_variables", "value", 1, text("Add a gift note")}, {"language_variables", "value", 2, text("7")}},
			count:   2,
		},
		"payments": {
			answers: map[string]string{
				"payments": `{"payments":[{"payment_id":"4","payment":"Invoice"}]}`,
				"payments/4": `{"payment_id":"4","company_id":1,"usergroup_ids":"0","position":30,"status":"A","template":"views/orders/components/payments/phone.tpl","processor_id":null,"processor_params":[],` +
					`"a_surcharge":0,"p_surcharge":2.5,"tax_ids":["2","3"],"localization":"","payment_category":"tab3","payment":"Invoice","description":"Pay within 14 days","lang_code":"en","processor":null,"image":[]}`,
			},
			wants: []want{{"payments", "p_surcharge", 4, number(2500)}, {"payments", "tax_ids", 4, text("2,3")}, {"payments", "position", 4, number(30)}},
		},
		"shippings": {
			answers: map[string]string{
				"shippings": `{"shippings":[{"shipping_id":"6","min_weight":"0.00","max_weight":"15.00","position":"20","status":"A","shipping":"Bike courier","delivery_time":"same day","usergroup_ids":"0"}]}`,
				"shippings/6": `{"shipping_id":"6","shipping":"Bike courier","status":"A","min_weight":0,"max_weight":15.5,"rate_calculation":"M","service_params":"","tax_ids":["6"],"icon":[],` +
					`"rates":[{"destination_id":"1","status":"A","destination":"All","rate_id":"9","rates_defined":"1","rate_value":{"C":{"0":{"amount":"0","value":5.9,"type":"F","per_unit":"N"}},"W":[[]],"I":[]}}]}`,
			},
			wants: []want{{"shippings", "max_weight", 6, number(1550)}, {"shippings", "tax_ids", 6, text("6")}, {"shippings", "shipping", 6, text("Bike courier")}},
		},
		"features": {
			answers: map[string]string{
				"features": `{"features":[{"feature_id":"31"},{"feature_id":"32"}],"params":{"page":1}}`,
				"features/31": `{"feature_id":"31","company_id":1,"feature_type":"S","parent_id":"0","display_on_product":"Y","description":"Glaze","lang_code":"en","position":10,"purpose":"find_products",` +
					`"variants":{"70":{"variant_id":"70","variant":"Matt","position":0,"color":null,"seo_path":null,"image_pair":null}}}`,
				"features/32": `{"feature_id":"32","feature_type":"T","description":"Care","variants":[]}`,
			},
			wants: []want{{"product_features", "description", 31, text("Glaze")}, {"product_feature_variants", "variant", 70, text("Matt")}, {"product_feature_variants", "feature_id", 70, number(31)}},
			count: 2,
		},
		"options": {
			answers: map[string]string{
				"products": `[{"product_id":"41"}]`, "products/41": `{"product_id":"41","product":"Mug"}`,
				"options?product_id=41": `{"12":{"option_id":"12","product_id":41,"company_id":"1","option_type":"R","inventory":"Y","required":"N","status":"A","position":10,"option_name":"Handle",` +
					`"variants":{"33":{"variant_id":"33","option_id":"12","position":"0","modifier":1.5,"modifier_type":"A","weight_modifier":"0.000","variant_name":"Left","image_pair":[]}}}}`,
				"combinations?product_id=41": `[]`, "exceptions?product_id=41": `[]`,
			},
			wants: []want{{"product_options", "option_name", 12, text("Handle")}, {"product_option_variants", "modifier", 33, number(1500)}},
		},
		"combinations": {
			answers: map[string]string{
				"products": `[{"product_id":"41"}]`, "products/41": `{"product_id":"41","product":"Mug"}`,
				"options?product_id=41":      `{"12":{"option_id":"12","option_type":"S","inventory":"Y","option_name":"Handle","variants":{"33":{"variant_name":"Left"}}}}`,
				"combinations?product_id=41": `[{"product_id":"41","product_code":"MUG-41-L","combination_hash":3120456789,"combination":{"12":33},"amount":5,"temp":"N","position":"0","image_pairs":[]}]`,
				"exceptions?product_id=41":   `[]`,
			},
			wants: []want{{"product_options_inventory", "amount", 3_120_456_789, number(5)}, {"product_options_inventory", "product_code", 3_120_456_789, text("MUG-41-L")}},
		},
		"exceptions": {
			answers: map[string]string{
				"products": `[{"product_id":"41"}]`, "products/41": `{"product_id":"41","product":"Mug"}`,
				"options?product_id=41":      `{"12":{"option_id":"12","option_type":"S","option_name":"Handle","variants":{"33":{"variant_name":"Left"}}}}`,
				"combinations?product_id=41": `[]`,
				"exceptions?product_id=41":   `[{"exception_id":3,"product_id":"41","combination":{"12":"33","14":-1}}]`,
			},
			wants: []want{{"product_options_exceptions", "product_id", 3, number(41)}, {"product_options_exceptions", "combination", 3, text(`{"12":"33","14":"-1"}`)}},
		},
		"products": { // a variation, a common product and an offer beside it
			answers: map[string]string{
				"product_variations":    `{"products":{"60":{"product_id":"60"}},"params":{"total_items":"1"}}`,
				"master_products":       `{"products":[{"product_id":"90"}],"params":{"total_items":1}}`,
				"products":              `{"products":[{"product_id":"96"}],"params":{"total_items":1}}`,
				"products/60":           `{"product_id":60,"product":"Mug, Matt","company_id":1,"variation_features":[],"status":"A","price":"9.5"}`,
				"product_variations/60": `{"product_id":60,"product":"Mug, Matt","product_type":"V","parent_product_id":"0","company_id":1,"variation_group_id":"4","variation_features":[],"status":"A","price":"9.5"}`,
				"master_products/90":    `{"product_id":"90","product":"Steel kettle","company_id":"0","status":"A","price":"35.00","master_product_id":"0","master_product_status":"A","master_product_offers_count":"1"}`,
				"products/96":           `{"product_id":"96","product":"Steel kettle","company_id":"3","price":"33.00","amount":"4","master_product_id":"90","master_product_status":"A"}`,
			},
			wants: []want{{"products", "price", 60, number(950)}, {"products", "company_id", 90, number(0)}, {"products", "master_product_id", 96, number(90)}},
			count: 3,
		},
		"product_variations_groups": {
			answers: map[string]string{"product_variations_groups": `{"groups":[{"id":4,"code":"MUGS","features":[{"feature_id":31,"purpose":"group_variation_catalog_item","is_purpose_create_catalog_item":false}],` +
				`"products":[{"product_id":60,"parent_product_id":0,"company_id":1,"feature_values":[{"feature_id":31,"variant_id":"70"}]},{"product_id":"61","parent_product_id":60,"company_id":1}],"created_at":1700000000,"updated_at":1700000000}],"params":{"items_per_page":10,"page":1,"total_items":1}}`},
			wants: []want{{"product_variation_groups", "code", 4, text("MUGS")}, {"product_variation_group_products", "product_id", 2, number(61)}, {"product_variation_group_features", "feature_id", 1, number(31)}},
		},
		"discussions": {
			answers: map[string]string{"discussions": `{"discussions":[{"post_id":"7","thread_id":12,"name":"Ana","timestamp":1700000000,"user_id":"17","ip_address":"192.0.2.10","status":"A","message":"Holds &quot;heat&quot; well","rating_value":5,"object_id":"41","object_type":"P","type":"B","company_id":"1"}],` +
				`"params":{"page":1,"items_per_page":"10","total_items":"1"}}`},
			wants: []want{{"discussions", "message", 7, text("Holds &quot;heat&quot; well")}, {"discussions", "rating_value", 7, number(5)}, {"discussion_threads", "object_id", 12, number(41)}},
		},
		"pages": {
			answers: map[string]string{
				"pages": `{"pages":[{"page_id":"8","parent_id":"0","position":"10","level":0},{"page_id":"9","parent_id":8}],"search":{"page":1,"total_items":"2"}}`,
				"pages/8": `{"page_id":"8","company_id":"1","parent_id":"0","id_path":"8","status":"A","page_type":"T","position":10,"timestamp":"1700000000","new_window":"0","use_avail_period":"N","avail_from_timestamp":"",` +
					`"lang_code":"en","page":"Delivery","description":"<p>How we ship</p>","tags":[],"link":""}`,
				"pages/9": `{"page_id":"9","parent_id":"8","page":"Blog","page_type":"B","author":"Ana"}`,
			},
			wants: []want{{"pages", "page", 8, text("Delivery")}, {"pages", "id_path", 9, text("8/9")}},
			count: 2,
			lost:  map[string]string{"page types, of which the texts alone are taken": "B"},
		},
		"blocks": {
			answers: map[string]string{
				"blocks":    `[{"block_id":"52","type":"html_block","name":"Footer note"}]`,
				"blocks/52": `{"block_id":"52","type":"html_block","properties":{"template":"blocks/html_block.tpl"},"company_id":"1","lang_code":"en","name":"Footer note","content":{"content":"<p>Open on weekdays</p>"}}`,
			},
			wants: []want{{"blocks", "name", 52, text("Footer note")}, {"blocks", "content", 52, text(`{"content":"<p>Open on weekdays</p>"}`)}},
		},
		"carts": {
			answers: map[string]string{
				"carts": `{"carts":{"17":{"user_id":"17","firstname":"Ana"}},"params":{"page":1,"items_per_page":"10","total_items":"1"}}`,
				"carts/17": `{"user_id":"17","firstname":"Ana","lastname":null,"date":"1700000000","ip_address":"192.0.2.10","company_id":"1","cart_products":"2","total":"19.00","order_id":null,"user_data":[],` +
					`"products":[{"item_id":"1300456789","item_type":"P","product_id":"41","amount":"2","price":9.5,"product":"Clay mug","extra":{"product_id":41,"amount":2,"price":9.5,"product_options":[]}}]}`,
			},
			wants: []want{{"carts", "name", 17, text("Ana")}, {"cart_products", "product_id", 1, number(41)}, {"cart_products", "amount", 1, number(2)}},
		},
		"shipments": {
			answers: map[string]string{"shipments": `{"shipments":[{"shipment_id":"11","order_id":"205","user_id":17,"shipping_id":"6","shipping":"Bike courier","carrier":"ups","tracking_number":"TRK-0011","comments":"","group_key":0,` +
				`"order_timestamp":"1700000000","status":"P","products":{"1300456789":2}}]}`,
				"orders": `[{"order_id":"205"}]`, "orders/205": `{"order_id":"205","status":"O","products":[]}`},
			wants: []want{{"shipments", "tracking_number", 11, text("TRK-0011")}, {"shipments", "products", 11, text(`{"1300456789":"2"}`)}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if test.answers["categories"] == "" {
				test.answers["categories"] = `[]` // by which the address is found
			}
			for path, answer := range test.answers {
				if !json.Valid([]byte(answer)) {
					t.Fatalf("%s is no JSON", path)
				}
			}
			st := memory.New()
			sh := newShop(t, st)
			url := php(t, test.answers)
			report := run(t, sh, from(url))
			for _, p := range report.Problems {
				t.Errorf("problem: %+v", p)
			}
			wants(t, st, test.wants)
			for kind, name := range test.lost {
				if report.NotCarried[kind][name] != 1 {
					t.Errorf("not carried: %v, want %s of %s", report.NotCarried, name, kind)
				}
			}
			if n := report.Counts[name]; n.There != max(test.count, 1) && name != "settings" || name != "settings" && n.Here != n.There {
				t.Errorf("%s: %+v", name, n)
			}
			before := pulltest.Tables(t, st)
			if again := run(t, sh, from(url)); again.Written != 0 {
				t.Errorf("the second run wrote %d objects", again.Written)
			}
			if diff := pulltest.Diff(before, pulltest.Tables(t, st)); diff != "" {
				t.Errorf("after the second run:\n%s", diff)
			}
		})
	}
}
