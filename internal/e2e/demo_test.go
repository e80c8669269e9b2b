package e2e

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
)

// startDemo starts the example with its demo data, and returns its address and the key
// of a vendor's or storefront's administrator.
func startDemo(t *testing.T, edition string) (url, key string) {
	t.Helper()
	dir := t.TempDir()
	build := exec.CommandContext(t.Context(), "go", "build", "-C", filepath.Join("..", ".."), "-o", dir+"/", "./examples/shop", "./cmd/shopctl")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	db := filepath.Join(dir, "shop.db")
	demo := exec.CommandContext(t.Context(), filepath.Join(dir, "shop"), "-addr", "127.0.0.1:0", "-edition", edition, "-db", db)
	demo.Stderr = os.Stderr
	out, err := demo.StdoutPipe()
	if err == nil {
		err = demo.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = demo.Process.Signal(syscall.SIGTERM)
		_ = demo.Wait()
	})
	console := regexp.MustCompile(`The console: (http://[0-9.:]+)/console/`)
	for lines := bufio.NewScanner(out); url == "" && lines.Scan(); {
		if m := console.FindStringSubmatch(lines.Text()); m != nil {
			url = m[1]
		}
	}
	made, err := exec.CommandContext(t.Context(), filepath.Join(dir, "shopctl"), "keys", "create", "-edition", edition, "-db", db, officeEmail).Output()
	if err != nil || url == "" {
		t.Fatalf("the demo listens on %q, and a key: %v", url, err)
	}
	return url, strings.TrimSpace(string(made))
}

const officeEmail = "vendor@example.com"

// TestConsole_Demo: the administrators of the demo's vendor and of its storefront see
// only what the edition allows them.
func TestConsole_Demo(t *testing.T) {
	t.Parallel()
	const changes = "Duplicate,form,Add by address,Save,Back,Change options,Delete"
	chromium(t)
	for edition, pages := range map[string][]struct{ address, title, controls string }{
		"multi-vendor": {
			{"#/products", "Products", "New,quick edit"}, {"#/orders", "Orders", ""}, {"#/taxes", "Taxes", ""}, {"#/statuses", "Statuses", ""},
			{"#/payments", "Payment methods", ""}, {"#/features", "Features", "New"}, {"#/features/1", "", ""}, {"#/vendors", "Vendors", ""},
			{"#/vendors/2", "Kiln & Co", "form,Save,Back"}, {"#/master_products", "Master products", ""}, {"#/pages", "Pages", "New"},
		},
		"multi-storefront": {
			{"#/products", "Products", "New,quick edit"}, {"#/orders", "Orders", "New"}, {"#/taxes", "Taxes", ""}, {"#/statuses", "Statuses", ""},
			{"#/stores", "Stores", ""}, {"#/stores/2", "Kiln & Co", "form,Save,Back"}, {"#/pages", "Pages", "New"},
		},
	} {
		t.Run(edition, func(t *testing.T) {
			url, key := startDemo(t, edition)
			b := openURL(t, url, desk, tall)
			b.signIn(officeEmail, key)
			b.sees("nav a", "Products")
			for _, p := range pages {
				b.visit(p.address)
				if p.title != "" {
					b.sees("h1", p.title)
				}
				if got := b.controls(); got != p.controls {
					t.Errorf("%s shows %q, want %q", p.address, got, p.controls)
				}
			}
			b.click("nav a", "Products")
			b.click("th.label a", "Bread crock")
			b.sees("h1", "Bread crock")
			if got := b.controls(); got != changes {
				t.Errorf("an own product shows %q, want %q", got, changes)
			}
			if heard := b.heard(); len(heard) > 0 {
				t.Errorf("the browser complains: %q", heard)
			}
		})
	}
}
