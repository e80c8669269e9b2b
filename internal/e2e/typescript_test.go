package e2e

import (
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/shopapi/shopapi/apidoc"
)

// TestTypeScriptClient generates a TypeScript client from the document with JSON alone,
// compiles it, and has it list, create, change by ETag and by code, send a batch, and fail.
// The types of the document of OpenAPI 3.0 compile, too.
func TestTypeScriptClient(t *testing.T) {
	t.Parallel()
	needsNode(t)
	s := newClientShop(t)
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata/typescript")); err != nil {
		t.Fatal(err)
	}
	for name, options := range map[string]*apidoc.Options{"openapi": {JSONOnly: true}, "openapi-3.0": {JSONOnly: true, OpenAPI30: true}} {
		document, err := apidoc.JSON(t.Context(), s.API, options)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name+".json"), document, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	run(t, dir, nil, "npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts")
	run(t, dir, nil, "npx", "openapi-typescript", "openapi.json", "-o", "shop.ts")
	run(t, dir, nil, "npx", "openapi-typescript", "openapi-3.0.json", "-o", "older.ts")
	run(t, dir, nil, "npx", "tsc", "--strict", "--skipLibCheck", "--noEmitOnError", "--target", "es2022", "--module", "esnext",
		"--moduleResolution", "bundler", "--rewriteRelativeImportExtensions", "--types", "node", "--outDir", "out", "client.ts", "older.ts")
	server := httptest.NewServer(s.API)
	defer server.Close()
	got := run(t, dir, environment(s, server), "node", "out/client.js")
	const want = `Clay mug costs 9.50
created 2
200 412
404 There is no product with the id "777777".
1 No object of products has the product_code "none".
201,200
`
	if got != want {
		t.Errorf("the client prints %q, want %q", got, want)
	}
}

// needsNode skips the test without Node.js, unless the environment requires it.
func needsNode(t *testing.T) {
	t.Helper()
	for _, program := range []string{"node", "npm", "npx"} {
		if _, err := exec.LookPath(program); err != nil {
			if os.Getenv("SHOPAPI_REQUIRE_CHROMIUM") != "" {
				t.Fatal(err)
			}
			t.Skipf("there is no Node.js on this machine: %v", err)
		}
	}
}
