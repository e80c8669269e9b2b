package main

import (
	"encoding/json"
	"testing"

	"github.com/shopapi/shopapi/extensions/access"
	"github.com/shopapi/shopapi/extensions/changes"
	"github.com/shopapi/shopapi/internal/doccheck"
	"github.com/shopapi/shopapi/orders"
	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/users"
)

// TestE12_AnswersOfEndpoints: addresses beside entities, and actions, answer what the
// document says.
func TestE12_AnswersOfEndpoints(t *testing.T) {
	sh, r := demoShop(t, func(o *shop.Options) {
		o.Access, o.Keys, o.Reports = access.Options{On: true}, users.KeyOptions{On: true}, orders.ReportOptions{On: true}
		o.Changes = changes.Options{Mode: changes.On}
	})
	h := doccheck.Handler(t, sh.API)
	_, placed := r.send(h, "POST", "/orders", map[string]any{
		"user_id": 4, "payment_id": 1, "shipping_id": 1, "products": map[string]any{"187": map[string]any{"amount": 1}},
	})
	var created struct {
		ID string `json:"order_id"`
	}
	if err := json.Unmarshal([]byte(placed), &created); err != nil || created.ID == "" {
		t.Fatalf("the order is answered %s: %v", placed, err)
	}
	order := "/orders/" + created.ID
	for _, c := range []struct {
		method, address string
		body            any
		status          int
	}{
		{"POST", "/orders/1/issue_invoice", map[string]any{}, 200}, // it was invoiced elsewhere
		{"POST", order + "/issue_invoice", map[string]any{}, 201},
		{"POST", order + "/issue_credit_memo", map[string]any{"total": "0.50"}, 201},
		{"GET", order + "/documents", nil, 200},
		{"GET", "/orders/1/history", nil, 200},
		{"GET", "/reports/orders", nil, 200},
		{"GET", "/reports/orders?by=status", nil, 200},
		{"GET", "/reports/orders?by=product", nil, 200},
		{"GET", "/reports/orders?by=company", nil, 200},
		{"POST", "/users/1/keys", map[string]any{"note": "the tablet"}, 201},
		{"GET", "/users/1/keys", nil, 200},
		{"GET", "/access", nil, 200},
		{"GET", "/changes", nil, 200},
	} {
		var status int
		var body string
		if c.method == "GET" {
			status, body = r.get(h, c.address)
		} else {
			status, body = r.send(h, c.method, c.address, c.body)
		}
		if status != c.status {
			t.Errorf("%s %s is answered %d %s", c.method, c.address, status, body)
		}
	}
}
