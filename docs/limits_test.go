package docs_test

import (
	"fmt"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/carts"
	"github.com/shopapi/shopapi/extensions/changes"
	"github.com/shopapi/shopapi/extensions/console"
	"github.com/shopapi/shopapi/extensions/webhooks"
	"github.com/shopapi/shopapi/images"
	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store/postgres"
	"github.com/shopapi/shopapi/store/sqlite"
)

// TestEmbedding_NamesAllLimits: each field of Limits has a row with its name, and the rows of
// fixed limits have the numbers of the constants.
func TestEmbedding_NamesAllLimits(t *testing.T) {
	page, err := os.ReadFile("embedding.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(page), "\n## Limits\n")
	section, _, _ = strings.Cut(section, "\n## ")
	for field := range reflect.TypeFor[shopapi.Limits]().Fields() {
		if row := "| `Limits." + field.Name + "` |"; !strings.Contains(section, row) {
			t.Errorf("%q is missing", row)
		}
	}
	for _, want := range []string{
		fmt.Sprintf("%d lines with 512 KiB", carts.MaxLines), fmt.Sprintf("%d further images, of 64 KiB", images.MaxPairs),
		fmt.Sprintf("| an uploaded image | %d MiB; 1,000 images", images.MaxUpload>>20), fmt.Sprintf("of %d MiB together", images.MaxUnnamed>>20),
	} {
		if !strings.Contains(section, want) {
			t.Errorf("%q is missing", want)
		}
	}
}

// TestPages_NameAllOptions: some page names each option of a shop.
func TestPages_NameAllOptions(t *testing.T) {
	var text strings.Builder
	for path, page := range pages(t) {
		if path != "CHANGELOG.md" {
			text.WriteString(page)
		}
	}
	for _, options := range []reflect.Type{
		reflect.TypeFor[shopapi.Options](), reflect.TypeFor[shop.Options](), reflect.TypeFor[changes.Options](), reflect.TypeFor[webhooks.Options](),
		reflect.TypeFor[sqlite.Options](), reflect.TypeFor[postgres.Options](), reflect.TypeFor[console.Options](),
	} {
		for field := range options.Fields() {
			if !field.Anonymous && !regexp.MustCompile(`\b`+field.Name+`\b`).MatchString(text.String()) {
				t.Errorf("no page names the field %s of %s", field.Name, options)
			}
		}
	}
}
