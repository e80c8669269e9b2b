package categories_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi"
)

// TestCategories_ListItemFields compares a list whole: exactly the specification's
// fields, every number a string (decisions §4).
func TestCategories_ListItemFields(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		sameJSON(t, s.Call(200, "GET", "/api/2.0/categories", ""), `[]`)
		tableware := s.add(`{"category": "Tableware"}`)
		s.add(fmt.Sprintf(`{"category": "Cups", "parent_id": %d, "status": "H", "position": 5}`, tableware))
		sameJSON(t, s.Call(200, "GET", "/api/2.0/categories", ""), `[
			{"category_id": "1", "parent_id": "0", "id_path": "1", "category": "Tableware", "position": "10",
			 "status": "A", "product_count": "0", "company_id": "1", "updated_at": "1700000000"},
			{"category_id": "2", "parent_id": "1", "id_path": "1/2", "category": "Cups", "position": "5",
			 "status": "H", "product_count": "0", "company_id": "1", "updated_at": "1700000000"}
		]`)
	})
}

// TestCategories_DetailDefaults compares a whole category that was created with only a
// name (specification, categories; decisions §7).
func TestCategories_DetailDefaults(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		s.add(`{"category": "Cups"}`)
		sameJSON(t, s.Call(200, "GET", "/api/2.0/categories/1", ""), `{
			"category_id": "1", "parent_id": "0", "id_path": "1", "category": "Cups", "position": "10",
			"status": "A", "product_count": "0", "company_id": "1", "updated_at": "1700000000",
			"usergroup_ids": "0", "timestamp": "1700000000", "is_op": "N", "localization": "",
			"age_verification": "N", "age_limit": "0", "parent_age_verification": "N", "parent_age_limit": "0",
			"selected_views": [], "default_view": "default", "product_details_view": "default",
			"product_columns": "1", "lang_code": "en", "description": "", "meta_keywords": "",
			"meta_description": "", "page_title": "", "age_warning_message": "", "main_pair": []
		}`)
	})
}

// everyField is the members of a payload that sets every writable field, in the form
// that is read.
const everyField = `"category": "Cups & <b>mugs</b>", "position": "7", "status": "D",
	"usergroup_ids": "1,2", "timestamp": "1600000000", "is_op": "Y", "localization": "L",
	"age_verification": "Y", "age_limit": "18", "parent_age_verification": "Y", "parent_age_limit": "21",
	"selected_views": {"1": "list", "2": ["x", 3, null]}, "default_view": "grid", "product_details_view": "big",
	"product_columns": "4", "lang_code": "en", "description": "<p class=\"a\">🍵 &amp; 茶\r\n\t</p>",
	"meta_keywords": "k", "meta_description": "d", "page_title": "t", "age_warning_message": "w",
	"main_pair": ` + everyPair

const everyPair = `{"detailed": {"image_path": "http://example.com/a.png?x=1&y=2", "image_x": 100}}`

var everyFieldAnswer = `{"category_id": "1", "parent_id": "0", "id_path": "1", "product_count": "0", "company_id": "1", "updated_at": "1700000000", ` +
	strings.Replace(everyField, everyPair, `{"pair_id": "1", "image_id": "0", "detailed_id": "1", "position": "0", "object_id": "1", "object_type": "category",
		"detailed": {"object_id": "1", "object_type": "category", "type": "M", "image_path": "http://example.com/a.png?x=1&y=2", "alt": "",
			"image_x": "100", "image_y": "0", "http_image_path": "http://example.com/a.png?x=1&y=2",
			"https_image_path": "https://example.com/a.png?x=1&y=2", "absolute_path": "", "relative_path": "", "is_high_res": false}}`, 1) + `}`

// TestCategories_EveryFieldRoundTrip writes every writable field, on POST and on
// PUT, and reads the same values.
func TestCategories_EveryFieldRoundTrip(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		s.add(`{` + everyField + `}`)
		sameJSON(t, s.Call(200, "GET", "/api/2.0/categories/1", ""), everyFieldAnswer)
		other := s.add(`{"category": "x"}`)
		sameJSON(t, s.put(200, other, `{`+everyField+`}`), `{"category_id": "2"}`)
		sameJSON(t, s.Call(200, "GET", at(other), ""), strings.NewReplacer(
			`"category_id": "1"`, `"category_id": "2"`, `"id_path": "1"`, `"id_path": "2"`, `"object_id": "1"`, `"object_id": "2"`,
			`"pair_id": "1"`, `"pair_id": "2"`, `"detailed_id": "1"`, `"detailed_id": "3"`).Replace(everyFieldAnswer))
	})
}

// TestCategories_ReadOnlyFieldsIgnored sends fields that no request sets (decisions §4).
func TestCategories_ReadOnlyFieldsIgnored(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		const readOnly = `"category_id": "77", "id_path": "5/77", "product_count": "9", "tree_order": "z", "unknown": {"a": 1}`
		id := s.add(`{"category": "Cups", ` + readOnly + `}`)
		before := s.dump()
		if c := before[0]; id != 1 || c.IDPath != "1" || c.ProductCount != 0 {
			t.Errorf("created %+v", c.Summary)
		}
		sameJSON(t, s.put(200, id, `{`+readOnly+`}`), `{"category_id": "1"}`)
		s.wantDump(before)
	})
}

// TestCategories_PutOfUnknownFieldsChangesNothing, as a published client does (decisions
// §4).
func TestCategories_PutOfUnknownFieldsChangesNothing(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		id := s.add(`{` + everyField + `}`)
		before := s.dump()
		s.put(200, id, `{"amount": 5, "seo_name": "cups"}`)
		s.put(200, id, `amount=5&seo_name=cups`)
		s.wantDump(before)
	})
}

// TestCategories_PartialPutKeepsTheRest changes one field at a time.
func TestCategories_PartialPutKeepsTheRest(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		id := s.add(`{` + everyField + `}`)
		want := s.Object(at(id))
		var all map[string]json.RawMessage
		decode(t, `{`+everyField+`}`, &all)
		for field, change := range map[string]struct{ payload, reads string }{
			"category":       {`"Mugs"`, `"Mugs"`},
			"status":         {`"H"`, `"H"`},
			"position":       {`3`, `"3"`},
			"usergroup_ids":  {`[3, "4"]`, `"3,4"`},
			"is_op":          {`false`, `"N"`},
			"timestamp":      {`0`, `"0"`},
			"selected_views": {`["a", "b"]`, `["a", "b"]`},
			"main_pair":      {`[]`, `[]`},
			"description":    {`""`, `""`},
			"meta_keywords":  {`null`, `""`},
		} {
			s.put(200, id, fmt.Sprintf(`{%q: %s}`, field, change.payload))
			var value any
			decode(t, change.reads, &value)
			want[field] = value
			if diff := cmp.Diff(want, s.Object(at(id))); diff != "" {
				t.Errorf("after a change of %s (-want +got):\n%s", field, diff)
			}
		}
	})
}

// TestCategories_PayloadsOfOldClients are unusual, and valid (decisions §4).
func TestCategories_PayloadsOfOldClients(t *testing.T) {
	for _, c := range []struct{ name, body, field, reads string }{
		{"company 0 as a number", `{"category": "C", "company_id": 0}`, "company_id", `"1"`},
		{"company null", `{"category": "C", "company_id": null}`, "company_id", `"1"`},
		{"user groups as an array", `{"category": "C", "usergroup_ids": [1, "2"]}`, "usergroup_ids", `"1,2"`},
		{"user groups as a number", `{"category": "C", "usergroup_ids": 5}`, "usergroup_ids", `"5"`},
		{"no user groups", `{"category": "C", "usergroup_ids": []}`, "usergroup_ids", `"0"`},
		{"user groups in a form", `category=C&usergroup_ids[]=1&usergroup_ids[]=2`, "usergroup_ids", `"1,2"`},
		{"user groups as text in a form", `category=C&usergroup_ids=1,2`, "usergroup_ids", `"1,2"`},
		{"views as an array", `{"category": "C", "selected_views": ["a", "b"]}`, "selected_views", `["a", "b"]`},
		{"views as text", `{"category": "C", "selected_views": "a:1:{}"}`, "selected_views", `"a:1:{}"`},
		{"views empty", `{"category": "C", "selected_views": ""}`, "selected_views", `[]`},
		{"views null", `{"category": "C", "selected_views": null}`, "selected_views", `[]`},
		{"views in a form", `category=C&selected_views[]=a&selected_views[]=b`, "selected_views", `["a", "b"]`},
		{"views empty in a form", `category=C&selected_views=`, "selected_views", `[]`},
		{"image in a form", `category=C&main_pair[icon][relative_path]=a%26b.png`, "main_pair", `{
			"pair_id": "1", "image_id": "2", "detailed_id": "0", "position": "0", "object_id": "1", "object_type": "category",
			"icon": {"object_id": "1", "object_type": "category", "type": "M", "image_path": "a&b.png", "alt": "", "image_x": "0", "image_y": "0",
				"http_image_path": "", "https_image_path": "", "absolute_path": "", "relative_path": "a&b.png", "is_high_res": false}}`},
		{"a form", `category=Caf%C3%A9+%26+T%C3%A9&status=D&position=4`, "category", `"Café & Té"`},
		{"numbers in a form", `category=C&age_limit=18`, "age_limit", `"18"`},
		{"a flag as a boolean", `{"category": "C", "is_op": true}`, "is_op", `"Y"`},
		{"a number as the name", `{"category": 2024}`, "category", `"2024"`},
		{"position 0", `{"category": "C", "position": 0}`, "position", `"0"`},
		{"parent 0 as text", `{"category": "C", "parent_id": "0"}`, "parent_id", `"0"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
				got, err := json.Marshal(s.Object(at(s.add(c.body)))[c.field])
				if err != nil {
					t.Fatal(err)
				}
				sameJSON(t, string(got), c.reads)
			})
		})
	}
}

// TestCategories_TextsKeptExactly writes texts that a careless program would
// change.
func TestCategories_TextsKeptExactly(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		for _, text := range []string{
			`<a href="x?a=1&b=2">'"\</a><script>`, "👩‍👩‍👧‍👦🏳️‍🌈 \u2028\u2029\u00a0", " \t lines\r\n\r and spaces ", "%_\\'; DROP TABLE categories;--",
			"e\u0301 is not é", "\ufeffBOM", "\U0010ffff", strings.Repeat("жж🍵", 8192),
		} {
			name := string([]rune("C" + text)[:min(255, 1+utf8.RuneCountInString(text))])
			body, err := json.Marshal(map[string]string{"category": name, "description": text})
			if err != nil {
				t.Fatal(err)
			}
			got := s.Object(at(s.add(string(body))))
			if got["category"] != name || got["description"] != text {
				t.Errorf("%.40q came back as %.40q", text, got["description"])
			}
		}
	})
}

// TestCategories_BadFieldsNamed sends values that do not fit (decisions §5): each
// is a 400 that names the field, on POST and on PUT, and changes nothing.
func TestCategories_BadFieldsNamed(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		id := s.add(`{"category": "Cups"}`)
		for _, c := range []struct{ field, value string }{
			{"category", `""`}, {"category", `"  "`}, {"category", `null`}, {"category", `["a"]`},
			{"status", `"X"`}, {"status", `"a"`}, {"status", `""`}, {"status", `true`},
			{"parent_id", `-1`}, {"parent_id", `99`}, {"parent_id", `"x"`}, {"parent_id", `1.5`},
			{"position", `-1`}, {"position", `2147483648`}, {"position", `-9223372036854775808`}, {"position", `1e30`},
			{"timestamp", `-1`}, {"timestamp", `"yesterday"`},
			{"is_op", `"maybe"`}, {"age_verification", `2`}, {"age_limit", `-1`}, {"parent_age_limit", `"old"`},
			{"product_columns", `-1`}, {"usergroup_ids", `"a,b"`}, {"usergroup_ids", `[-1]`}, {"usergroup_ids", `{}`},
			{"description", `{"a": 1}`}, {"description", `["a"]`}, {"company_id", `"one"`},
		} {
			s.Refuses("POST", "/api/2.0/categories", fmt.Sprintf(`{"category": "C", %q: %s}`, c.field, c.value), c.field)
			s.Refuses("PUT", at(id), fmt.Sprintf(`{%q: %s}`, c.field, c.value), c.field)
		}
		s.Refuses("POST", "/api/2.0/categories", `{"status": "A"}`, "category")
		s.Refuses("POST", "/api/2.0/categories", `{"status": "X", "position": -1}`, "category", "status", "position")
	})
}

// TestCategories_EmptyPayload is 405, as are a superfluous and a missing id
// (specification, Generic rules).
func TestCategories_EmptyPayload(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		id := s.add(`{"category": "Cups"}`)
		for _, body := range []string{"", "{}", " ", "[]", "null"} {
			s.Call(405, "POST", "/api/2.0/categories", body)
			s.put(405, id, body)
		}
		s.Call(405, "POST", at(id), `{"category": "Mugs"}`)
		s.Call(405, "PUT", "/api/2.0/categories", `{"category": "Mugs"}`)
		s.Call(405, "DELETE", "/api/2.0/categories", "")
	})
}

// TestCategories_UnknownID is 404 on GET, PUT and DELETE, also for texts that are not
// ids (decisions §5).
func TestCategories_UnknownID(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		s.add(`{"category": "Cups"}`)
		before := s.dump()
		for _, id := range []string{"2", "0", "-1", "01", "+1", "1.0", "abc", "1%20", "99999999999999999999", "9223372036854775807"} {
			path := "/api/2.0/categories/" + id
			s.Call(404, "GET", path, "")
			s.Call(404, "PUT", path, `{"category": "Mugs"}`)
			s.Call(404, "DELETE", path, "")
		}
		s.wantDump(before)
	})
}

// TestCategories_Privileges: reading needs view_catalog, changing manage_catalog
// (decisions §3).
func TestCategories_Privileges(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		id := s.add(`{"category": "Cups"}`)
		before := s.dump()
		reader := s.as("reader@example.com")
		reader.Call(200, "GET", "/api/2.0/categories", "")
		reader.Call(200, "GET", at(id), "")
		reader.Call(403, "POST", "/api/2.0/categories", `{"category": "Mugs"}`)
		reader.put(403, id, `{"category": "Mugs"}`)
		reader.Call(403, "DELETE", at(id), "")
		s.as("nobody@example.com").Call(401, "GET", at(id), "")
		s.wantDump(before)
	})
}

// TestCategories_ObserverGetsOneEvent for each category that a change adds, alters or
// removes, and none for a failed change.
func TestCategories_ObserverGetsOneEvent(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		top := s.add(`{"category": "Tableware"}`)
		s.addTo(top, "Cups")
		s.put(200, top, `{"position": 30}`)
		s.put(400, top, `{"status": "X"}`)
		s.put(404, 99, `{"status": "D"}`)
		s.Call(400, "POST", "/api/2.0/categories", `{"category": "C", "parent_id": 99}`)
		s.Call(204, "DELETE", at(top), "")
		want := []string{
			"create categories 1 by 1", "create categories 2 by 1",
			"update categories 1 by 1", "delete categories 1 by 1", "delete categories 2 by 1",
		}
		if diff := cmp.Diff(want, s.Events()); diff != "" {
			t.Errorf("events (-want +got):\n%s", diff)
		}
	})
}
