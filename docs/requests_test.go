package docs_test

import (
	"encoding/json"
	"testing"

	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/extensions/bulk"
	"github.com/shopapi/shopapi/shop"
)

func TestRequests(t *testing.T) {
	sh := apitest.New(t, &shop.Options{Batch: true})
	ctx := t.Context()
	responses, err := bulk.Do(ctx, sh.API, bulk.Batch{Atomic: true, Requests: []bulk.Request{
		{ID: "cups", Method: "POST", URL: "categories", Body: map[string]any{"category": "Cups"}},
		{Method: "POST", URL: "products", Body: map[string]any{
			"product": "Clay mug", "product_code": "MUG-41", "price": "9.50", "category_ids": []string{"{{cups.category_id}}"},
		}},
	}})
	if err != nil || len(responses) != 2 || responses[1].Status != 201 {
		t.Fatalf("%+v, %v", responses, err)
	}
	result, err := bulk.Put(ctx, sh.API, "products", bulk.Matching{
		Rows: []json.RawMessage{[]byte(`{"product_code": "MUG-41", "amount": 12}`)},
	})
	if err != nil || result.Updated != 1 {
		t.Errorf("%+v, %v", result, err)
	}
	if got := sh.Get("/api/2.0/products/code:MUG-41?fields=amount").Body; got != `{"product_id":"1","amount":"12"}` {
		t.Errorf("got %s", got)
	}
}
