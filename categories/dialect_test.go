package categories_test

import (
	"fmt"
	"testing"

	"github.com/shopapi/shopapi"
)

// addresses are the three forms of one address (decisions §1).
var addresses = []string{"/api/2.0/categories", "/api/categories", "/api.php?_d=categories"}

// TestCategories_DocumentedDialect: a bare array and ids as strings, in each form
// of the address (decisions §4).
func TestCategories_DocumentedDialect(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		for i, address := range addresses {
			sameJSON(t, s.Call(201, "POST", address, `{"category": "C"}`), fmt.Sprintf(`{"category_id": "%d"}`, i+1))
			sameJSON(t, s.Call(200, "PUT", address+"/1", `{"position": 1}`), `{"category_id": "1"}`)
			s.Call(200, "GET", address+"/1", "")
			s.Call(200, "GET", address+"/", "")
		}
		for _, address := range addresses {
			if got := s.List(address, "category_id"); got != "1 2 3" {
				t.Errorf("%s lists %q", address, got)
			}
			if body := s.Call(200, "HEAD", address, ""); body != "" {
				t.Errorf("HEAD %s has the body %s", address, body)
			}
		}
	})
}

// TestCategories_LiveDialect: an envelope, paged in each form of the address; POST
// returns ids as numbers, PUT as strings (decisions §4).
func TestCategories_LiveDialect(t *testing.T) {
	suite.EachWith(t, shopapi.Options{Dialect: shopapi.DialectLive}, func(t *testing.T, s *shop) {
		for i := range 11 {
			address := addresses[i%len(addresses)]
			sameJSON(t, s.Call(201, "POST", address, `{"category": "C"}`), fmt.Sprintf(`{"category_id": %d}`, i+1))
			sameJSON(t, s.Call(200, "PUT", address+"/1", `{"position": "10"}`), `{"category_id": "1"}`)
		}
		const item = `{"category_id": "%d", "parent_id": "0", "id_path": "%[1]d", "category": "C", "position": "%[2]d",
			"status": "A", "product_count": "0", "company_id": "1", "updated_at": "1700000000"}`
		for _, address := range addresses {
			question := "?"
			if address == "/api.php?_d=categories" {
				question = "&"
			}
			sameJSON(t, s.Call(200, "GET", address+question+"page=2", ""), `{"categories": [`+fmt.Sprintf(item, 11, 110)+`], "params": {
				"items_per_page": "10", "page": 2, "sort_by": "position", "sort_order": "asc", "sort_order_rev": "desc", "total_items": "11"}}`)
			sameJSON(t, s.Call(200, "GET", address+question+"page=9&items_per_page=2000", ""), `{"categories": [], "params": {
				"items_per_page": "1000", "page": 9, "sort_by": "position", "sort_order": "asc", "sort_order_rev": "desc", "total_items": "11"}}`)
			var answer struct {
				Categories []any
				Params     map[string]any
			}
			w := s.Send("GET", address, "")
			decode(t, w.Body, &answer)
			if len(answer.Categories) != 10 || answer.Params["page"] != 1.0 {
				t.Errorf("%s lists %d categories, %v", address, len(answer.Categories), answer.Params)
			}
			if h := w.Header; h.Get("Link") != "" || h.Get("X-Total-Count") != "" {
				t.Errorf("%s has an envelope and the headers of the bare array: %v", address, h)
			}
		}
		s.Refuses("GET", "/api/categories?page=0", "", "page")
	})
}

// TestCategories_PlainText is the same tree as pairs (decisions §4).
func TestCategories_PlainText(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		s.add(`{"category": "Cups & mugs"}`)
		got := s.Send("GET", "/api/categories", "", "Accept", "text/plain").Body
		if want := "0[category_id]=1&0[parent_id]=0&0[id_path]=1&0[category]=Cups%20%26%20mugs" +
			"&0[position]=10&0[status]=A&0[product_count]=0&0[company_id]=1&0[updated_at]=1700000000"; got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	})
}
