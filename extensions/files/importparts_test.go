package files_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/extensions/files"
)

// E7: variants@de sets the texts that variants have in German, and makes and deletes no variants. Texts
// that it lacks are removed. The variants of new objects are found by their names.
func TestE7_ImportTextsOfVariants(t *testing.T) {
	t.Parallel()
	sh := newShop(t)
	for _, step := range []struct {
		name, entity, file string
		want               string // variants in English and in German
		updated, problems  string
	}{
		{"new", "features", `{"description":"Color","feature_type":"S","variants":{"71":{"variant":"Red"},"70":{"variant":"Blue","position":"1"}},"variants@de":{"70":{"variant":"Blau"},"71":{"variant":"Rot"}}}`, "1 Red/Rot, 2 Blue/Blau", "created", ""},
		{"the same", "features", `{"feature_id":"1","variants@de":{"1":{"variant":"Rot"},"2":{"variant":"Blau"}}}`, "1 Red/Rot, 2 Blue/Blau", "unchanged", ""},
		{"a list", "features", `{"feature_id":"1","variants@de":[{"variant_id":2,"variant":"Himmelblau","position":7}]}`, "1 Red/Red, 2 Blue/Himmelblau", "updated", ""},
		{"with variants", "features", `{"feature_id":"1","variants":[{"variant_id":"1"},{"variant_id":"2","variant":"Azure"},{"variant":"Beige","position":3}],"variants@en":{"2":{"variant":"Navy"}},"variants@de":{"1":{"variant":"Rot"}}}`, "1 Red/Rot, 2 Navy/Navy, 3 Beige/Beige", "updated", ""},
		{"none", "features", `{"feature_id":"1","variants@de":null}`, "1 Red/Red, 2 Navy/Navy, 3 Beige/Beige", "updated", ""},
		{"a table", "features", "feature_id,variants@de\n1,\"{\"\"1\"\":{\"\"variant\"\":\"\"Rot\"\"}}\"\n", "1 Red/Rot, 2 Navy/Navy, 3 Beige/Beige", "updated", ""},
		{"unknown", "features", `{"feature_id":"1","variants@de":{"9":{"variant":"Rot"}}}`, "1 Red/Rot, 2 Navy/Navy, 3 Beige/Beige", "failed", "variants@de: [9]: must be the id of one that the object has in variants"},
		{"no text", "features", `{"feature_id":"1","variants@de":{"1":{"variant":{}}}}`, "1 Red/Rot, 2 Navy/Navy, 3 Beige/Beige", "failed", "variants@de: [1]: variant must be a text"},
		{"no object", "features", `{"feature_id":"1","variants@de":"Rot"}`, "1 Red/Rot, 2 Navy/Navy, 3 Beige/Beige", "failed", `variants@de: must be an object of texts by the ids of variants, such as {"7": {"variant": "…"}}`},
		{"too long", "features", `{"feature_id":"1","variants@de":{"1":{"variant":"` + strings.Repeat("x", 300) + `"}}}`, "1 Red/Rot, 2 Navy/Navy, 3 Beige/Beige", "failed", "variants@de: [1]: variant must have at most 255 characters, not 300"},
		{"options", "options", `{"product_id":"1","option_name":"Size","option_type":"S","variants":[{"variant_name":"Small"},{"variant_name":"Large"}]}`, "1 Small/Small, 2 Large/Large", "created", ""},
		{"of options", "options", `{"option_id":"1","variants@de":{"1":{"variant_name":"Klein"}}}`, "1 Small/Klein, 2 Large/Large", "updated", ""},
	} {
		report, problems, err := importText(t, sh, step.entity, step.file, files.ImportOptions{CSV: step.file[0] != '{'})
		outcome := map[string]int64{"created": report.Created, "updated": report.Updated, "unchanged": report.Unchanged, "failed": report.Failed}[step.updated]
		if _, problems, _ = strings.Cut(strings.TrimSpace(problems), " "); err != nil || problems != step.problems || outcome != 1 {
			t.Errorf("%s: %+v, %s, %v", step.name, report, problems, err)
		}
		var shown []string
		german := shopapi.WithLanguage(t.Context(), "de")
		if step.entity == "features" {
			in, err := sh.Features.Get(t.Context(), 1)
			de, _ := sh.Features.Get(german, 1)
			for i, v := range in.Variants {
				shown = append(shown, fmt.Sprintf("%d %s/%s", v.VariantID, v.Name, de.Variants[i].Name))
			}
			if err != nil {
				t.Fatal(err)
			}
		} else {
			in, err := sh.Options.Get(t.Context(), 1)
			de, _ := sh.Options.Get(german, 1)
			for i, v := range in.Variants {
				shown = append(shown, fmt.Sprintf("%d %s/%s", v.VariantID, v.Name, de.Variants[i].Name))
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if diff := cmp.Diff(step.want, strings.Join(shown, ", ")); diff != "" {
			t.Errorf("%s: %s", step.name, diff)
		}
	}
}
