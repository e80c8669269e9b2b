package shop_test

import (
	"cmp"
	"strings"
	"testing"

	"github.com/shopapi/shopapi/apitest"
)

// §4, §5: a client of forms sends back what GET answered as text/plain, without the fields that
// nest more than five pairs of brackets, and nothing changes. A deeper pair is refused, by the name
// of the field.
func TestForms_PutOfWhatGetAnswered(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, nil)
	for _, made := range [][2]string{
		{"categories", `{"category": "Cups & <more>"}`},
		{"products", `{"product": "Mug + saucer", "category_ids": [1], "price": "9.50", "amount": 3}`},
		{"features", `{"description": "Glaze", "feature_type": "S", "variants": [{"variant": "Raku"}]}`},
		{"options", `{"product_id": 1, "option_name": "Size", "option_type": "S", "variants": [{"variant_name": "L", "modifier": "1.5"}]}`},
		{"call_requests", `{"phone": "+49 1"}`},
		{"taxes", `{"tax": "VAT", "rates": [{"rate_type": "P", "rate_value": "19", "apply_to": "P"}]}`},
		{"shippings", `{"shipping": "Parcel", "rates": [{"rate_value": {"C": [{"amount": 0, "value": 5, "type": "F"}]}}]}`},
		{"payments", `{"payment": "Invoice", "tax_ids": [1]}`},
		{"users", `{"email": "ana@example.com", "user_type": "C", "status": "A", "b_city": "Köln"}`},
		{"discussions", `{"object_type": "P", "object_id": 1, "message": "a=b&c", "rating_value": 5}`},
		{"pages", `{"page": "Imprint", "page_type": "T"}`},
		{"usergroups", `{"usergroup": "Staff", "status": "A", "type": "A", "privileges": ["view_orders"]}`},
	} {
		entity := made[0]
		want(t, s.Post("/api/"+entity, made[1]), 201, `"`)
		address := "/api/" + entity + "/" + cmp.Or(map[string]string{"users": "2", "usergroups": "3"}[entity], "1")
		before := s.Get(address)
		form := s.Accepting("text/plain").Get(address).Body
		if a := s.PutForm(address, form); a.Status != 200 {
			t.Errorf("%s: PUT of %s is answered %d %s", entity, form, a.Status, a.Body)
		}
		if after := s.Get(address); after.Body != before.Body {
			t.Errorf("%s: after the PUT it is %s, want %s", entity, after.Body, before.Body)
		}
	}
	tooDeep := s.PutForm("/api/features/1", "description=Glazes&variants[1][image_pair][icon][a][b][c]=d")
	if tooDeep.Status != 400 || !strings.Contains(tooDeep.Body, `"errors":{"variants":`) {
		t.Errorf("a pair of six brackets is answered %d %s, want a 400 that names variants", tooDeep.Status, tooDeep.Body)
	}
	if got := s.Get("/api/features/1").Field("description"); got != "Glaze" {
		t.Errorf("half of a refused form is stored: the feature is named %s", got)
	}
}
