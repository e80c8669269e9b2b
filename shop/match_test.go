package shop_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/categories"
	"github.com/shopapi/shopapi/internal/shoptest"
	"github.com/shopapi/shopapi/products"
	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store"
)

const matchAddress = "/api/2.0/products?match=product_code"

// E6: PUT with match changes the products that have the codes; errors are reported by row.
func TestE6_PutWithMatch(t *testing.T) {
	t.Parallel()
	shoptest.EachStore(t, func(t *testing.T, st store.Store) {
		s := openBatch(t, st, shopapi.Options{}, "A", "B", "C", "two", "two", "D")
		rows := `[{"product_code": "A", "amount": 7}, {"product_code": "B", "price": "dear"}, 5, {"product_code": "C", "amount": 7}, {"amount": 1},
			{"product_code": "twice"}, {"product_code": "two", "amount": 2}, {"product_code": "missing", "amount": 2}, {"product_code": "twice"}, {"product_code": "D", "price": "3.00"}]`
		a := s.Put(matchAddress, rows)
		want(t, a, 200, `{"updated":2,"created":0,"skipped":0,"unchanged":1,"errors":[{"index":1,"product_code":"B","message":"price must be`)
		for _, text := range []string{
			`{"index":2,"product_code":"","message":"must be an object"}`, `{"index":4,`, `{"index":5,"product_code":"twice"`, `{"index":6,"product_code":"two","message":"Several objects of products have the product_code \"two\": 4, 5.`,
			`{"index":7,"product_code":"missing"`, `{"index":8,"product_code":"twice"`,
		} {
			want(t, a, 200, text)
		}
		for id, amount := range map[int]string{1: "7", 2: "1", 3: "7", 4: "1"} {
			if got := s.Get(fmt.Sprintf("/api/2.0/products/%d", id)).Field("amount"); got != amount {
				t.Errorf("the amount of %d is %s, want %s", id, got, amount)
			}
		}
		want(t, s.Put(matchAddress+"&atomic=Y", `[{"product_code": "A", "amount": 9}, {"product_code": "B", "price": "dear"}, {"product_code": "missing"}]`), 400, `"rows":[{"index":1,"product_code":"B"`)
		if got := s.Get("/api/2.0/products/1").Field("amount"); got != "7" {
			t.Errorf("after the failure the amount is %s", got)
		}
		want(t, s.Put(matchAddress+"&atomic=Y&missing=skip", `[{"product_code": "A", "amount": 9}, {"product_code": "missing"}]`), 200, `{"updated":1,"created":0,"skipped":1,"unchanged":0,"errors":[]}`)
		want(t, s.Put(matchAddress+"&missing=create", `[{"product_code": "new", "product": "N", "price": 1, "category_ids": [1]}, {"product_code": "bad", "price": 1}]`), 200, `{"updated":0,"created":1,"skipped":0,"unchanged":0,"errors":[{"index":1,"product_code":"bad"`)
		want(t, s.Get("/api/2.0/products/code:new"), 200, "")
	})
}

// E6: a row that a hook refuses changes nothing, whatever the hook wrote, and the rows beside it
// are changed.
func TestE6_PutWithMatchHooks(t *testing.T) {
	t.Parallel()
	shoptest.EachStore(t, func(t *testing.T, st store.Store) {
		codes := []string{"A", "refused", "B", "C", "refused too", "last"}
		s := openBatch(t, st, shopapi.Options{}, codes...)
		s.Products.AfterSave(func(ctx context.Context, _ store.Tx, _, p *products.Product) error {
			if _, err := s.Categories.Create(ctx, categories.Category{Summary: categories.Summary{Name: "Of " + p.Code, Status: "A"}}); err != nil {
				return err
			}
			if strings.HasPrefix(p.Code, "refused") {
				return shopapi.Invalid("amount", "must not change")
			}
			return nil
		})
		var rows []string
		for _, code := range append(codes, "missing") {
			rows = append(rows, fmt.Sprintf(`{"product_code": %q, "amount": 7}`, code))
		}
		want(t, s.Put(matchAddress, "["+strings.Join(rows, ",")+"]"), 200, `{"updated":4,"created":0,"skipped":0,"unchanged":0,"errors":[{"index":1,"product_code":"refused","message":"amount must not change."},{"index":4,"product_code":"refused too","message":"amount must not change."},{"index":6,"product_code":"missing","message":"No object of products has the product_code \"missing\"."}]}`)
		for i, code := range codes {
			amount := "7"
			if strings.HasPrefix(code, "refused") {
				amount = "1"
			}
			if got := s.Get(fmt.Sprintf("/api/2.0/products/%d", i+1)).Field("amount"); got != amount {
				t.Errorf("the amount of %s is %s, want %s", code, got, amount)
			}
		}
		if got := s.Get("/api/2.0/categories").Body; strings.Count(got, `"Of `) != 4 || strings.Contains(got, "Of refused") {
			t.Errorf("the categories of the hook are %s", got)
		}
	})
}

// E6: PUT with match finds the products and combinations that the user may see, also where
// other companies have the same codes.
func TestE6_PutWithMatchOfCompanies(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, &shop.Options{Options: shopapi.Options{Edition: shopapi.MultiVendor}, Batch: true})
	want(t, s.Post("/api/2.0/categories", `{"category": "Cups"}`), 201, "")
	for company := 1; company <= 20; company++ {
		if company > 1 {
			want(t, s.Post("/api/2.0/vendors", fmt.Sprintf(`{"company": "V%d", "email": "v%[1]d@example.com", "phone": "1", "address": "Quay 1", "city": "Bergen", "country": "NO", "state": "46", "zipcode": "5003"}`, company)), 201, "")
		}
		want(t, s.Post("/api/2.0/products", fmt.Sprintf(`{"product": "Cup", "price": 1, "category_ids": [1], "product_code": "CUP", "company_id": %d}`, company)), 201, "")
		want(t, s.Post("/api/2.0/options", fmt.Sprintf(`{"product_id": %d, "option_name": "Size", "option_type": "S", "inventory": "Y", "variants": [{"variant_name": "S"}]}`, company)), 201, "")
		want(t, s.Post("/api/2.0/combinations", fmt.Sprintf(`{"product_id": %d, "combination": {"%[1]d": %[1]d}, "product_code": "CUP-S"}`, company)), 201, "")
	}
	vendor := s.UserOf(20, "view_catalog", "manage_catalog")
	want(t, vendor.Put(matchAddress, `[{"product_code": "CUP", "amount": 7}]`), 200, `"updated":1`)
	want(t, vendor.Put("/api/2.0/combinations?match=product_code", `[{"product_code": "CUP-S", "amount": 7}]`), 200, `"updated":1`)
	want(t, s.Get("/api/2.0/products/20"), 200, `"amount":"7"`)
	want(t, s.Get("/api/2.0/products/19"), 200, `"amount":"1"`)
	want(t, s.Put("/api/2.0/combinations?match=product_code", `[{"product_code": "CUP-S", "amount": 7}]`), 200, "and others")
}

// E6: what PUT with match refuses.
func TestE6_PutWithMatchRefuses(t *testing.T) {
	t.Parallel()
	s := openBatch(t, shoptest.Memory(t), shopapi.Options{}, "A")
	for _, test := range []struct {
		address, body string
		status        int
		text          string
	}{
		{matchAddress, `{}`, 400, "array"}, {matchAddress, `[`, 400, ""}, {matchAddress, `[{}`, 400, ""}, {matchAddress, `[] 1`, 400, ""},
		{"/api/2.0/products?match=product", `[]`, 400, "match"}, {matchAddress + "&missing=maybe", `[]`, 400, "missing"}, {matchAddress + "&atomic=1", `[]`, 400, "atomic"},
		{matchAddress, "[" + strings.TrimSuffix(strings.Repeat("{},", 100_000), ",") + "]", 413, "10000"},
		{matchAddress, `["` + strings.Repeat("x", 9<<20) + `"]`, 413, "8388608"},
		{matchAddress, `[]`, 200, `"updated":0`}, {"/api/2.0/products", `[]`, 405, ""}, {"/api/2.0/categories/1/products?match=product_code", `[]`, 405, ""},
		{"/api/2.0/products/1?match=product_code", `{"price": 3}`, 200, `"product_id":"1"`}, {"/api/2.0/categories?match=category", `[]`, 405, ""},
		{"/api/2.0/combinations?match=product_code", `[{"product_code": "A"}]`, 200, `"index":0`},
	} {
		if a := s.Put(test.address, test.body); a.Status != test.status || !strings.Contains(a.Body, test.text) {
			t.Errorf("%s %.40s is answered %d %.300s, want %d with %q", test.address, test.body, a.Status, a.Body, test.status, test.text)
		}
	}
	if a := sendWith(t, s, "PUT", matchAddress, "If-Match", "*", `[]`); a.Status != 400 {
		t.Errorf("a precondition is answered %d %s", a.Status, a.Body)
	}
	want(t, s.Post(batchAddress, `{"requests": [{"method": "PUT", "url": "products?match=product_code", "body": []}]}`), 400, "batch")
}
