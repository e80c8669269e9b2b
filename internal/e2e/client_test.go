package e2e

import (
	"context"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	_ "github.com/oapi-codegen/runtime" // what the generated client imports

	"github.com/shopapi/shopapi/apidoc"
	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/shop"
)

// newClientShop is a shop with a product for clients that are generated from its document.
func newClientShop(t *testing.T) *apitest.Shop {
	t.Helper()
	s := apitest.New(t, &shop.Options{Batch: true})
	s.Post("/api/2.0/categories", `{"category": "Cups"}`)
	s.Post("/api/2.0/products", `{"product": "Clay mug", "category_ids": [1], "price": "9.50", "product_code": "MUG-41"}`)
	return s
}

// environment gives a client the address and the login of the shop that a server serves.
func environment(s *apitest.Shop, server *httptest.Server) []string {
	return []string{"SHOP_URL=" + server.URL + "/api/2.0", "SHOP_EMAIL=" + s.Email, "SHOP_KEY=" + s.Key}
}

// TestClient generates a Go client from the document, compiles it, and has it list, create,
// change by ETag, and fail. The generator reads OpenAPI 3.0.
func TestClient(t *testing.T) {
	if os.Getenv("SHOPAPI_GO_CLIENT") == "" {
		t.Skip("to compile the generator and its client takes minutes: set SHOPAPI_GO_CLIENT=1")
	}
	t.Parallel()
	s := newClientShop(t)
	document, err := apidoc.JSON(t.Context(), s.API, &apidoc.Options{OpenAPI30: true, JSONOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write := func(name string, content []byte) {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	read := func(name string) []byte {
		content, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return content
	}
	write("openapi.json", document)
	write("main.go", read("testdata/client/main.go"))
	write("go.sum", read("go.sum"))
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	module := strings.NewReplacer("module github.com/shopapi/shopapi/internal/e2e", "module example.invalid/client", "=> ../../", "=> "+root+"/")
	write("go.mod", []byte(module.Replace(string(read("go.mod")))))
	write("shop/doc.go", []byte("package shop\n"))
	run(t, ".", nil, "go", "tool", "oapi-codegen", "-generate", "types,client", "-package", "shop", "-o", filepath.Join(dir, "shop", "client.gen.go"), filepath.Join(dir, "openapi.json"))

	server := httptest.NewServer(s.API)
	defer server.Close()
	got := run(t, dir, environment(s, server), "go", "run", "-mod=mod", ".")
	const want = "Clay mug costs 9.50\ncreated 2\n200 412\nThere is no product with the id \"77\".\n"
	if got != want {
		t.Errorf("the client prints %q, want %q", got, want)
	}
}

// run returns the output of a command, and ends the test if it fails.
func run(t *testing.T, dir string, environment []string, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), environment...)
	var problems strings.Builder
	cmd.Stderr = &problems
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %s: %v\n%.4000s", name, strings.Join(args, " "), err, problems.String())
	}
	return string(out)
}
