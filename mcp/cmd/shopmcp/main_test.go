package main

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestMain runs the program itself where a test starts it as a process.
func TestMain(m *testing.M) {
	if os.Getenv("SHOPMCP_RUN") != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

const document = `{"info": {"title": "A shop", "version": "2.0"}, "paths": {
	"/products/{product_id}": {
		"parameters": [{"name": "product_id", "in": "path", "required": true, "schema": {"type": "string"}}],
		"get": {"operationId": "products_get", "summary": "Read a product"}}}}`

// newShop returns a shop below a folder, which knows one key and repeats addresses.
func newShop(t *testing.T) *httptest.Server {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		email, key, _ := r.BasicAuth()
		switch {
		case r.URL.Path == "/docs/openapi.json":
			_, _ = io.WriteString(w, document)
		case email != "staff@example.com" || key != "good":
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = io.WriteString(w, `{"message":"The e-mail address or the API key is wrong."}`)
		default:
			_, _ = io.WriteString(w, `"`+r.URL.RequestURI()+`"`)
		}
	}))
	t.Cleanup(server.Close)
	return server
}

func keyFile(t *testing.T, key string) string {
	name := filepath.Join(t.TempDir(), "key.txt")
	if err := os.WriteFile(name, []byte(key+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func command(t *testing.T, args ...string) *exec.Cmd {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self, args...)
	cmd.Env = append(os.Environ(), "SHOPMCP_RUN=1")
	return cmd
}

func read(t *testing.T, transport sdk.Transport) {
	t.Helper()
	session, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), transport, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	result, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "get_product", Arguments: map[string]any{"product_id": "code:A/B"}})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := result.Content[0].(*sdk.TextContent).Text, `"/shop/api/2.0/products/code:A%2FB"`; got != want {
		t.Errorf("the API was asked for %s, want %s", got, want)
	}
}

func TestE9_Stdio(t *testing.T) {
	shop := newShop(t)
	read(t, &sdk.CommandTransport{Command: command(t, "-api", shop.URL+"/shop/api", "-email", "staff@example.com", "-key-file", keyFile(t, "good"))})
}

func TestE9_StdioWithWrongKey(t *testing.T) {
	shop := newShop(t)
	out, err := command(t, "-api", shop.URL+"/api", "-email", "staff@example.com", "-key-file", keyFile(t, "stale-key")).CombinedOutput()
	if err == nil || !strings.Contains(string(out), "401") || strings.Contains(string(out), "stale-key") {
		t.Errorf("it ends with %v and says %s", err, out)
	}
}

type withKey struct{}

func (withKey) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.SetBasicAuth("staff@example.com", "good")
	return http.DefaultTransport.RoundTrip(r)
}

func TestE9_Listen(t *testing.T) {
	shop := newShop(t)
	ctx, stop := context.WithCancel(t.Context())
	output, writer := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- run(ctx, []string{"-api", shop.URL + "/shop/api", "-listen", "127.0.0.1:0"}, writer)
	}()
	line := make([]byte, 256)
	n, err := output.Read(line)
	if err != nil {
		t.Fatal(err)
	}
	go func() { _, _ = io.Copy(io.Discard, output) }()
	address := strings.TrimSpace(strings.TrimPrefix(string(line[:n]), "shopmcp: "))
	resp, err := http.Post(address, "application/json", strings.NewReader(`{}`))
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusUnauthorized {
		t.Errorf("without credentials the answer is %d", resp.StatusCode)
	}
	read(t, &sdk.StreamableClientTransport{Endpoint: address, HTTPClient: &http.Client{Transport: withKey{}}, MaxRetries: -1})
	stop()
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(20 * time.Second):
		t.Error("it does not end")
	}
}

func TestE9_FlagsRefused(t *testing.T) {
	for args, want := range map[string]string{
		"":                                                                   "-api is missing",
		"-api https://shop.example/api":                                      "-email and -key-file",
		"-api https://shop.example/api -x":                                   "-x",
		"-api https://shop.example/api more":                                 `"more"`,
		"-api shop.example/api -listen :0":                                   "https://",
		"-api https://shop.example -listen :0":                               "end in /api",
		"-api https://a:b@shop.example/api -listen :0":                       "credentials",
		"-api https://shop.example/api -listen :0 -email a@b.c":              "-listen",
		"-api https://shop.example/api -listen :0 -key-file key":             "-listen",
		"-api https://shop.example/api -email a@b.c -key-file /none/":        "/none/",
		"-api https://shop.example/api -email a@b.c -key-file " + os.DevNull: "-key-file: " + os.DevNull + " has no key",
	} {
		err := run(t.Context(), strings.Fields(args), io.Discard)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("shopmcp %s: the error is %v, want one with %s", args, err, want)
		}
	}
}
