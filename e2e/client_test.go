package e2e

import (
	"context"
	"encoding/json"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	_ "github.com/oapi-codegen/runtime" // what the generated client imports

	"github.com/shopapi/shopapi/apidoc"
	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/shop"
)

// newClientShop is a shop with a product for clients that are generated from its document,
// which it returns.
func newClientShop(t *testing.T) (s *apitest.Shop, document []byte) {
	t.Helper()
	s = apitest.New(t, &shop.Options{Batch: true})
	s.Post("/api/2.0/categories", `{"category": "Cups"}`)
	s.Post("/api/2.0/products", `{"product": "Clay mug", "category_ids": [1], "price": "9.50", "product_code": "MUG-41"}`)
	document, err := json.Marshal(apidoc.Document(t.Context(), s.API, nil))
	if err != nil {
		t.Fatal(err)
	}
	return s, document
}

// environment gives a client the address and the login of the shop that a server serves.
func environment(s *apitest.Shop, server *httptest.Server) []string {
	return []string{"SHOP_URL=" + server.URL + "/api/2.0", "SHOP_EMAIL=" + s.Email, "SHOP_KEY=" + s.Key}
}

// TestClient generates a Go client from the document, compiles it, and has it list, create,
// change by ETag, and fail. The generator needs OpenAPI 3.0, so that the document is converted.
func TestClient(t *testing.T) {
	s, data := newClientShop(t)
	var document map[string]any
	if err := json.Unmarshal(data, &document); err != nil {
		t.Fatal(err)
	}
	older, err := json.Marshal(olderForm(document))
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
	write("openapi.json", older)
	write("main.go", read("testdata/client/main.go"))
	write("go.sum", read("go.sum"))
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	module := strings.NewReplacer("module github.com/shopapi/shopapi/e2e", "module example.invalid/client", "=> ../", "=> "+root+"/")
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

// olderForm converts a document of OpenAPI 3.1 to 3.0, in which a schema has one type
// and a separate keyword for null, and a reference has no other members.
func olderForm(document map[string]any) map[string]any {
	document["openapi"] = "3.0.3"
	return older(document).(map[string]any)
}

func older(v any) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = older(v[i])
		}
	case map[string]any:
		if v["$ref"] != nil {
			return map[string]any{"$ref": v["$ref"]}
		}
		if forms, ok := v["anyOf"].([]any); ok { // one of them is empty or null
			other := forms[slices.IndexFunc(forms, func(form any) bool { return !isEmptyList(form) })].(map[string]any)
			if len(forms) > 1 && (other["type"] == "object" || other["$ref"] != nil && slices.ContainsFunc(forms, isEmptyList)) {
				return map[string]any{} // an object or an empty array, which no Go type reads both
			}
			return older(other)
		}
		if parts, ok := v["allOf"].([]any); ok { // the second has the required members
			return older(parts[0])
		}
		for name := range v {
			v[name] = older(v[name])
		}
		olderType(v)
	}
	return v
}

// isEmptyList reports whether a schema is an empty list.
func isEmptyList(form any) bool { return form.(map[string]any)["maxItems"] != nil }

// olderType gives a schema one type.
func olderType(s map[string]any) {
	var types []any
	switch of := s["type"].(type) {
	case []any:
		types = of
	case string:
		types = []any{of}
	}
	if len(types) == 0 {
		return
	}
	if values, ok := s["enum"].([]any); ok {
		s["enum"] = slices.DeleteFunc(values, func(v any) bool { return v == nil })
	}
	for _, name := range []string{"minimum", "maximum"} { // of texts
		delete(s, name)
	}
	if slices.Contains(types, any("null")) {
		s["nullable"] = true
		types = slices.DeleteFunc(types, func(v any) bool { return v == "null" })
	}
	delete(s, "type")
	if len(types) > 0 {
		s["type"] = types[0]
	}
}
