package shop_test

import (
	"strings"
	"testing"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/extensions/changes"
	"github.com/shopapi/shopapi/shop"
)

// E4: an object that moves to another company and is deleted in one transaction is deleted for the users of
// the company that it had before. The other company never had it.
func TestE4_MovedAndDeletedAtOnce(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, &shop.Options{
		Options: shopapi.Options{Edition: shopapi.MultiVendor}, Batch: true, Changes: changes.Options{Mode: changes.On},
	})
	before, after := s.UserOf(2, "view_catalog"), s.UserOf(3, "view_catalog")
	want(t, s.Post("/api/2.0/categories", `{"category": "Cups"}`), 201, "")
	want(t, s.Post("/api/2.0/products", `{"product": "Cup", "category_ids": [1], "company_id": 2}`), 201, "")
	at := s.Get("/api/2.0/changes").Field("last_seq")
	want(t, s.Post(batchAddress, `{"requests": [{"method": "PUT", "url": "products/1", "body": {"company_id": 3}}, {"method": "DELETE", "url": "products/1"}]}`), 200, "")
	since := "/api/2.0/changes?entity=products&since=" + at
	want(t, before.Get(since), 200, `"op":"deleted","user_id":"0","company_id":"2"`)
	if got := after.Get(since).Body; !strings.Contains(got, `"changes":[]`) {
		t.Errorf("the other company is told %s, want nothing", got)
	}
}
