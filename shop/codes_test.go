package shop_test

import (
	"fmt"
	"maps"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/store/memory"
)

// oneCode are parameters that choose among the forms of a list, or one period of time.
var oneCode = []string{"pages get_tree", "orders period", "discussions period", "carts period"}

// Each filter with a closed set of codes takes several, to 50, as x=A,B and as x[]=A&x[]=B,
// and refuses unknown ones (decisions §26).
func TestFilters_26_SeveralCodes(t *testing.T) {
	t.Parallel()
	s, c := openFilled(t)
	compared := 0
	for _, d := range s.Descriptions() {
		if d.Filter == nil || !slices.Contains(d.Operations, shopapi.OpList) {
			continue
		}
		for _, f := range reflect.VisibleFields(d.Filter) {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			isCodes, rule := f.Tag.Get("bind") == "codes", f.Tag.Get("rule")
			if !isCodes && f.Type.Kind() == reflect.String && strings.Contains(rule, "oneof") && !slices.Contains(oneCode, d.Name+" "+name) {
				t.Errorf("%s: the filter %s takes one code alone", d.Name, name)
			}
			if isCodes && c.Get("/api/2.0/"+d.Name).Status == 200 {
				compared++
				checkCodes(t, c, d.Name, name)
			}
		}
	}
	if compared < 20 {
		t.Errorf("%d filters were compared", compared)
	}
}

// checkCodes checks a filter with the codes that objects of an entity have.
func checkCodes(t *testing.T, c *apitest.Client, entity, name string) {
	t.Helper()
	list := func(query string) []string {
		t.Helper()
		a := c.Get("/api/2.0/" + entity + "?items_per_page=1000&" + query)
		if a.Status != 200 {
			t.Errorf("%s?%s: %d %s", entity, query, a.Status, a.Body)
			return nil
		}
		var ids []string
		for _, item := range itemsOf(t, a.Body) {
			ids = append(ids, fmt.Sprint(item))
		}
		slices.Sort(ids)
		return ids
	}
	has := map[string]bool{}
	for _, item := range itemsOf(t, c.Get("/api/2.0/"+entity+"?items_per_page=1000&fields=*").Body) {
		if code, ok := item[name].(string); ok && code != "" {
			has[url.QueryEscape(code)] = true
		}
	}
	codes := slices.Sorted(maps.Keys(has))
	var each []string
	for _, code := range codes {
		found := list(name + "=" + code)
		if len(found) == 0 {
			t.Errorf("%s?%s=%s has nothing", entity, name, code)
		}
		each = append(each, found...)
	}
	slices.Sort(each)
	if len(codes) > 0 {
		for _, query := range []string{name + "=" + strings.Join(codes, ","), name + "[]=" + strings.Join(codes, "&"+name+"[]=")} {
			if got := list(query); !slices.Equal(got, each) {
				t.Errorf("%s?%s has %d items, want %d", entity, query, len(got), len(each))
			}
		}
	}
	refused := []string{strings.Join(fiftyOne, ",")}
	if entity != "statuses" { // which lists the codes themselves
		refused = append(refused, "?", strings.Join(append(codes, "?"), ","))
	}
	for _, wrong := range refused {
		if a := c.Get("/api/2.0/" + entity + "?" + name + "=" + url.QueryEscape(wrong)); a.Status != 400 || !strings.Contains(a.Body, `"`+name+`"`) {
			t.Errorf("%s?%s=%s: %d %s", entity, name, wrong, a.Status, a.Body)
		}
	}
}

var fiftyOne = func() (codes []string) {
	for i := range 51 {
		codes = append(codes, fmt.Sprint("c", i))
	}
	return codes
}()

// order_status of call requests takes several letters, and refuses letters that no status has, as
// status of orders does (decisions §26, §6).
func TestFilters_26_OrderStatusOfCallRequests(t *testing.T) {
	t.Parallel()
	c := openWithProducts(t, memory.New(), nil, "MUG-41")
	want(t, c.Put("/api/2.0/products/1", `{"amount": 9}`), 200, "")
	want(t, c.Post("/api/2.0/payments", `{"payment": "Card"}`), 201, "")
	want(t, c.Post("/api/2.0/shippings", `{"shipping": "Parcel"}`), 201, "")
	for i, status := range []string{"C", "O", "P"} {
		want(t, c.Post("/api/2.0/orders", `{"payment_id": 1, "shipping_id": 1, "products": {"1": {"amount": 1}}, "user_data": {
			"email": "kim@example.com", "b_firstname": "Kim", "b_lastname": "Berg", "b_address": "Main St 1", "b_city": "Oslo", "b_country": "NO", "b_zipcode": "0150",
			"s_firstname": "Kim", "s_lastname": "Berg", "s_address": "Main St 1", "s_city": "Oslo", "s_country": "NO", "s_zipcode": "0150"}}`), 201, "")
		want(t, c.Put(fmt.Sprint("/api/2.0/orders/", i+1), `{"status": "`+status+`"}`), 200, "")
		want(t, c.Post("/api/2.0/call_requests", fmt.Sprintf(`{"phone": "1", "order_id": %d}`, i+1)), 201, "")
	}
	const address = "/api/2.0/call_requests?sort_by=id&sort_order=asc&"
	for _, query := range []string{"order_status=C,O", "order_status[]=C&order_status[]=O"} {
		found := map[string]bool{}
		for _, item := range itemsOf(t, c.Get(address+query).Body) {
			found[item["order_status"].(string)] = true
		}
		if !maps.Equal(found, map[string]bool{"C": true, "O": true}) {
			t.Errorf("%s has requests of orders with the statuses %v", query, found)
		}
	}
	for _, wrong := range []string{"XX", "c", "C,XX"} {
		var orders, requests struct{ Errors map[string]string }
		c.Get("/api/2.0/orders?status=" + wrong).Decode(&orders)
		want(t, c.Get(address+"order_status="+wrong), 400, "order_status")
		c.Get(address + "order_status=" + wrong).Decode(&requests)
		if problem := orders.Errors["status"]; problem == "" || requests.Errors["order_status"] != problem {
			t.Errorf("order_status=%s: %v, want %v", wrong, requests.Errors, orders.Errors)
		}
	}
}
