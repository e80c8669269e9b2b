// Package mcp_test tries the tools of module mcp with the official client over a whole
// shop.
package mcp_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apidoc"
	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/mcp"
	"github.com/shopapi/shopapi/shop"
)

// newShop returns a shop with an order, and its tools.
func newShop(t *testing.T, opts mcp.Options, shopOpts *shop.Options) (*apitest.Shop, *httptest.Server) {
	t.Helper()
	s := apitest.New(t, shopOpts)
	s.Post("/api/2.0/categories", `{"category": "Cups"}`)
	s.Post("/api/2.0/products", `{"product": "Clay mug", "product_code": "MUG/1", "category_ids": [1], "price": "9.50", "amount": 10}`)
	s.Post("/api/2.0/payments", `{"payment": "Cash"}`)
	s.Post("/api/2.0/shippings", `{"shipping": "Post"}`)
	ann := s.Post("/api/2.0/users", `{"email": "ann@example.com", "user_type": "C", "password": "a-long-password"}`).Field("user_id")
	placed := s.Post("/api/2.0/orders", `{"user_id": `+ann+`, "payment_id": 1, "shipping_id": 1,
		"products": {"1": {"product_id": 1, "amount": 2}}}`)
	if placed.Status != http.StatusCreated {
		t.Fatalf("the order is not placed: %d %s", placed.Status, placed.Body)
	}
	opts.Document = apidoc.Document(t.Context(), s.API, nil)
	tools, err := mcp.New(s.API, opts)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(tools)
	t.Cleanup(server.Close)
	return s, server
}

// as adds the credentials of a user to requests.
type as struct{ *apitest.Client }

func (c as) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.SetBasicAuth(c.Email, c.Key)
	return http.DefaultTransport.RoundTrip(r)
}

func connect(t *testing.T, server *httptest.Server, user *apitest.Client) *sdk.ClientSession {
	t.Helper()
	client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &sdk.StreamableClientTransport{
		Endpoint: server.URL, HTTPClient: &http.Client{Transport: as{user}}, MaxRetries: -1,
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	return session
}

func call(t *testing.T, session *sdk.ClientSession, tool string, arguments map[string]any) (text string, isError bool) {
	t.Helper()
	result, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		t.Fatalf("%s: %v", tool, err)
	}
	return result.Content[0].(*sdk.TextContent).Text, result.IsError
}

// TestE9_MCP lists the tools, finds an order, changes a price, and is refused what its
// user may not do.
func TestE9_MCP(t *testing.T) {
	s, server := newShop(t, mcp.Options{Write: true, Delete: true, Addresses: []string{"products/options", "taxes"}}, nil)
	root := connect(t, server, s.Client)

	tools := map[string]bool{}
	for tool, err := range root.Tools(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		tools[tool.Name] = true
		schema, err := json.Marshal(tool.InputSchema)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(schema), "$ref") || strings.Contains(string(schema), "payment_info") {
			t.Errorf("the schema of %s is %s", tool.Name, schema)
		}
	}
	for _, name := range []string{"list_orders", "get_order", "update_product", "create_category", "delete_shipment", "get_status", "list_users",
		"list_taxes", "list_product_options"} {
		if !tools[name] {
			t.Errorf("there is no tool %s among %d", name, len(tools))
		}
	}

	orders, isError := call(t, root, "list_orders", map[string]any{"email": "ann@example.com", "items_per_page": 5})
	if isError || !strings.Contains(orders, `"order_id":"1"`) {
		t.Errorf("list_orders answers %s", orders)
	}
	order, isError := call(t, root, "get_order", map[string]any{"order_id": "1"})
	if isError || !strings.Contains(order, `"total":"19.00"`) || strings.Contains(order, "payment_info") {
		t.Errorf("get_order answers %s", order)
	}
	changed, isError := call(t, root, "update_product", map[string]any{"product_id": "1", "price": "12.00"})
	if isError || !strings.Contains(changed, `"product_id":"1"`) {
		t.Errorf("update_product answers %s", changed)
	}
	if price := s.Get("/api/2.0/products/1").Field("price"); price != "12.00" {
		t.Errorf("the price is %s", price)
	}
	wrong, isError := call(t, root, "update_product", map[string]any{"product_id": "1", "price": "cheap"})
	if !isError || !strings.Contains(wrong, "price") {
		t.Errorf("update_product with a wrong price answers %s", wrong)
	}
	for range 2 { // the second is the same request sent again
		made, isError := call(t, root, "create_category", map[string]any{"category": "Plates", "Idempotency-Key": "plates"})
		if isError || !strings.Contains(made, `"category_id":"2"`) {
			t.Errorf("create_category answers %s", made)
		}
	}

	clerk := connect(t, server, s.User("view_catalog"))
	if text, isError := call(t, clerk, "get_product", map[string]any{"product_id": "1"}); isError {
		t.Errorf("get_product answers %s", text)
	}
	for tool, privilege := range map[string]string{"list_orders": "view_orders", "list_users": "view_users"} {
		if text, isError := call(t, clerk, tool, nil); !isError || !strings.Contains(text, privilege) {
			t.Errorf("%s answers a user without %s: %s", tool, privilege, text)
		}
	}
	if text, isError := call(t, clerk, "update_product", map[string]any{"product_id": "1", "price": "1.00"}); !isError || !strings.Contains(text, "manage_catalog") {
		t.Errorf("update_product answers a user without manage_catalog: %s", text)
	}
}

// TestE9_Companies shows a vendor the orders of their company alone.
func TestE9_Companies(t *testing.T) {
	s, server := newShop(t, mcp.Options{}, multiVendor())
	vendor := connect(t, server, s.UserOf(2, "view_orders", "view_catalog"))
	if text, isError := call(t, vendor, "list_orders", nil); isError || strings.Contains(text, "order_id") {
		t.Errorf("list_orders answers another vendor: %s", text)
	}
	if text, isError := call(t, vendor, "get_order", map[string]any{"order_id": "1"}); !isError || !strings.Contains(text, "404") {
		t.Errorf("get_order answers another vendor: %s", text)
	}
}

// TestE9_AnswerTooLarge names the fields and filters that make an answer smaller.
func TestE9_AnswerTooLarge(t *testing.T) {
	s, server := newShop(t, mcp.Options{}, nil)
	s.Put("/api/2.0/products/1", `{"full_description": "`+strings.Repeat("Fired twice. ", 10_000)+`"}`)
	text, isError := call(t, connect(t, server, s.Client), "get_product", map[string]any{"product_id": "1"})
	if !isError || !strings.Contains(text, "fields") || !strings.Contains(text, "filters") {
		t.Errorf("get_product answers %.300s", text)
	}
}

func multiVendor() *shop.Options {
	o := &shop.Options{}
	o.Edition = shopapi.MultiVendor
	return o
}
