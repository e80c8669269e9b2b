package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/shopapi/shopapi/mcp"
)

type userKey struct{}

// fake is an API that knows one user and repeats what it was asked.
func fake(t *testing.T) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, key, _ := r.BasicAuth()
		if key != "good" && r.Context().Value(userKey{}) == nil {
			w.Header().Set("WWW-Authenticate", "Basic")
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		switch {
		case r.URL.Path == "/api/2.0/version":
			w.WriteHeader(http.StatusNotFound)
		case strings.HasPrefix(r.URL.Path, "/api/2.0/orders/"):
			_, _ = io.WriteString(w, `{"order_id":"7","total":1.10,"payment_info":{"card":"4111"},"lines":[{"payment_info":[]}]}`)
		case r.URL.Query().Get("page") == "2":
			_, _ = io.WriteString(w, `"`+strings.Repeat("x", 102_400)+`"`)
		case r.URL.Query().Get("page") == "3":
			w.WriteHeader(http.StatusForbidden)
			_, _ = io.WriteString(w, `{"message":"Not for you.","status":403}`)
		case r.URL.Query().Get("page") == "4":
			panic("a mistake")
		default:
			body, err := io.ReadAll(r.Body)
			if err != nil {
				t.Error(err)
			}
			answer, err := json.Marshal(fmt.Sprintf("%s %s %s %s", r.Method, r.URL.RequestURI(), r.Header.Get("Idempotency-Key"), body))
			if err != nil {
				t.Error(err)
			}
			_, _ = w.Write(answer)
		}
	})
}

// credentials adds an Authorization header to requests.
type credentials struct{ key string }

func (c credentials) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.SetBasicAuth("staff@example.com", c.key)
	r.Header.Set("Mcp-Session-Id", "of-somebody-else")
	return http.DefaultTransport.RoundTrip(r)
}

// connect returns a session of the official client.
func connect(t *testing.T, handler http.Handler, key string) (*sdk.ClientSession, error) {
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &sdk.StreamableClientTransport{
		Endpoint: server.URL, HTTPClient: &http.Client{Transport: credentials{key}}, MaxRetries: -1,
	}, nil)
	if err == nil {
		t.Cleanup(func() { _ = session.Close() })
	}
	return session, err
}

// newHandler returns a handler over the small document.
func newHandler(t *testing.T, opts mcp.Options) *mcp.Handler {
	t.Helper()
	opts.Document = small
	handler, err := mcp.New(fake(t), opts)
	if err != nil {
		t.Fatal(err)
	}
	return handler
}

// toolNames are the names of the tools that a client is shown.
func toolNames(t *testing.T, opts mcp.Options) (names []string) {
	session, err := connect(t, newHandler(t, opts), "good")
	if err != nil {
		t.Fatal(err)
	}
	tools, err := session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range tools.Tools {
		names = append(names, tool.Name)
	}
	return names
}

func TestE9_Tools(t *testing.T) {
	for name, test := range map[string]struct {
		opts mcp.Options
		want []string
	}{
		"read only": {mcp.Options{}, []string{"get_order", "get_product", "get_status", "list_products", "list_statuses"}},
		"write": {mcp.Options{Write: true}, []string{"create_product", "get_order", "get_product", "get_status", "list_products", "list_statuses",
			"update_product"}},
		"delete": {mcp.Options{Delete: true}, []string{"delete_product", "get_order", "get_product", "get_status", "list_products", "list_statuses"}},
		"named": {mcp.Options{Write: true, Addresses: []string{"taxes", "products/options", "orders:issue_invoice"}}, []string{"create_product", "get_order",
			"get_product", "get_status", "issue_invoice_order", "list_product_options", "list_products", "list_statuses", "list_taxes", "update_product"}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := toolNames(t, test.opts); !slices.Equal(got, test.want) {
				t.Errorf("the tools are %q, want %q", got, test.want)
			}
		})
	}
}

func TestE9_OptionsRefused(t *testing.T) {
	for name, test := range map[string]struct {
		opts mcp.Options
		want string
	}{
		"no document":       {mcp.Options{}, "Document is missing"},
		"no JSON":           {mcp.Options{Document: json.RawMessage(`{`)}, "Document"},
		"no paths":          {mcp.Options{Document: json.RawMessage(`{}`)}, "no paths"},
		"unknown address":   {mcp.Options{Document: small, Addresses: []string{"gifts"}}, `"gifts"`},
		"one-time links":    {mcp.Options{Document: small, Addresses: []string{"auth"}, Write: true}, `"auth"`},
		"keys":              {mcp.Options{Document: small, Addresses: []string{"users/keys"}}, `"users/keys"`},
		"an origin is none": {mcp.Options{Document: small, TrustedOrigins: []string{"example"}}, "TrustedOrigins"},
		"capitals":          {mcp.Options{Document: small, TrustedOrigins: []string{"https://Admin.example.com"}}, `browsers send "https://admin.example.com"`},
		"a usual port":      {mcp.Options{Document: small, TrustedOrigins: []string{"https://admin.example.com:443"}}, `browsers send "https://admin.example.com"`},
		"all hosts":         {mcp.Options{Document: small, TrustedOrigins: []string{"https://*.example.com"}}, "without *"},
		"no ASCII":          {mcp.Options{Document: small, TrustedOrigins: []string{"https://müller.example"}}, "in ASCII"},
	} {
		if _, err := mcp.New(fake(t), test.opts); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: the error is %v, want one with %q", name, err, test.want)
		}
	}
}

func TestE9_SchemasAreSelfContained(t *testing.T) {
	session, err := connect(t, newHandler(t, mcp.Options{Write: true, Delete: true}), "good")
	if err != nil {
		t.Fatal(err)
	}
	for tool, err := range session.Tools(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		input := tool.InputSchema.(map[string]any)
		text, err := json.Marshal(input)
		if err != nil {
			t.Fatal(err)
		}
		for _, word := range []string{"$ref", "payment_info", "x-order", "odd name", "If-None-Match"} {
			if strings.Contains(string(text), word) {
				t.Errorf("the schema of %s has %s: %s", tool.Name, word, text)
			}
		}
		if input["type"] != "object" || input["anyOf"] != nil || input["oneOf"] != nil || input["allOf"] != nil {
			t.Errorf("the schema of %s is no plain object: %s", tool.Name, text)
		}
		if want := strings.HasPrefix(tool.Name, "list_") || strings.HasPrefix(tool.Name, "get_"); tool.Annotations.ReadOnlyHint != want {
			t.Errorf("%s has the hint of reading only %t, want %t", tool.Name, tool.Annotations.ReadOnlyHint, want)
		}
		if tool.Name == "create_product" {
			properties := input["properties"].(map[string]any)
			if properties["Idempotency-Key"] == nil || properties["parts"] == nil || !strings.Contains(string(text), `"required":["product"]`) {
				t.Errorf("create_product takes %s", text)
			}
		}
	}
}

func TestE9_Calls(t *testing.T) {
	session, err := connect(t, newHandler(t, mcp.Options{Write: true, Delete: true, Addresses: []string{"orders:issue_invoice"}}), "good")
	if err != nil {
		t.Fatal(err)
	}
	type args = map[string]any
	for _, test := range []struct {
		tool    string
		args    any
		want    string // in the text of the answer
		isError bool
	}{
		{"list_products", args{}, `"GET /api/2.0/products  "`, false},
		{"list_products", args{"page": 5, "ids": []int{1, 2}}, `"GET /api/2.0/products?ids=1%2C2\u0026page=5  "`, false},
		{"get_product", args{"product_id": "code:A/B"}, `"GET /api/2.0/products/code:A%2FB  "`, false},
		{"get_product", args{"product_id": 7}, `"GET /api/2.0/products/7  "`, false},
		{"create_product", args{"product": "Mug", "Idempotency-Key": "one"}, `POST /api/2.0/products one {\"product\":\"Mug\"}`, false},
		{"update_product", args{"product_id": "7", "price": 9.5}, `PUT /api/2.0/products/7  {\"price\":9.5}`, false},
		{"delete_product", args{"product_id": "7"}, `DELETE /api/2.0/products/7  `, false},
		{"get_order", args{"order_id": "7"}, `{"lines":[{}],"order_id":"7","total":1.10}`, false},
		{"list_products", args{"page": 2}, "fields", true},
		{"list_products", args{"page": 3}, "Not for you.", true},
		{"list_products", args{"page": 4}, "Internal Server Error", true},
		{"list_products", args{"page": args{}}, "page", true},
		{"list_products", args{"ids": []any{args{}}}, "ids", true},
		{"list_products", args{"pages": 2}, `no argument "pages"`, true},
		{"list_products", args{"odd name": 2}, `no argument "odd name"`, true},
		{"create_product", args{"product": "Mug", "Idempotency-Key": "one\n"}, "Idempotency-Key of create_product has to be a text of printable ASCII", true},
		{"create_product", args{"product": "Mug", "Idempotency-Key": "café"}, "Idempotency-Key", true},
		{"get_product", args{}, "product_id", true},
		{"get_product", args{"product_id": ".."}, "product_id", true},
		{"get_product", args{"product_id": nil}, "product_id", true},
		{"get_product", args{"product_id": "7", "If-None-Match": "*"}, "If-None-Match", true},
		{"update_product", args{"product_id": "7", "payment_info": args{}}, "payment_info", true},
	} {
		t.Run(fmt.Sprint(test.tool, test.args), func(t *testing.T) {
			result, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: test.tool, Arguments: test.args})
			if err != nil {
				t.Fatal(err)
			}
			if len(result.Content) != 1 || result.StructuredContent != nil {
				t.Fatalf("the answer has %d contents, and %v beside", len(result.Content), result.StructuredContent)
			}
			text := result.Content[0].(*sdk.TextContent).Text
			if !strings.Contains(text, test.want) || result.IsError != test.isError {
				t.Errorf("the answer is %.300s (error %t), want %s (error %t)", text, result.IsError, test.want, test.isError)
			}
		})
	}
	for _, name := range []string{"create_order", "delete_status", ""} {
		if result, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: name, Arguments: args{}}); err == nil {
			t.Errorf("the tool %q answers %v", name, result)
		}
	}
}

func TestE9_EveryPostNeedsCredentials(t *testing.T) {
	if _, err := connect(t, newHandler(t, mcp.Options{}), "wrong"); err == nil {
		t.Error("a client with wrong credentials is connected")
	}
	handler := newHandler(t, mcp.Options{TrustedOrigins: []string{"https://admin.example.com"}})
	for _, test := range []struct {
		name, method, body, key, origin string
		want                            int
	}{
		{"no credentials", http.MethodPost, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, "", "", http.StatusUnauthorized},
		{"no credentials and no protocol", http.MethodPost, `{`, "", "", http.StatusUnauthorized},
		{"credentials", http.MethodPost, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, "good", "", http.StatusOK},
		{"a page of another site", http.MethodPost, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, "good", "https://other.example", http.StatusForbidden},
		{"a page of a trusted site", http.MethodPost, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, "good", "https://admin.example.com", http.StatusOK},
		{"no protocol", http.MethodPost, `{`, "good", "", http.StatusBadRequest},
		{"GET", http.MethodGet, "", "good", "", http.StatusMethodNotAllowed},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := httptest.NewRequestWithContext(t.Context(), test.method, "/mcp", strings.NewReader(test.body))
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("Accept", "application/json, text/event-stream")
			r.Header.Set("Mcp-Session-Id", "of-somebody-else")
			if test.key != "" {
				r.SetBasicAuth("staff@example.com", test.key)
			}
			if test.origin != "" {
				r.Header.Set("Origin", test.origin)
			}
			w := httptest.NewRecorder()
			handler.ServeHTTP(w, r)
			if w.Code != test.want {
				t.Errorf("the answer is %d %s, want %d", w.Code, w.Body, test.want)
			}
			if test.want == http.StatusUnauthorized && w.Header().Get("WWW-Authenticate") == "" {
				t.Error("the answer 401 does not say how to sign in")
			}
		})
	}
}

// A host that knows its users by a session finds what its middleware put into the context.
func TestE9_CallsKeepTheContext(t *testing.T) {
	handler := newHandler(t, mcp.Options{})
	signedIn := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		handler.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), userKey{}, "staff")))
	})
	session, err := connect(t, signedIn, "")
	if err != nil {
		t.Fatal(err)
	}
	result, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "get_product", Arguments: map[string]any{"product_id": "7"}})
	if err != nil || result.IsError {
		t.Errorf("the answer is %v, %v", result, err)
	}
}
