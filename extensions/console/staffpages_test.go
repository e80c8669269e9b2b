package console_test

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/shopapi/shopapi/apidoc"
	"github.com/shopapi/shopapi/apitest"
)

// TestE12_StaffPagesHaveTheirFields: each entity that has a page of its own is in the document of a
// whole shop with all fields without which the page is not shown. A renamed field would show the
// general page in its place.
func TestE12_StaffPagesHaveTheirFields(t *testing.T) {
	content, err := os.ReadFile("assets/staff/pages.js")
	if err != nil {
		t.Fatal(err)
	}
	_, list, found := strings.Cut(string(content), "const needed = {")
	list, _, ended := strings.Cut(list, "};")
	if !found || !ended {
		t.Fatal("pages.js has no list needed")
	}
	text, err := apidoc.JSON(t.Context(), apitest.New(t, nil).API, nil)
	if err != nil {
		t.Fatal(err)
	}
	var d document
	if err := json.Unmarshal(text, &d.root); err != nil {
		t.Fatal(err)
	}
	entities := regexp.MustCompile(`(\w+): \[([^\]]*)\]`).FindAllStringSubmatch(list, -1)
	if len(entities) < 3 {
		t.Fatalf("%s has %d entities", list, len(entities))
	}
	for _, e := range entities {
		fields := d.fieldsOf(e[1])
		if len(fields) == 0 {
			t.Errorf("the document does not describe an object of %s", e[1])
		}
		for _, m := range regexp.MustCompile(`"(\w+)"`).FindAllStringSubmatch(e[2], -1) {
			if !fields[m[1]] {
				t.Errorf("the page of %s needs %s, which its objects do not have", e[1], m[1])
			}
		}
	}
}

// A document is an OpenAPI document.
type document struct{ root map[string]any }

// at returns the value at a path of names, nil for none. It follows references.
func (d *document) at(v any, path ...string) any {
	for _, name := range append(path, "") {
		m, _ := v.(map[string]any)
		if ref, ok := m["$ref"].(string); ok {
			v = d.at(d.root, strings.Split(strings.TrimPrefix(ref, "#/"), "/")...)
			m, _ = v.(map[string]any)
		}
		if name != "" {
			v = m[name]
		}
	}
	return v
}

// fieldsOf returns the fields that GET of an object of an entity answers.
func (d *document) fieldsOf(entity string) map[string]bool {
	fields := map[string]bool{}
	paths, _ := d.root["paths"].(map[string]any)
	for path, item := range paths {
		if name, id, ok := strings.Cut(strings.TrimPrefix(path, "/"), "/"); ok && name == entity && strings.HasPrefix(id, "{") && !strings.Contains(id, "/") {
			d.collect(d.at(item, "get", "responses", "200", "content", "application/json", "schema"), fields)
		}
	}
	return fields
}

// collect adds the properties of a schema, also of the schemas that it joins.
func (d *document) collect(schema any, fields map[string]bool) {
	schema = d.at(schema)
	properties, _ := d.at(schema, "properties").(map[string]any)
	for name := range properties {
		fields[name] = true
	}
	all, _ := d.at(schema, "allOf").([]any)
	for _, part := range all {
		d.collect(part, fields)
	}
}
