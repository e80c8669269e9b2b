package main

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/shopapi/shopapi/store/memory"
)

const goodKey = "correct-horse-battery"

// A log is the log of the shop by lines.
type log struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func newTestShop(t *testing.T) (*shop, *log) {
	t.Helper()
	written := &log{}
	s, err := newShop(t.Context(), memory.New(), slog.New(slog.NewTextHandler(written, nil)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.api.Shutdown(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return s, written
}

// ask sends a request with a JSON body and returns status and body.
func ask(t *testing.T, method, url, key, body string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	if key != "" {
		req.SetBasicAuth("Staff@example.com", key)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(answer)
}

func TestShopWithAPIMountedBesideItsPages(t *testing.T) {
	s, _ := newTestShop(t)
	server := httptest.NewServer(s)
	defer server.Close()
	for _, c := range []struct {
		name, method, path, key, body string
		status                        int
		want                          string
	}{
		{"the shop's own page", "GET", "/", "", "", 200, "Clay mug: 7 in stock"},
		{"no credentials", "GET", "/admin/api/2.0/products", "", "", 401, "Authorization"},
		{"a wrong key", "GET", "/admin/api/2.0/products", "wrong", "", 401, "wrong"},
		{"products", "GET", "/admin/api/2.0/products?items_per_page=1", goodKey, "", 200, `{"products":[{"product_id":"1","product":"Clay mug"`},
		{"script form", "GET", "/admin/api.php?_d=products/2", goodKey, "", 200, `"Soup bowl"`},
		{"bad input", "PUT", "/admin/api/products/2", goodKey, `{"amount": "x"}`, 400, `"errors":{"amount":`},
		{"a change", "PUT", "/admin/api/products/2", goodKey, `{"amount": 12}`, 200, `{"product_id":"2"}`},
		{"the page follows", "GET", "/", "", "", 200, "Soup bowl: 12 in stock"},
		{"not this privilege", "GET", "/admin/api/categories/1/discussions", goodKey, "", 404, "no entity"},
		{"a supplier of the host's", "POST", "/admin/api/suppliers", goodKey, `{"supplier": "Ådal clay", "code_prefix": "CLAY-"}`, 201, `{"supplier_id":"1"}`},
		{"its rules", "POST", "/admin/api/suppliers", goodKey, `{"supplier": "Bo"}`, 400, `"errors":{"code_prefix":`},
		{"its filter", "GET", "/admin/api/suppliers?supplier=%C3%A5dal", goodKey, "", 200, `"total_items":"1"`},
		{"products under a supplier", "GET", "/admin/api/suppliers/1/products", goodKey, "", 200, `"total_items":"1"`},
		{"one that is its own", "GET", "/admin/api/suppliers/1/products/1", goodKey, "", 200, "Clay mug"},
		{"one that is not", "GET", "/admin/api/suppliers/1/products/2", goodKey, "", 404, "no product"},
		{"a supplier that is not there", "GET", "/admin/api/suppliers/9/products", goodKey, "", 404, "no supplier"},
	} {
		t.Run(c.name, func(t *testing.T) {
			status, body := ask(t, c.method, server.URL+c.path, c.key, c.body)
			if status != c.status || !strings.Contains(body, c.want) {
				t.Errorf("got %d %s, want %d and %s", status, body, c.status, c.want)
			}
		})
	}
}

// The hook writes a row of the host in the transaction of a change, over HTTP and from
// Go, and the host's own entity shows it below the product.
func TestPriceChangesAreWrittenWithTheChange(t *testing.T) {
	s, _ := newTestShop(t)
	server := httptest.NewServer(s)
	defer server.Close()
	const changes = "/admin/api/products/1/price_changes"
	ask(t, "PUT", server.URL+"/admin/api/products/1", goodKey, `{"price": 14}`)
	ask(t, "PUT", server.URL+"/admin/api/products/1", goodKey, `{"price": 14, "amount": 3}`)
	ask(t, "PUT", server.URL+"/admin/api/products/1", goodKey, `{"price": 15, "amount": "x"}`)
	if _, body := ask(t, "GET", server.URL+changes, goodKey, ""); !strings.Contains(body, `"total_items":"1"`) ||
		!strings.Contains(body, `"user_id":"1","from":"12.50","to":"14.00"`) {
		t.Errorf("after one change and a refused one the price changes are %s", body)
	}
	if status, body := ask(t, "GET", server.URL+"/admin/api/products/2/price_changes/1", goodKey, ""); status != 404 {
		t.Errorf("under another product: %d %s, want 404", status, body)
	}
	if status, body := ask(t, "POST", server.URL+changes, goodKey, `{"from": 1}`); status != 405 {
		t.Errorf("POST: %d %s, want 405", status, body)
	}
	if err := s.products.Delete(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	if _, body := ask(t, "GET", server.URL+"/admin/api/price_changes", goodKey, ""); !strings.Contains(body, `"total_items":"0"`) {
		t.Errorf("after the product went the price changes are %s", body)
	}
}

// Each request writes a line with its address and its result.
func TestALineForEachRequest(t *testing.T) {
	const wrongKey = "AAAAAAAAAAAAAAAA"
	s, written := newTestShop(t)
	server := httptest.NewServer(s)
	defer server.Close()
	ask(t, "GET", server.URL+"/admin/api.php?_d=products/1/price_changes", goodKey, "")
	ask(t, "DELETE", server.URL+"/admin/api/products/77", goodKey, "")
	ask(t, "GET", server.URL+"/admin/api/products", wrongKey, "")
	server.Close() // waits until all requests have ended and their lines are written
	for _, want := range []string{
		"entity=price_changes operation=list parents=[products] user=1 status=200",
		"entity=products operation=delete parents=[] user=1 status=404",
		`entity="" operation="" parents=[] user=0 status=401`,
	} {
		if !strings.Contains(written.String(), want) {
			t.Errorf("no line %s in\n%s", want, written)
		}
	}
	if strings.Contains(written.String(), wrongKey) || strings.Contains(written.String(), goodKey) {
		t.Errorf("a key is in the log:\n%s", written)
	}
}

// A request in flight when the program gets the signal to stop is completed.
func TestStopFinishesRunningRequests(t *testing.T) {
	s, _ := newTestShop(t)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	stopped := make(chan error, 1)
	go func() { stopped <- s.serve(ctx, listener) }()

	body, write := io.Pipe()
	req, err := http.NewRequestWithContext(t.Context(), "POST", "http://"+listener.Addr().String()+"/admin/api/suppliers", body)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.SetBasicAuth("staff@example.com", goodKey)
	type answer struct {
		status int
		err    error
	}
	answered := make(chan answer, 1)
	go func() {
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			answered <- answer{0, err}
			return
		}
		resp.Body.Close()
		answered <- answer{resp.StatusCode, nil}
	}()
	// The pipe has taken the first half, so it has been sent; then the signal comes.
	if _, err := io.WriteString(write, `{"supplier": "Bo", `); err != nil {
		t.Fatal(err)
	}
	for { // until the handler has the request
		resp, err := http.Get("http://" + listener.Addr().String() + "/")
		if err == nil {
			resp.Body.Close()
			break
		}
	}
	stop()
	if _, err := io.WriteString(write, `"code_prefix": "B-"}`); err != nil {
		t.Fatal(err)
	}
	write.Close()
	if got := <-answered; got.err != nil || got.status != 201 {
		t.Errorf("the request in flight got %d, %v; want 201", got.status, got.err)
	}
	if err := <-stopped; err != nil {
		t.Errorf("serve returned %v", err)
	}
}
