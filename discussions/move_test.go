package discussions_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/internal/shoptest"
	wholeshop "github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store"
)

// decisions §11, extensions E12: reviews belong to the company of their object, also after
// it moved to another company. Then the former company neither lists nor follows them.
func TestE12_ReviewsMoveWithTheirObject(t *testing.T) {
	for name, c := range map[string]struct {
		edition                  shopapi.Edition
		entity, kind, id, object string
	}{
		"a product of a vendor":      {shopapi.MultiVendor, "products", "P", "product_id", `{"product": "Jug", "category_ids": [1], "company_id": 2}`},
		"a product of a store":       {shopapi.MultiStorefront, "products", "P", "product_id", `{"product": "Jug", "category_ids": [1], "company_id": 2}`},
		"a page of a store":          {shopapi.MultiStorefront, "pages", "A", "page_id", `{"page": "Delivery", "page_type": "T", "company_id": 2}`},
		"a category of a storefront": {shopapi.MultiStorefront, "categories", "C", "category_id", `{"category": "Cups", "company_id": 2}`},
	} {
		t.Run(name, func(t *testing.T) {
			shoptest.EachStore(t, func(t *testing.T, st store.Store) {
				s := apitest.NewWithStore(t, st, &wholeshop.Options{Options: shopapi.Options{Edition: c.edition}})
				privileges := []string{"view_catalog", "view_discussions", "manage_discussions", "view_pages"}
				two, three := s.UserOf(2, privileges...), s.UserOf(3, privileges...)
				s.Post("/api/2.0/categories", `{"category": "Kitchen", "company_id": 2}`)
				id := s.Post("/api/2.0/"+c.entity, c.object).Field(c.id)
				post := s.Post("/api/2.0/discussions", fmt.Sprintf(`{"object_type": %q, "object_id": %s, "message": "Holds heat well"}`, c.kind, id)).Field("post_id")
				lists := func() (lengths []int) {
					for _, user := range []*apitest.Client{two, three} {
						var list struct {
							Discussions []any `json:"discussions"`
						}
						user.Get("/api/2.0/discussions?object_type=" + c.kind).Decode(&list)
						lengths = append(lengths, len(list.Discussions))
					}
					return lengths
				}
				if diff := cmp.Diff([]int{1, 0}, lists()); diff != "" {
					t.Fatalf("posts that the two companies list, before (-want +got):\n%s", diff)
				}
				if moved := s.Put("/api/2.0/"+c.entity+"/"+id, `{"company_id": 3}`); moved.Status != 200 {
					t.Fatalf("moving the object: %d %s", moved.Status, moved.Body)
				}
				if diff := cmp.Diff([]int{0, 1}, lists()); diff != "" {
					t.Errorf("posts that the two companies list, after (-want +got):\n%s", diff)
				}
				if got := s.Get("/api/2.0/discussions/" + post).Field("company_id"); got != "3" {
					t.Errorf("the post is of company %s, want 3", got)
				}
				reply := three.Post(fmt.Sprintf("/api/2.0/%s/%s/discussions", c.entity, id), fmt.Sprintf(`{"message": "Thank you", "reply_to": %s}`, post))
				if reply.Status != 201 {
					t.Errorf("a reply of the new company: %d %s", reply.Status, reply.Body)
				}
			})
		})
	}
}
