package main

import (
	"context"
	"io"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/store/postgres/pgtest"
)

// A running example, started as the command would be.
type example struct {
	t      *testing.T
	stop   context.CancelFunc
	ended  chan error
	url    string
	output string // until it listened
}

var listens = regexp.MustCompile(`listens on (http://[0-9.:]+)\. Try:(?s)(.*curl -u){3}.*\n\n$`)

func start(t *testing.T, args ...string) *example {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	e := &example{t: t, stop: stop, ended: make(chan error, 1)}
	out, in := io.Pipe()
	go func() {
		err := run(ctx, append([]string{"-addr", "127.0.0.1:0"}, args...), in)
		in.Close()
		e.ended <- err
	}()
	buffer := make([]byte, 4096)
	for {
		n, err := out.Read(buffer)
		e.output += string(buffer[:n])
		if m := listens.FindStringSubmatch(e.output); m != nil {
			e.url = m[1]
			go io.Copy(io.Discard, out)
			return e
		}
		if err != nil {
			t.Fatalf("the example ended: %v\n%s", <-e.ended, e.output)
		}
	}
}

// get sends a GET and returns status and body.
func (e *example) get(address, email, key string) (int, string) {
	e.t.Helper()
	req, err := http.NewRequestWithContext(e.t.Context(), "GET", e.url+address, nil)
	if err != nil {
		e.t.Fatal(err)
	}
	req.SetBasicAuth(email, key)
	answer, err := http.DefaultClient.Do(req)
	if err != nil {
		e.t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		e.t.Fatal(err)
	}
	return answer.StatusCode, string(body)
}

func (e *example) end() {
	e.t.Helper()
	e.stop()
	select {
	case err := <-e.ended:
		if err != nil {
			e.t.Errorf("the example ended with %v", err)
		}
	case <-time.After(time.Minute):
		e.t.Fatal("the example did not end")
	}
}

var printedLogin = regexp.MustCompile(`curl -u '([^:']+):([^']+)' '(http://[^']+)'`)

func TestExample_PrintsRequestsThatWork(t *testing.T) {
	t.Parallel()
	db := filepath.Join(t.TempDir(), "shop.db")
	e := start(t, "-db", db, "-demo-orders", "100")
	lines := printedLogin.FindAllStringSubmatch(e.output, -1)
	if len(lines) != 5 {
		t.Fatalf("want five requests with credentials in:\n%s", e.output)
	}
	for _, l := range lines {
		if status, body := e.get(strings.TrimPrefix(l[3], e.url), l[1], l[2]); status != 200 || len(body) < 100 {
			t.Errorf("%s answered %d %s", l[3], status, body)
		}
	}
	e.end()

	again := start(t, "-db", db, "-demo-orders", "100")
	defer again.end()
	if strings.Contains(again.output, lines[0][2]) || strings.Contains(again.output, "was made") {
		t.Errorf("the second start prints the key again, or makes the demo again:\n%s", again.output)
	}
	if status, _ := again.get("/api/2.0/categories/1", lines[0][1], lines[0][2]); status != 200 {
		t.Errorf("the key of the first start is answered %d", status)
	}
}

func TestExample_DemoIsAWholeShop(t *testing.T) {
	const email, key = "owner@example.com", "a-key-of-some-length"
	e := start(t, "-db", "memory", "-admin", email+":"+key, "-dialect", "live", "-edition", "multi-vendor")
	defer e.end()
	for address, want := range map[string]string{
		"/api/categories":                         `"total_items":"71"`,
		"/api/products":                           `"total_items":"254"`,
		"/api/discussions":                        `"total_items":"500"`,
		"/api/orders":                             `"total_items":"5008"`,
		"/api/carts":                              `"total_items":"16"`,
		"/api/call_requests?status=no_answer":     `"total_items":"10"`,
		"/api/exceptions?product_id=18":           `"combination":{`,
		"/api/products/18/options":                `"variant_name":"Large"`,
		"/api/combinations?product_id=18":         `"product_code":"P-00001-S"`,
		"/api/users?user_type=V":                  `"vendor@example.com"`,
		"/api/usergroups":                         `"manage_call_requests"`,
		"/api/?version=True":                      `shopapi <b>4.3.5</b> multi-vendor`,
		"/api/products?sort_by=price&pcode=P-001": `"product_code":"P-001`,
	} {
		if status, body := e.get(address, email, key); status != 200 || !strings.Contains(body, want) {
			t.Errorf("%s answered %d, want %s in %.300s", address, status, want, body)
		}
	}
}

// TestExample_Banner: the live dialect returns the flag's brand, version and edition,
// and the documented one has no banner.
func TestExample_Banner(t *testing.T) {
	for dialect, want := range map[string]string{"live": "Kiln <b>4.18.2</b> Ultimate", "documented": ""} {
		e := start(t, "-db", "memory", "-demo=false", "-admin", "a@example.com:a-key-of-some-length", "-dialect", dialect, "-banner", "Kiln:4.18.2:Ultimate")
		status, body := e.get("/api/?version", "", "")
		if (status == 200) != (want != "") || want != "" && body != want {
			t.Errorf("%s: %d %s", dialect, status, body)
		}
		e.end()
	}
}

func TestExample_RefusesBadFlags(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"-dialect old", "-dialect must be documented or live"},
		{"-edition mall", "-edition must be single, multi-storefront or multi-vendor"},
		{"-admin nobody", "-admin must be EMAIL:KEY"},
		{"-admin a@example.com:short", "key"},
		{"-admin a@example.com:a-key-of-some-length -admin-file x", "not both"},
		{"-admin-file missing", "-admin-file: open missing"},
		{"-banner pottery", "-banner must be BRAND:VERSION:EDITION"},
		{"-banner pottery::single", "-banner must be BRAND:VERSION:EDITION"},
		{"-url ftp://shop.example.org", "the page of one-time links must be an http or https URL"},
		{"-demo-scale 0", "-demo-scale must be 1 or more"},
		{"serve", `unexpected argument "serve"`},
	} {
		err := run(t.Context(), append([]string{"-db", "memory", "-addr", "127.0.0.1:0"}, strings.Fields(c.args)...), io.Discard)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got error %v, want %q", c.args, err, c.want)
		}
	}
}

// Two processes over one PostgreSQL database are one shop.
func TestPostgreSQL(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DSN(t)
	const email, key = "root@example.com", "a-key-of-some-length-1"
	args := []string{"-db", dsn, "-demo=false", "-admin", email + ":" + key}
	one, two := start(t, args...), start(t, args...)
	defer one.end()
	defer two.end()
	created, err := http.NewRequestWithContext(t.Context(), "POST", one.url+"/api/2.0/categories", strings.NewReader(`{"category": "Cups"}`))
	if err != nil {
		t.Fatal(err)
	}
	created.Header.Set("Content-Type", "application/json")
	created.SetBasicAuth(email, key)
	answer, err := http.DefaultClient.Do(created)
	if err != nil || answer.StatusCode != 201 {
		t.Fatal(answer, err)
	}
	answer.Body.Close()
	for _, e := range []*example{one, two} {
		if status, body := e.get("/api/2.0/categories/1", email, key); status != 200 || !strings.Contains(body, `"category":"Cups"`) {
			t.Errorf("categories/1: %d %s", status, body)
		}
	}
}

func TestE10_ExampleHasManners(t *testing.T) {
	e := start(t, "-db", "memory", "-admin", "owner@example.com:a-key-of-some-length", "-demo-orders", "0", "-origin", "https://admin.example.com", "-rate", "2/60s")
	defer e.end()
	ask := func() *http.Response {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, e.url+"/api/products", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.SetBasicAuth("owner@example.com", "a-key-of-some-length")
		req.Header.Set("Accept-Encoding", "zstd")
		req.Header.Set("Origin", "https://admin.example.com")
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		return resp
	}
	resp := ask()
	for name, want := range map[string]string{
		"Content-Encoding": "zstd", "RateLimit-Policy": `"default";q=2;w=60`, "Access-Control-Allow-Origin": "https://admin.example.com",
	} {
		if got := resp.Header.Get(name); got != want {
			t.Errorf("the header %s is %q, want %q", name, got, want)
		}
	}
	ask()
	if resp := ask(); resp.StatusCode != http.StatusTooManyRequests {
		t.Errorf("the third request is answered %d", resp.StatusCode)
	}
}

func TestParse_RateAndOrigins(t *testing.T) {
	for _, args := range [][]string{{"-rate", "20"}, {"-rate", "20/3"}, {"-rate", "0/3s"}, {"-rate", "20/1500ms"}, {"-rate", "a/3s"}, {"-origin", "*"}, {"-origin", "example.com"}} {
		if _, err := parse(args); err == nil {
			t.Errorf("%q are accepted", args)
		}
	}
	s, err := parse([]string{"-rate", "20/3s", "-origin", "https://a.example", "-origin", "https://b.example"})
	if err != nil || s.rate != (shopapi.RateLimit{Requests: 20, Seconds: 3}) || len(s.origins) != 2 {
		t.Errorf("got %+v, %v", s, err)
	}
}
