package docs_test

import (
	"context"
	"testing"

	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/orders"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/shop"
)

// issueAndCredit issues the invoice of an order and credits one piece of a line.
func issueAndCredit(ctx context.Context, admin *shop.Shop, id, item int64, show func([]orders.Document)) error {
	invoice, err := admin.Orders.IssueInvoice(ctx, id)
	if err != nil {
		return err
	}
	memo, err := admin.Orders.IssueCreditMemo(ctx, id, orders.Credit{Pieces: map[int64]int64{item: 1}})
	if err != nil {
		return err
	}
	list, _, err := admin.Orders.Documents(ctx, id, resource.ListOptions{})
	if err == nil && (list[0].Number != invoice.Number || list[1].Number != memo.Number) {
		show(nil)
	}
	show(list)
	return err
}

func TestIssueAndCredit(t *testing.T) {
	s := apitest.New(t, nil)
	for address, payload := range map[string]string{
		"payments": `{"payment": "Cash", "company_id": 1}`, "shippings": `{"shipping": "Post"}`, "categories": `{"category": "Clay", "company_id": 1}`,
	} {
		if a := s.Post("/api/2.0/"+address, payload); a.Status != 201 {
			t.Fatal(a.Body)
		}
	}
	s.Post("/api/2.0/products", `{"product": "Mug", "category_ids": [1], "company_id": 1, "price": "12.50", "amount": 9}`)
	user := s.Post("/api/2.0/users", `{"email": "ana@example.org", "user_type": "C", "company_id": 1}`).Field("user_id")
	if a := s.Post("/api/2.0/orders", `{"user_id": `+user+`, "payment_id": 1, "shipping_id": 1, "products": {"1": {"amount": 2}}}`); a.Status != 201 {
		t.Fatal(a.Body)
	}
	order, err := s.Orders.Get(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	var shown []orders.Document
	err = issueAndCredit(t.Context(), s.Shop, 1, order.Lines[0].ItemID, func(list []orders.Document) { shown = list })
	if err != nil || len(shown) != 2 || shown[0].Total.String() != "25.00" || shown[1].Total.String() != "12.50" {
		t.Errorf("%+v, %v", shown, err)
	}
}
