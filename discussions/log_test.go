package discussions_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/extensions/changes"
	"github.com/shopapi/shopapi/internal/shoptest"
	wholeshop "github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store"
)

// extensions E4: changes of reviews name the object that the review is about. So
// include=object shows the review to a vendor too. Vendors read reviews below products only.
func TestE4_ReviewsHaveAParent(t *testing.T) {
	shoptest.EachStore(t, func(t *testing.T, st store.Store) {
		s := apitest.NewWithStore(t, st, &wholeshop.Options{
			Options: shopapi.Options{Edition: shopapi.MultiVendor}, Changes: changes.Options{Mode: changes.On},
		})
		vendor := s.UserOf(2, "view_catalog", "view_discussions", "manage_discussions")
		s.Post("/api/2.0/categories", `{"category": "Cups", "company_id": 2}`)
		id := s.Post("/api/2.0/products", `{"product": "Jug", "category_ids": [1], "company_id": 2}`).Field("product_id")
		type row struct {
			Op     string
			Parent *changes.Parent
			Object map[string]any
		}
		log := func(who *apitest.Client, since string) []row {
			var list struct{ Changes []row }
			who.Get("/api/2.0/changes?entity=discussions&include=object&since=" + since).Decode(&list)
			for _, r := range list.Changes {
				for name := range r.Object {
					if name != "message" {
						delete(r.Object, name)
					}
				}
			}
			return list.Changes
		}
		parent := &changes.Parent{Entity: "products", ID: id}
		message := func(text string) map[string]any { return map[string]any{"message": text} }
		for _, step := range []struct {
			what string
			do   func() *apitest.Answer
			want row
		}{
			{"a new post", func() *apitest.Answer {
				return vendor.Post("/api/2.0/products/"+id+"/discussions", `{"message": "Thanks"}`)
			}, row{"created", parent, message("Thanks")}},
			{"a change", func() *apitest.Answer { return s.Put("/api/2.0/discussions/1", `{"message": "Thank you"}`) }, row{"updated", parent, message("Thank you")}},
			{"a deletion", func() *apitest.Answer { return s.Delete("/api/2.0/discussions/1") }, row{"deleted", parent, nil}},
			{"the home page", func() *apitest.Answer {
				return s.Post("/api/2.0/discussions", `{"object_type": "E", "object_id": 0, "message": "Thank you"}`)
			}, row{"created", nil, message("Thank you")}},
			{"a post of a deleted product", func() *apitest.Answer {
				s.Post("/api/2.0/discussions", fmt.Sprintf(`{"object_type": "P", "object_id": %s, "message": "Broke"}`, id))
				return s.Delete("/api/2.0/products/" + id)
			}, row{"deleted", parent, nil}},
		} {
			since := s.Get("/api/2.0/changes").Field("last_seq")
			if answer := step.do(); answer.Status >= 300 {
				t.Fatalf("%s: %d %s", step.what, answer.Status, answer.Body)
			}
			readers := []*apitest.Client{s.Client, vendor}
			if step.want.Parent == nil {
				readers = readers[:1]
			}
			for _, who := range readers {
				got := log(who, since)
				if len(got) == 0 {
					t.Errorf("%s: %s is shown no change", step.what, who.Email)
					continue
				}
				last := got[len(got)-1]
				if diff := cmp.Diff(step.want, last); diff != "" {
					t.Errorf("%s, as %s (-want +got):\n%s", step.what, who.Email, diff)
				}
			}
		}
	})
}
