package options_test

import (
	"fmt"
	"strings"
	"testing"
)

func TestVariants_AreTheFullSet(t *testing.T) {
	suite.Each(t, func(s *shop) {
		id := s.option(1, "S", "a", "b", "c") // 1 2 3
		s.Call(200, "PUT", "options/"+id, `{"comment": "no variants are sent"}`)
		equal(s, "left alone", s.variants(id), "a:1 b:2 c:3")
		s.Call(200, "PUT", "options/"+id, `{"variants": {"2": {"variant_name": "B"}, "3": {}, "new": {"variant_name": "d"}}}`)
		equal(s, "one changed, one kept, one made, one removed", s.variants(id), "B:2 c:3 d:4")
		s.Call(200, "PUT", "options/"+id, `{"variants": [{"variant_id": 4}, {"variant_id": "2", "position": 5}, {"variant_name": "e", "variant_id": 0}]}`)
		equal(s, "by variant_id in an array", s.variants(id), "d:4 e:5 B:2")
		s.Call(200, "PUT", "options/"+id, `variants[x][variant_id]=5&variants[9][variant_name]=f&variants[4][modifier]=2`)
		equal(s, "in a form", s.variants(id), "d:4 e:5 f:6")
		s.Call(200, "PUT", "options/"+id, `{"variants": []}`)
		equal(s, "none", s.variants(id), "")
	})
}

func TestVariants_OfANewOptionHaveNoIDs(t *testing.T) {
	suite.Each(t, func(s *shop) {
		s.option(1, "S", "a") // 1
		s.Call(201, "POST", "options", `{"product_id": 1, "option_name": "Other", "variants": {"1": {"variant_id": 1, "option_id": 1, "variant_name": "b"}}}`)
		equal(s, "of the first", s.variants("1"), "a:1")
		equal(s, "of the second", s.variants("2"), "b:2")
	})
}

func TestVariants_FieldsLeftOutStay(t *testing.T) {
	suite.Each(t, func(s *shop) {
		s.Call(201, "POST", "options", `{"product_id": 1, "option_name": "Size", "variants": [{"variant_name": "a", "modifier": "1.25", "modifier_type": "P", "position": 3}]}`)
		before := s.Field("options/1", "variants")
		s.Call(200, "PUT", "options/1", `{"variants": {"1": {"weight_modifier": "-0.5"}}}`)
		equal(s, "variants", s.Field("options/1", "variants"), strings.Replace(before, `"weight_modifier":"0.000"`, `"weight_modifier":"-0.500"`, 1))
	})
}

func TestVariants_WrongOnesAreRefused(t *testing.T) {
	suite.Each(t, func(s *shop) {
		id := s.option(1, "S", "a", "b")
		s.option(1, "R", "other") // 3
		for _, variants := range []string{
			`"a"`, `5`, `true`, `["a"]`, `{"1": "a"}`, `{"1": null, "2": 5}`, `[[1]]`,
			`[{}]`, `[{"variant_name": " "}]`, `[{"variant_name": ["a"]}]`, `[{"variant_name": "` + strings.Repeat("a", 256) + `"}]`,
			`[{"variant_name": "a", "position": -1}]`, `[{"variant_name": "a", "position": "first"}]`,
			`[{"variant_name": "a", "modifier": "much"}]`, `[{"variant_name": "a", "modifier": "1.2345"}]`,
			`[{"variant_name": "a", "modifier": "10000000000"}]`, `[{"variant_name": "a", "weight_modifier": "-10000000000"}]`,
			`[{"variant_name": "a", "modifier": -9223372036854775808}]`, `[{"variant_name": "a", "modifier": 9223372036854775807}]`,
			`[{"variant_name": "a", "modifier": "1e30"}]`, `[{"variant_name": "a", "point_modifier": "0.0001"}]`,
			`[{"variant_name": "a", "modifier_type": "X"}]`, `[{"variant_name": "a", "point_modifier_type": "a"}]`,
		} {
			s.Refuses("POST", "options", `{"product_id": 1, "option_name": "Size", "variants": `+variants+`}`, "variants")
			s.Refuses("PUT", "options/"+id, `{"variants": `+variants+`}`, "variants")
		}
		for _, variants := range []string{
			`[{"variant_id": 3}]`, `[{"variant_id": 9, "variant_name": "a"}]`, `[{"variant_id": -1, "variant_name": "a"}]`,
			`[{"variant_id": "a"}]`, `[{"variant_id": 1}, {"variant_id": 1}]`, `{"1": {}, "x": {"variant_id": 1}}`,
			`{"1": {"variant_name": ""}}`,
		} {
			s.Refuses("PUT", "options/"+id, `{"variants": `+variants+`}`, "variants")
		}
	})
}

func TestVariants_SayWhichOneIsWrong(t *testing.T) {
	suite.Each(t, func(s *shop) {
		s.option(1, "S", "a")
		said := s.Refuses("PUT", "options/1", `{"variants": {"1": {"modifier": "much"}}}`, "variants")["variants"]
		equal(s, "said", said, `[1]: modifier must be a number such as 12.50, not "much"`)
		said = s.Refuses("PUT", "options/1", `{"variants": {"1": {}, "large": {"modifier": 1}}}`, "variants")["variants"]
		equal(s, "said", said, `[large]: variant_name is required: the name of the variant`)
	})
}

func TestVariants_AtMostAThousand(t *testing.T) {
	suite.Each(t, func(s *shop) {
		variants := func(n int) string {
			var b strings.Builder
			for i := range n {
				fmt.Fprintf(&b, `,{"variant_name": "%d"}`, i)
			}
			return `{"product_id": 1, "option_name": "Size", "variants": [` + b.String()[1:] + `]}`
		}
		s.Refuses("POST", "options", variants(1001), "variants")
		s.Status("POST", "options", variants(1000), 201)
		s.Refuses("PUT", "options/1", variants(1001), "variants")
	})
}

func TestVariants_ACheckboxHasItsTwo(t *testing.T) {
	suite.Each(t, func(s *shop) {
		post := func(variants string) string {
			return idOf(s, s.Call(201, "POST", "options", `{"product_id": 1, "option_name": "Gift", "option_type": "C", "variants": `+variants+`}`), "option_id")
		}
		equal(s, "none given", s.variants(post(`[]`)), "No:1 Yes:2")
		equal(s, "one given", s.variants(post(`[{"modifier": 2}]`)), "No:3 Yes:4")
		equal(s, "its modifier", strings.Count(s.Field("options/2", "variants"), `"modifier":"2.000"`), 1)
		equal(s, "two given", s.variants(post(`{"7": {"variant_name": "plain"}, "8": {"variant_name": "wrapped"}}`)), "plain:5 wrapped:6")
		s.Refuses("POST", "options", `{"product_id": 1, "option_name": "Gift", "option_type": "C", "variants": [{}, {}, {}]}`, "variants")

		s.Call(200, "PUT", "options/1", `{"variants": {"1": {"variant_name": "Not wrapped"}}}`)
		equal(s, "one left out stays", s.variants("1"), "Not wrapped:1 Yes:2")
		s.Unchanged(func() { s.Call(200, "PUT", "options/1", `{"variants": []}`) })
		s.Call(200, "PUT", "options/1", `{"variants": [{"variant_name": "Wrapped"}]}`)
		equal(s, "without an id it is the second", s.variants("1"), "Not wrapped:1 Wrapped:2")
		s.Refuses("PUT", "options/1", `{"variants": {"1": {}, "2": {}, "x": {"variant_name": "Both"}}}`, "variants")
		s.Refuses("PUT", "options/1", `{"variants": {"a": {"variant_id": 3}}}`, "variants")
	})
}

func TestVariants_TextsHaveNone(t *testing.T) {
	suite.Each(t, func(s *shop) {
		for _, kind := range []string{"I", "T", "F"} {
			s.Refuses("POST", "options", `{"product_id": 1, "option_name": "Text", "option_type": "`+kind+`", "variants": [{"variant_name": "a"}]}`, "variants")
			id := s.option(1, kind)
			s.Refuses("PUT", "options/"+id, `{"variants": [{"variant_name": "a"}]}`, "variants")
			s.Unchanged(func() { s.Call(200, "PUT", "options/"+id, `{"variants": []}`) })
		}
	})
}

func TestVariants_FollowAChangeOfType(t *testing.T) {
	suite.Each(t, func(s *shop) {
		id := s.option(1, "S", "a", "b", "c")
		s.Call(200, "PUT", "options/"+id, `{"option_type": "R"}`)
		equal(s, "of radio buttons", s.variants(id), "a:1 b:2 c:3")
		s.Call(200, "PUT", "options/"+id, `{"option_type": "C"}`)
		equal(s, "of a checkbox", s.variants(id), "No:4 Yes:5")
		s.Call(200, "PUT", "options/"+id, `{"option_type": "S"}`)
		equal(s, "of a select box again", s.variants(id), "No:4 Yes:5")
		s.Call(200, "PUT", "options/"+id, `{"option_type": "I"}`)
		equal(s, "of a text", s.variants(id), "")
		equal(s, "inventory of a text", s.Field("options/"+id, "inventory"), `"N"`)
	})
}
