package orders_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/shopapi/shopapi"
)

// The requests of published clients about orders and dependent entities, and the response
// types that they read, call by call. They are made for the live dialect.
func TestOrders_RequestsOfPublishedClients(t *testing.T) {
	eachStoreWith(t, shopapi.Options{Dialect: shopapi.DialectLive}, func(w *world) {
		w.Put("/api/2.0/shippings/1", `{"tax_ids": "1"}`)
		w.Put("/api/2.0/payments/1", `{"surcharge_title": "Card fee"}`)
		user := w.user()
		line := func(kinds string) string { return "products.*.(" + kinds + ")" }
		type call struct {
			send   string // method, address and payload
			status int
			read   string // see misread
		}
		calls := []call{
			{`POST orders {"user_id": "` + user + `", "payment_id": "1", "shipping_id": "1", "products": {"1": {"product_id": "2", "amount": "1", "product_options": {}}}}`, 201, "order_id:s"},
			{`POST orders {"user_id": ` + user + `, "payment_id": 2, "shipping_id": 1, "products": {"1": {"product_id": 1, "amount": 2, "product_options": {"1": "2", "2": 4}}, "3": {"product_id": 4, "amount": 1}}}`, 201, "order_id:s"},
			{`POST orders {"user_id": 0, "user_data": ` + guest + `, "payment_id": 2, "products": {"4": {"amount": 1}}}`, 201, "order_id:s"},
			{`PUT orders/1 {"status": "C", "notify_user": true}`, 200, "order_id:s"},
			{`PUT orders/1 {"status": "C", "notify_user": "1", "notify_department": "1", "notify_vendor": "1"}`, 200, "order_id:s"},
			{`PUT orders/1 {"status": "P", "notify_user": "Y", "notify_department": "N", "notify_vendor": "N"}`, 200, "order_id:s"},
			{`PUT orders/1 {"status": "O", "notify_user": "0"}`, 200, "order_id:s"},
			{`GET orders/1`, 200, "order_id:s user_id:s company_id:s total:s timestamp:s status:s payment_id:s shipping_ids:s discount:s subtotal_discount:s payment_surcharge:s shipping_cost:s display_shipping_cost:s subtotal:n display_subtotal:n tax_subtotal:n need_shipping:t payment_method:o shipment_ids:a promotions:a product_groups:a " +
				line("item_id:s order_id:s product_id:s product_code:s product:s price:s amount:s company_id:s shipment_amount:s subtotal:n discount:n tax_value:n base_price:n original_price:n shipped_amount:n extra:o") +
				" taxes.*.(rate_type:s rate_value:s description:s price_includes_tax:s regnumber:s priority:n tax_subtotal:n applies:o) shipping.*.(shipping_id:s shipping:s group_name:s rate:n group_key:n need_shipment:t) payment_method.(payment_id:s payment:s)"},
			{`GET orders/3`, 200, "user_id:s taxes:a products:o shipping:a"},
			{`POST shipments {"order_id": "1", "shipping_id": "1", "products": {"ITEM": "1"}, "tracking_number": "T-1", "carrier": "ups", "comments": ""}`, 201, "shipment_id:s"},
			{`GET shipments/1`, 200, "shipment_id:s order_id:s user_id:s shipping_id:s shipping:s carrier:s tracking_number:s comments:s group_key:s order_timestamp:s status:s products.*:s"},
			{`GET shipments`, 200, "shipments.*.(shipment_id:s order_id:s user_id:s shipping_id:s shipping:s carrier:s tracking_number:s comments:s group_key:s order_timestamp:s status:s products:o) params:o"},
			{`GET statuses`, 200, "statuses.*.(status_id:s status:s type:s is_default:s description:s email_subj:s email_header:s lang_code:s params.*:s)"},
			{`POST statuses {"description": "Packed", "params": {"inventory": "D", "notify": "Y"}}`, 201, "*:s"},
			{`GET payments`, 200, "payments.*.(payment_id:s payment:s company_id:s usergroup_ids:s position:s status:s template:s processor_id:s a_surcharge:s p_surcharge:s tax_ids:s localization:s payment_category:s description:s instructions:s surcharge_title:s lang_code:s)"},
			{`GET payments/1`, 200, "payment_id:s payment:s surcharge_title:s a_surcharge:s tax_ids:a template:s status:s"},
			{`GET shippings`, 200, "shippings.*.(shipping_id:s shipping:s status:s position:s delivery_time:s min_weight:s max_weight:s usergroup_ids:s tax_ids:s)"},
			{`GET shippings/1`, 200, "shipping_id:s shipping:s company_id:s rate_calculation:s service_id:s localization:s tax_ids.*:s rates:a"},
			{`GET taxes`, 200, "taxes.*.(tax_id:s tax:s status:s priority:s price_includes_tax:s regnumber:s address_type:s)"},
			{`PUT carts/` + user + ` {"products": {"2": {"amount": 2, "product_options": {}}}}`, 200, "user_id:s"},
			{`GET carts`, 200, "carts.*.(user_id:s date:s ip_address:s company_id:s cart_products:s total:s) params:o"},
			{`GET carts/` + user, 200, "user_id:s user_data:o products.*.(item_id:s item_type:s product_id:s amount:s price:s product:s extra:o)"},
			{`DELETE carts/` + user, 204, ""},
			{`DELETE shipments/1`, 204, ""},
			{`PUT orders/1 {"total": "9.99"}`, 200, "order_id:s"},
			{`DELETE orders/3`, 204, ""},
		}
		const listed = "orders.*.(order_id:s user_id:s company_id:s total:s timestamp:s status:s firstname:s lastname:s email:s phone:s is_parent_order:s parent_order_id:s) params.(page:n items_per_page:s total_items:s sort_by:s sort_order:s)"
		for _, query := range []string{
			"", "page=1", "page=1&items_per_page=5", "sort_by=date", "sort_by=date&sort_order=desc", "sort_by=date&sort_order=asc", "status=O", "user_id=" + user, "email=ana", "email=ana@example.org",
			"company_id=1", "period=A", "period=D", "period=W", "period=M", "period=Y", "period=C&time_from=1704000000&time_to=1804000000", "period=C&time_from=2024-01-01&time_to=2024-12-31",
			"time_from=1704000000", "include_incompleted=true&ajax_custom=1&nothing=else", "get_products=1",
		} {
			calls = append(calls, call{"GET orders?" + query, 200, listed})
		}
		for _, query := range []string{"invoice_id=I-7", "credit_memo_id=M-7", "status=F", "page=99", "email=nobody"} {
			calls = append(calls, call{"GET orders?" + query, 200, "orders:a params:o"})
		}
		item := ""
		for _, c := range calls {
			method, rest, _ := strings.Cut(c.send, " ")
			address, payload, _ := strings.Cut(rest, " ")
			a := w.Do(method, "/api/2.0/"+address, "application/json", strings.ReplaceAll(payload, "ITEM", item))
			if a.Status != c.status {
				w.t.Errorf("%s: %d %s, want %d", c.send, a.Status, a.Body, c.status)
				continue
			}
			if c.status == 204 {
				continue
			}
			var body any
			d := json.NewDecoder(strings.NewReader(a.Body))
			d.UseNumber()
			if err := d.Decode(&body); err != nil {
				w.t.Errorf("%s: %v", c.send, err)
			}
			for _, problem := range misread(body, c.read) {
				w.t.Errorf("%s: %s", c.send, problem)
			}
			if address == "orders/1" && method == "GET" {
				item = w.line("1", "2").ItemID
			}
		}
	})
}

// misread says which paths of a body have another kind than a client reads. A path has
// the names of members, * for each member or element of which there has to be one, and
// (…) for several paths from there on.
func misread(body any, paths string) (problems []string) {
	for paths = strings.TrimSpace(paths); paths != ""; paths = strings.TrimSpace(paths) {
		end := strings.IndexByte(paths, ' ')
		if open := strings.IndexByte(paths, '('); open >= 0 && (end < 0 || open < end) {
			end = open + strings.IndexByte(paths[open:], ')') + 1
		}
		if end < 0 {
			end = len(paths)
		}
		problems = append(problems, follow(body, "", paths[:end])...)
		paths = paths[end:]
	}
	return problems
}

func follow(v any, at, path string) []string {
	if strings.HasPrefix(path, "(") {
		var problems []string
		for p := range strings.FieldsSeq(strings.Trim(path, "()")) {
			problems = append(problems, follow(v, at, p)...)
		}
		return problems
	}
	if path != "" && path[0] == ':' {
		if got := kindOf(v); got != path[1:] {
			return []string{fmt.Sprintf("%s is %s (%v), want %s", at, got, v, path[1:])}
		}
		return nil
	}
	end := strings.IndexAny(path, ".:")
	name, rest := path[:end], path[end:]
	rest = strings.TrimPrefix(rest, ".")
	var below []any
	switch v := v.(type) {
	case map[string]any:
		if name != "*" {
			member, has := v[name]
			if !has {
				return []string{at + "." + name + " is missing"}
			}
			return follow(member, at+"."+name, rest)
		}
		for _, member := range v {
			below = append(below, member)
		}
	case []any:
		below = v
	}
	if len(below) == 0 {
		return []string{at + " has nothing in it"}
	}
	var problems []string
	for _, member := range below {
		problems = append(problems, follow(member, at+".*", rest)...)
	}
	return problems
}

// kindOf is how a value is written: s text, n number, t boolean, o object, a array.
func kindOf(v any) string {
	switch v.(type) {
	case string:
		return "s"
	case json.Number:
		return "n"
	case bool:
		return "t"
	case map[string]any:
		return "o"
	case []any:
		return "a"
	}
	return "null"
}
