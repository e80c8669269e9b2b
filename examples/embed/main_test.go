package main

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/shopapi/shopapi/store/memory"
)

func TestShopWithAPIMountedBesideItsPages(t *testing.T) {
	handler, err := newShop(t.Context(), memory.New(), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(handler)
	defer server.Close()

	const good = "correct-horse-battery"
	for _, c := range []struct {
		name, method, path, key, body string
		status                        int
		want                          string
	}{
		{"the shop's own page", "GET", "/", "", "", 200, "Clay mug: 7 in stock"},
		{"no credentials", "GET", "/admin/api/2.0/products", "", "", 401, "Authorization"},
		{"a wrong key", "GET", "/admin/api/2.0/products", "wrong", "", 401, "wrong"},
		{"the shop's own products", "GET", "/admin/api/2.0/products?items_per_page=1", good, "", 200, `{"products":[{"product_id":"1","product":"Clay mug","amount":"7"}],"params":{`},
		{"script form", "GET", "/admin/api.php?_d=products/2", good, "", 200, `"Soup bowl"`},
		{"bad input", "PUT", "/admin/api/products/2", good, `{"amount": -1}`, 400, `"errors":{"amount":`},
		{"a change", "PUT", "/admin/api/products/2", good, `{"amount": 12}`, 200, `{"product_id":"2"}`},
		{"the page follows", "GET", "/", "", "", 200, "Soup bowl: 12 in stock"},
		{"not a capability", "DELETE", "/admin/api/products/2", good, "", 405, "Allowed: GET, HEAD, PUT"},
		{"the library's categories", "GET", "/admin/api/2.0/categories/1", good, "", 200, `"category":"Tableware"`},
		{"not within the rights", "GET", "/admin/api/2.0/users", good, "", 404, "users"},
	} {
		t.Run(c.name, func(t *testing.T) {
			req, err := http.NewRequestWithContext(t.Context(), c.method, server.URL+c.path, strings.NewReader(c.body))
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Content-Type", "application/json")
			if c.key != "" {
				req.SetBasicAuth("Staff@example.com", c.key)
			}
			resp, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			body, err := io.ReadAll(resp.Body)
			if err != nil {
				t.Fatal(err)
			}
			if resp.StatusCode != c.status || !strings.Contains(string(body), c.want) {
				t.Errorf("got %d %s, want %d and %s", resp.StatusCode, body, c.status, c.want)
			}
		})
	}
}
