package callrequests_test

import (
	"testing"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/internal/shoptest"
	"github.com/shopapi/shopapi/store"
)

func TestCallRequests_CompanyByEdition(t *testing.T) {
	for _, c := range []struct {
		name                   string
		edition                shopapi.Edition
		created, given, change string // company_id if none is sent, if 3 is sent, and after PUT of 4 to the second
	}{
		{"single store", shopapi.SingleStore, `"1"`, `"1"`, `"1"`},
		{"multi-storefront", shopapi.MultiStorefront, `"1"`, `"3"`, `"4"`},
		{"multi-vendor", shopapi.MultiVendor, `"1"`, `"3"`, `"4"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			shoptest.EachStore(t, func(t *testing.T, st store.Store) {
				s := suite.Open(t, st, shopapi.Options{Edition: c.edition})
				s.Status("POST", "/api/call_requests", `phone=1`, 201)
				s.Status("POST", "/api/call_requests", `phone=1&company_id=3`, 201)
				if got := s.Field("/api/call_requests/1", "company_id"); got != c.created {
					t.Errorf("company_id is %s, want %s", got, c.created)
				}
				if got := s.Field("/api/call_requests/2", "company_id"); got != c.given {
					t.Errorf("company_id is %s after 3 was given, want %s", got, c.given)
				}
				s.Status("PUT", "/api/call_requests/2", `company_id=4`, 200)
				if got := s.Field("/api/call_requests/2", "company_id"); got != c.change {
					t.Errorf("company_id is %s after 4 was given, want %s", got, c.change)
				}
			})
		})
	}
}

func TestCallRequests_UnderAStorefront(t *testing.T) {
	shoptest.EachStore(t, func(t *testing.T, st store.Store) {
		s := suite.Open(t, st, shopapi.Options{Edition: shopapi.MultiStorefront}, stores(), products())
		s.Status("POST", "/api/call_requests", `phone=1`, 201)
		s.Status("POST", "/api/stores/3/call_requests", `phone=2&company_id=1`, 201)
		if got := s.Field("/api/call_requests/2", "company_id"); got != `"3"` {
			t.Errorf("company_id is %s", got)
		}
		s.Status("GET", "/api/stores/3/call_requests/1", "", 404)
		s.Status("GET", "/api/stores/3/call_requests/2", "", 200)
		s.Refuses("PUT", "/api/stores/3/call_requests/2", `product_id=41`, "product_id") // the product belongs to storefront 1
		s.lists("company_id=3", "2")
		s.Want("GET", "/api/stores/3/call_requests?company_id=1", "", 200, `{"call_requests":[],"params":{"items_per_page":"10","page":1,`+
			`"sort_order":"desc","sort_by":"date","sort_order_rev":"asc","total_items":"0"}}`)
	})
}

func TestCallRequests_VendorsReachOnlyTheirCompany(t *testing.T) {
	shoptest.EachStore(t, func(t *testing.T, st store.Store) {
		s := suite.Open(t, st, shopapi.Options{Edition: shopapi.MultiVendor}, products(), orders(), officers())
		vendor := s.as("vendor2@example.com")
		s.Status("POST", "/api/call_requests", `phone=1&product_id=41&order_id=501`, 201)
		vendor.Status("POST", "/api/call_requests", `phone=2&product_id=77&order_id=901&company_id=1`, 201)

		vendor.Want("GET", "/api/call_requests", "", 200, `{"call_requests":[{"request_id":"2","company_id":"2","order_id":"901","user_id":"0",`+
			`"product_id":"77","timestamp":"1700000000","status":"new","name":"","phone":"2","time_from":"","time_to":"","notes":null,`+
			`"cart_products":"","order_status":"P","product":"Bowl <b>&</b>"}],"params":{"items_per_page":"10","page":1,`+
			`"sort_order":"desc","sort_by":"date","sort_order_rev":"asc","total_items":"1"}}`)
		for _, query := range []string{"company_id=1", "order_status=O", "order_exists=N", "phone=1"} {
			vendor.lists(query, "")
		}
		vendor.lists("order_exists=Y&sort_by=order_status", "2")
		vendor.lists("sort_by=user", "2")

		vendor.Status("GET", "/api/call_requests/1", "", 404)
		vendor.Status("PUT", "/api/call_requests/1", `name=Ana`, 404)
		vendor.Status("DELETE", "/api/call_requests/1", "", 404)
		vendor.Status("PUT", "/api/call_requests/2", `company_id=1`, 200)
		if got := s.Field("/api/call_requests/2", "company_id"); got != `"2"` {
			t.Errorf("company_id is %s after the vendor gave 1, want %q", got, "2")
		}
	})
}

func TestCallRequests_VendorsCannotReferToOthers(t *testing.T) {
	shoptest.EachStore(t, func(t *testing.T, st store.Store) {
		s := suite.Open(t, st, shopapi.Options{Edition: shopapi.MultiVendor}, products(), orders())
		vendor := s.as("vendor2@example.com")
		vendor.Refuses("POST", "/api/call_requests", `phone=1&product_id=41&order_id=501`, "product_id", "order_id")
		vendor.Status("POST", "/api/call_requests", `phone=1&product_id=77&order_id=901`, 201)
		vendor.Refuses("PUT", "/api/call_requests/1", `product_id=41`, "product_id")

		// An administrator may. The vendor then sees only the ids.
		s.Status("PUT", "/api/call_requests/1", `product_id=41&order_id=501`, 200)
		for name, want := range map[string][2]string{
			"product_id":   {`"41"`, `"41"`},
			"product":      {`"Clay mug"`, `null`},
			"order_status": {`"O"`, `null`},
		} {
			if got := s.Field("/api/call_requests/1", name); got != want[0] {
				t.Errorf("the administrator sees %s %s, want %s", name, got, want[0])
			}
			if got := vendor.Field("/api/call_requests/1", name); got != want[1] {
				t.Errorf("the vendor sees %s %s, want %s", name, got, want[1])
			}
		}
		vendor.lists("order_exists=Y", "")
		s.lists("order_exists=Y", "1")
	})
}
