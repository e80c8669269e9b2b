package pull_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/categories"
	"github.com/shopapi/shopapi/extensions/files"
	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store/memory"
)

// withLanguages opens a shop with the languages en and de.
func withLanguages(t *testing.T) *shop.Shop {
	t.Helper()
	sh := newShop(t, memory.New())
	if _, err := files.Import(t.Context(), strings.NewReader(`{"lang_code":"de","name":"Deutsch"}`), sh.API, "languages", nil); err != nil {
		t.Fatal(err)
	}
	return sh
}

// wholeIn are the whole objects of an entity as a shop shows them in a language.
func wholeIn(t *testing.T, sh *shop.Shop, entity, language string) string {
	t.Helper()
	var lines bytes.Buffer
	if err := files.Export(shopapi.WithLanguage(t.Context(), language), &lines, sh.API, entity, nil); err != nil {
		t.Fatal(err)
	}
	return lines.String()
}

// E7: whole exports of features and options have the texts of variants in every language, and an import
// into a new shop writes them: objects are the same in each language.
func TestE7_VariantsMoveWithTheirTexts(t *testing.T) {
	t.Parallel()
	old := withLanguages(t)
	german := shopapi.WithLanguage(t.Context(), "de")
	if _, err := old.Categories.Create(t.Context(), categories.Category{Summary: categories.Summary{Name: "Mugs", CompanyID: 1}}); err != nil {
		t.Fatal(err)
	}
	p := old.Products.Defaults(t.Context())
	p.Name, p.Code, p.CategoryIDs = "Mug", "MUG", []int64{1}
	if _, err := old.Products.Create(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		entity, language, row string
	}{
		{"features", "en", `{"description":"Color","feature_type":"S","variants":[{"variant":"Red","position":2},{"variant":"Blue","position":1},{"variant":"Beige"}]}`},
		{"features", "de", `{"feature_id":"1","description":"Farbe","variants":[{"variant_id":"1"},{"variant_id":"3","variant":"Rot","description":"Wie Klee"},{"variant_id":"2","variant":"Blau"}]}`},
		{"features", "de", `{"description":"Stoff","feature_type":"M","variants":[{"variant":"Ton"}]}`},
		{"features", "en", `{"description":"Text","feature_type":"T"}`},
		{"options", "en", `{"product_id":"1","option_name":"Size","option_type":"S","variants":[{"variant_name":"Small","modifier":"1"},{"variant_name":"Large"}]}`},
		{"options", "de", `{"option_id":"1","variants":[{"variant_id":"1","variant_name":"Klein"},{"variant_id":"2"}]}`},
		{"options", "en", `{"product_id":"1","option_name":"Note","option_type":"I"}`},
		{"products", "en", `{"product_id":"1","product_features":{"1":{"feature_type":"S","variant_id":"3"}}}`},
		{"products", "de", `{"product_id":"1","product":"Becher"}`},
	} {
		ctx := shopapi.WithLanguage(t.Context(), step.language)
		var problems []string
		report, err := files.Import(ctx, strings.NewReader(step.row), old.API, step.entity, &files.ImportOptions{Problem: func(p files.RowProblem) { problems = append(problems, fmt.Sprint(p)) }})
		if err != nil || report.Failed > 0 {
			t.Fatalf("%s: %v, %v", step.row, problems, err)
		}
	}
	if f, err := old.Features.Get(german, 1); err != nil || f.Variants[2].Name != "Rot" {
		t.Fatalf("%+v, %v", f.Variants, err)
	}
	sh := withLanguages(t)
	for _, entity := range []string{"categories", "features", "products", "options"} {
		want := exportLines(t, old, entity, "en", "de")
		if entity == "features" && !strings.Contains(want, `"variants@de":{"2":{"variant":"Blau"},"3":{"variant":"Rot","description":"Wie Klee"}}`) {
			t.Error(want)
		}
		if _, problems, err := importFile(t, sh, entity, want, files.ImportOptions{}); err != nil || len(problems) > 0 {
			t.Fatal(entity, problems, err)
		}
	}
	for _, entity := range []string{"features", "options", "products"} {
		if diff := gocmp.Diff(exportLines(t, old, entity, "en", "de"), exportLines(t, sh, entity, "en", "de")); diff != "" {
			t.Error(entity, diff)
		}
		for _, code := range []string{"en", "de"} {
			if diff := gocmp.Diff(wholeIn(t, old, entity, code), wholeIn(t, sh, entity, code)); diff != "" {
				t.Error(entity, code, diff)
			}
		}
	}
}
