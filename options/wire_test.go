package options_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/internal/shoptest"
	"github.com/shopapi/shopapi/options"
	"github.com/shopapi/shopapi/store"
)

func TestOptions_CreateReadUpdateDelete(t *testing.T) {
	suite.Each(t, func(s *shop) {
		const plain = `"regexp":"","incorrect_message":"","multiupload":"N","allowed_extensions":"","max_file_size":"0","missing_variants_handling":"M",` +
			`"status":"A","position":"0","value":"","option_name":"Size","option_text":"","description":"","inner_hint":"","comment":"",`
		variant := func(id, name, modifier string) string {
			return `"` + id + `":{"variant_id":"` + id + `","option_id":"1","position":"0","variant_name":"` + name + `","modifier":"` + modifier +
				`","modifier_type":"A","weight_modifier":"0.000","weight_modifier_type":"A","point_modifier":"0.000","point_modifier_type":"A","image_pair":[]}`
		}
		s.Want("POST", "options", `{"product_id": 1, "option_name": "Size", "option_type": "S", "required": "Y",
			"variants": [{"variant_name": "S"}, {"variant_name": "L", "modifier": 1.5}]}`, 201, `{"option_id":"1"}`)
		one := `{"option_id":"1","product_id":"1","company_id":"1","option_type":"S","inventory":"Y","required":"Y",` + plain +
			`"variants":{` + variant("1", "S", "0.000") + `,` + variant("2", "L", "1.500") + `}}`
		s.Want("GET", "options/1", "", 200, one)
		s.Want("GET", "options?product_id=1", "", 200, `{"1":`+one+`}`)
		s.Want("GET", "products/1/options", "", 200, `{"1":`+one+`}`)
		s.Want("PUT", "options/1", `{"required": "N", "variants": {"2": {"variant_name": "XL"}}}`, 200, `{"option_id":"1"}`)
		s.Want("GET", "options/1", "", 200, `{"option_id":"1","product_id":"1","company_id":"1","option_type":"S","inventory":"Y","required":"N",`+plain+
			`"variants":{`+variant("2", "XL", "1.500")+`}}`)
		s.Want("DELETE", "options/1", "", 204, "")
		s.Status("GET", "options/1", "", 404)
		s.Status("PUT", "options/1", `{"comment": "x"}`, 404)
		s.Status("DELETE", "options/1", "", 404)
		s.Want("GET", "options?product_id=1", "", 200, `{}`)
	})
}

func TestOptions_LiveDialectWritesNewIDAsNumber(t *testing.T) {
	shoptest.EachStore(t, func(t *testing.T, st store.Store) {
		s := suite.Open(t, st, shopapi.Options{Dialect: shopapi.DialectLive})
		s.Want("POST", "/api/2.0/options", `{"product_id": 1, "option_name": "Size", "option_type": "S", "required": "Y", "variants": [{"variant_name": "S"}]}`, 201, `{"option_id":1}`)
		s.Want("PUT", "/api/2.0/options/1", `{"required": "N"}`, 200, `{"option_id":"1"}`)
		answer := s.Call(201, "POST", "combinations", `{"product_id": 1, "combination": {"1": 1}}`)
		if !strings.HasPrefix(answer, `{"combination_hash":"`) {
			t.Errorf("POST of a combination is answered %s, want the hash as a string", answer)
		}
	})
}

func TestOptions_ListNeedsProduct(t *testing.T) {
	suite.Each(t, func(s *shop) {
		s.option(1, "S", "a")
		s.Refuses("GET", "options", "", "product_id")
		s.Refuses("GET", "options?product_id=", "", "product_id")
		s.Refuses("GET", "options?product_id=mug", "", "product_id")
		s.Want("GET", "options?product_id=9", "", 200, `{}`)
		s.Want("GET", "options?product_id=2", "", 200, `{}`)
		s.Status("GET", "products/9/options", "", 404)
	})
}

func TestOptions_ListIsByPosition(t *testing.T) {
	suite.Each(t, func(s *shop) {
		for _, o := range []string{`"c", "position": 2`, `"B"`, `"a", "position": 1`, `"d"`} {
			s.Call(201, "POST", "options", `{"product_id": 1, "option_type": "I", "option_name": `+o+`}`)
		}
		for query, want := range map[string]string{
			"":                             `2 4 3 1`,
			"&sort_by=position":            `2 4 3 1`,
			"&sort_order=desc":             `1 3 4 2`,
			"&sort_by=id":                  `1 2 3 4`,
			"&sort_by=name":                `3 2 1 4`,
			"&page=2&items_per_page=3":     `1`,
			"&sort_by=id&items_per_page=1": `1`,
		} {
			body := s.Call(200, "GET", "options?product_id=1"+query, "")
			var ids []string
			for part := range strings.SplitSeq(body, `{"option_id":"`) {
				if id, _, found := strings.Cut(part, `","`); found && !strings.HasPrefix(id, "{") {
					ids = append(ids, id)
				}
			}
			equal(s, query, strings.Join(ids, " "), want)
		}
		s.Refuses("GET", "options?product_id=1&sort_by=price", "", "sort_by")
	})
}

func TestOptions_DefaultsFollowTheType(t *testing.T) {
	suite.Each(t, func(s *shop) {
		for i, c := range []struct{ kind, inventory, variants string }{
			{"", "Y", ""}, {"S", "Y", ""}, {"R", "Y", ""}, {"C", "Y", "No:1 Yes:2"}, {"I", "N", ""}, {"T", "N", ""}, {"F", "N", ""},
		} {
			body := `{"product_id": 1, "option_name": "Option", "option_type": "` + c.kind + `"}`
			if c.kind == "" {
				body = `{"product_id": 1, "option_name": "Option"}`
				c.kind = "S"
			}
			s.Call(201, "POST", "options", body)
			id := fmt.Sprint(i + 1)
			o := s.Object("options/" + id)
			equal(s, "type, inventory and required", fmt.Sprint(o["option_type"], o["inventory"], o["required"]), c.kind+c.inventory+"N")
			equal(s, "variants of "+c.kind, s.variants(id), c.variants)
		}
	})
}

func TestOptions_InventoryNeedsVariants(t *testing.T) {
	suite.Each(t, func(s *shop) {
		for _, kind := range []string{"I", "T", "F"} {
			s.Refuses("POST", "options", `{"product_id": 1, "option_name": "Text", "inventory": "Y", "option_type": "`+kind+`"}`, "inventory")
			id := s.option(1, kind)
			s.Refuses("PUT", "options/"+id, `{"inventory": "Y"}`, "inventory")
		}
		id := s.option(1, "R", "a")
		s.Call(200, "PUT", "options/"+id, `{"inventory": "N"}`)
		equal(s, "inventory", s.Field("options/"+id, "inventory"), `"N"`)
	})
}

func TestOptions_BadFieldsAreNamed(t *testing.T) {
	suite.Each(t, func(s *shop) {
		id := s.option(1, "S", "a")
		long := strings.Repeat("é", 256)
		for field, values := range map[string][]string{
			"product_id":                {`9`, `0`, `-1`, `"mug"`, `1.5`, `null`, `[1]`},
			"option_name":               {`""`, `" "`, `null`, `["a"]`, `"` + long + `"`},
			"option_type":               {`"X"`, `""`, `"SR"`, `"s"`, `1`},
			"inventory":                 {`"X"`, `2`},
			"required":                  {`"X"`, `[true]`},
			"status":                    {`"H"`, `""`, `null`},
			"missing_variants_handling": {`"X"`},
			"position":                  {`-1`, `2147483648`, `"first"`},
			"max_file_size":             {`-1`, `1.5`},
			"regexp":                    {`"` + long + `"`},
			"allowed_extensions":        {`"` + long + `"`},
			"description":               {`"` + strings.Repeat("a", 64<<10+1) + `"`},
		} {
			for _, value := range values {
				body := `{"product_id": 1, "option_name": "Size", "` + field + `": ` + value + `}`
				if field == "product_id" || field == "option_name" {
					body = strings.Replace(body, map[string]string{"product_id": `"product_id": 1, `, "option_name": `"option_name": "Size", `}[field], "", 1)
				}
				s.Refuses("POST", "options", body, field)
				if field != "product_id" {
					s.Refuses("PUT", "options/"+id, `{"`+field+`": `+value+`}`, field)
				}
			}
		}
		s.Refuses("POST", "options", `{"option_type": "S"}`, "option_name", "product_id")
	})
}

// A regexp that no syntax of expressions has is a 400 (decisions §5). Expressions that Go
// alone does not read are taken: old shops have them.
func TestOptions_MalformedRegexpIs400(t *testing.T) {
	suite.Each(t, func(s *shop) {
		id := s.option(1, "I")
		for expression, says := range map[string]string{
			`([`:     `missing closing ]`,
			`[a-z`:   `missing closing ]`,
			`(a|b`:   `missing closing )`,
			`a)`:     `unexpected )`,
			`*a`:     `missing argument to repetition operator`,
			`+`:      `missing argument to repetition operator`,
			`[z-a]`:  `invalid character class range`,
			`\\d+\\`: `trailing backslash at end of expression`,
		} {
			for _, request := range [][2]string{{"POST", "options"}, {"PUT", "options/" + id}} {
				body := `{"product_id": 1, "option_name": "Name", "option_type": "I", "regexp": "` + expression + `"}`
				equal(s, expression, s.Refuses(request[0], request[1], body, "regexp")["regexp"], "must be a regular expression, not one with the error: "+says)
			}
		}
		for _, expression := range []string{
			``, `^[A-Z]+$`, `^(?=.*\\d)(?!0).+$`, `(?<=a)b`, `(a)\\1`, `a++`, `(?>a)b`, `a{2,2000}`, `[^]+`, `([])`, `(*UTF8)é`,
			`\\p{Script=Greek}`, `[[:word:]-]`, `[\\w-.]+@[\\w-]+`, `\\Aa\\Z`, `(?#note)a`,
		} {
			s.Call(200, "PUT", "options/"+id, `{"regexp": "`+expression+`"}`)
		}
	})
}

// A stored regexp is not checked again (decisions §5).
func TestOptions_UnchangedRegexpIsNotChecked(t *testing.T) {
	suite.Each(t, func(s *shop) {
		id := s.option(1, "I")
		s.Must(s.Store.Update(s.Context(), func(_ context.Context, tx store.Tx) error {
			return store.MustTable[options.Option]("product_options").SetText(tx, "regexp", "([", store.Equal("option_id", store.Int(1)))
		}))
		s.Call(200, "PUT", "options/"+id, `{"comment": "as it was", "regexp": "(["}`)
		s.Refuses("PUT", "options/"+id, `{"regexp": "([)"}`, "regexp")
		equal(s, "the expression", s.Field("options/"+id, "regexp"), `"(["`)
	})
}

func TestOptions_ProductIsForGood(t *testing.T) {
	suite.Each(t, func(s *shop) {
		id := s.option(1, "S", "a")
		s.Unchanged(func() {
			s.Status("PUT", "options/"+id, `{"product_id": 2}`, 200)
			s.Status("PUT", "options/"+id, `{"product_id": 9}`, 200)
			s.Status("PUT", "products/1/options/"+id, `{"product_id": 2}`, 200)
		})
	})
}

func TestOptions_BelowProducts(t *testing.T) {
	suite.Each(t, func(s *shop) {
		s.Want("POST", "products/1/options", `{"option_name": "Size"}`, 201, `{"option_id":"1"}`)
		s.Want("POST", "products/2/options", `{"option_name": "Size", "product_id": 2}`, 201, `{"option_id":"2"}`)
		s.Refuses("POST", "products/1/options", `{"option_name": "Size", "product_id": 2}`, "product_id")
		equal(s, "the product", s.Field("products/1/options/1", "product_id"), `"1"`)
		for _, method := range []string{"GET", "PUT", "DELETE"} {
			s.Status(method, "products/1/options/2", `{"comment": "x"}`, 404)
		}
		s.Want("GET", "products/1/options?product_id=2", "", 200, `{}`)
		s.Status("DELETE", "products/1/options/1", "", 204)
	})
}

func TestOptions_GoWithTheirProduct(t *testing.T) {
	suite.Each(t, func(s *shop) {
		one, two := s.option(1, "S", "a"), s.option(2, "S", "b")
		s.combination(1, `{"`+one+`": 1}`, 5)
		kept := s.combination(2, `{"`+two+`": 2}`, 5)
		s.Call(204, "DELETE", "products/1", "")
		s.Want("GET", "options?product_id=1", "", 200, `{}`)
		s.Want("GET", "combinations?product_id=1", "", 200, `[]`)
		s.Status("GET", "options/"+one, "", 404)
		s.Status("GET", "options/"+two, "", 200)
		s.Status("GET", "combinations/"+kept, "", 200)
		// The variants too: their ids are none of another option's.
		s.Refuses("PUT", "options/"+two, `{"variants": [{"variant_id": 1}]}`, "variants")
	})
}
