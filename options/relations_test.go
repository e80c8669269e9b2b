package options_test

import (
	"strings"
	"testing"
)

// TestOptions_ChangesThatCombinationsForbid: no change leaves combinations that do not
// name every option with inventory Y, and no other.
func TestOptions_ChangesThatCombinationsForbid(t *testing.T) {
	suite.Each(t, func(s *shop) {
		s.sizes()
		s.Call(201, "POST", "options", `{"product_id": 1, "option_name": "Ribbon", "inventory": "N", "variants": [{"variant_name": "a"}]}`)
		hash := s.combination(1, `{"1": 1, "2": 3}`, 5)
		for _, request := range [][4]string{
			{"POST", "options", `{"product_id": 1, "option_name": "Handle"}`, "inventory"},
			{"POST", "products/1/options", `{"option_name": "Handle", "option_type": "C"}`, "inventory"},
			{"PUT", "options/3", `{"inventory": "Y"}`, "inventory"},
			{"PUT", "options/1", `{"inventory": "N"}`, "inventory"},
			{"PUT", "options/1", `{"option_type": "I"}`, "option_type"},
		} {
			said := s.Refuses(request[0], request[1], request[2], request[3])[request[3]]
			if !strings.Contains(said, "delete its 1 combinations first") {
				t.Errorf("%v is refused with %q", request, said)
			}
		}
		for _, request := range [][3]string{
			{"POST", "options", `{"product_id": 1, "option_name": "Engraving", "option_type": "I"}`},
			{"POST", "options", `{"product_id": 1, "option_name": "Handle", "inventory": "N"}`},
			{"POST", "options", `{"product_id": 2, "option_name": "Handle"}`},
			{"PUT", "options/1", `{"option_type": "R", "status": "D", "variants": {"1": {}, "2": {}, "x": {"variant_name": "XL"}}}`},
		} {
			if answer := s.Send(request[0], request[1], request[2]); answer.Status > 201 {
				t.Errorf("%v is answered %d %s", request, answer.Status, answer.Body)
			}
		}
		equal(s, "combinations", s.List("combinations?product_id=1", "combination_hash"), hash)
		s.Call(204, "DELETE", "combinations/"+hash, "")
		s.Call(200, "PUT", "options/3", `{"inventory": "Y"}`)
	})
}

func TestOptions_AtMostFiftyInCombinations(t *testing.T) {
	suite.Each(t, func(s *shop) {
		for range 50 {
			s.option(1, "S")
		}
		s.Refuses("POST", "options", `{"product_id": 1, "option_name": "One more"}`, "inventory")
		s.Status("POST", "options", `{"product_id": 1, "option_name": "One more", "inventory": "N"}`, 201)
		s.Refuses("PUT", "options/51", `{"inventory": "Y"}`, "inventory")
	})
}

// exception makes an exception, and returns its id.
func (s *shop) exception(combination string) string {
	s.Helper()
	return idOf(s, s.Call(201, "POST", "exceptions", `{"product_id": 1, "combination": `+combination+`}`), "exception_id")
}

// TestVariants_DeleteReferences: a removed variant takes its combinations and
// exceptions with it, and no others.
func TestVariants_DeleteReferences(t *testing.T) {
	suite.Each(t, func(s *shop) {
		s.sizes()
		s.Call(200, "PUT", "products/1", `{"tracking": "O"}`)
		gone := s.combination(1, `{"1": 1, "2": 3}`, 5)
		stays := s.combination(1, `{"1": 2, "2": 3}`, 7)
		s.exception(`{"1": 1}`)
		s.exception(`{"2": 3, "1": 1}`)
		s.exception(`{"1": 2}`)
		s.exception(`{"1": -1, "2": 4}`)
		told := len(s.Events())
		s.Call(200, "PUT", "options/1", `{"variants": {"2": {}}}`)
		equal(s, "combinations", s.List("combinations?product_id=1", "combination_hash"), stays)
		equal(s, "exceptions", s.List("exceptions?product_id=1", "exception_id"), "3 4")
		equal(s, "stock", s.Field("products/1", "amount"), `"7"`)
		equal(s, "the observer is told", strings.ReplaceAll(strings.Join(s.Events()[told:], ", "), " by 1", ""),
			"delete exceptions 1, delete exceptions 2, delete combinations "+gone+", update products 1, update options 1")
	})
}

// TestOptions_DeleteReferences: a deleted option takes all of the product's
// combinations, each of which names it, and the exceptions that do.
func TestOptions_DeleteReferences(t *testing.T) {
	suite.Each(t, func(s *shop) {
		s.sizes()
		s.Call(200, "PUT", "products/1", `{"tracking": "O"}`)
		s.combination(1, `{"1": 1, "2": 3}`, 5)
		s.combination(1, `{"1": 2, "2": 3}`, 7)
		s.exception(`{"1": -2, "2": 3}`)
		s.exception(`{"2": 3}`)
		s.Call(204, "DELETE", "options/1", "")
		s.Want("GET", "combinations?product_id=1", "", 200, `[]`)
		equal(s, "exceptions", s.List("exceptions?product_id=1", "exception_id"), "2")
		equal(s, "stock", s.Field("products/1", "amount"), `"0"`)
		s.combination(1, `{"2": 3}`, 4)
		equal(s, "stock", s.Field("products/1", "amount"), `"4"`)
	})
}

// TestExceptions_NameOptionsOfTheProduct: exceptions know these options.
func TestExceptions_NameOptionsOfTheProduct(t *testing.T) {
	suite.Each(t, func(s *shop) {
		s.sizes()
		s.option(1, "I")           // 3
		s.option(2, "S", "a", "b") // 4
		for combination, says := range map[string]string{
			`{"1": 3}`:  `must give the option 1 one of its own variants, -1 (any) or -2 (none), not 3`,
			`{"2": 1}`:  `must give the option 2 one of its own variants, -1 (any) or -2 (none), not 1`,
			`{"3": -1}`: `must hold options of the types S, R and C; the option 3 is of type I`,
			`{"4": 5}`:  `must hold options of the product; 4 is none of product 1`,
			`{"9": 5}`:  `must hold options of the product; 9 is none of product 1`,
		} {
			said := s.Refuses("POST", "exceptions", `{"product_id": 1, "combination": `+combination+`}`, "combination")["combination"]
			equal(s, combination, said, says)
		}
		s.exception(`{"1": 2, "2": -1}`)
	})
}

// TestProducts_ShowTheirOptions: has_options everywhere, product_options on a single
// product, by id.
func TestProducts_ShowTheirOptions(t *testing.T) {
	suite.Each(t, func(s *shop) {
		shown := func(address, field, want string) {
			s.Helper()
			equal(s, address+" "+field, s.Field(address, field), want)
		}
		shown("products/1", "has_options", "false")
		shown("products/1", "product_options", "[]")
		s.option(1, "S", "a", "b")
		s.option(1, "I")
		shown("products/1", "has_options", "true")
		var options string
		for _, id := range []string{"1", "2"} {
			options += `,"` + id + `":` + s.Call(200, "GET", "options/"+id, "")
		}
		shown("products/1", "product_options", "{"+options[1:]+"}")
		shown("products/2", "has_options", "false")
		equal(s, "in lists", s.List("products?sort_by=product&sort_order=desc", "has_options"), "true false")
		equal(s, "in lists", s.List("products?sort_by=product&sort_order=desc", "product_options"), "[] []")
		s.Call(204, "DELETE", "options/1", "")
		s.Call(204, "DELETE", "options/2", "")
		shown("products/1", "has_options", "false")
		shown("products/1", "product_options", "[]")
	})
}

// TestProducts_AmountIsTheSumOfCombinations where the tracking is O; it is read-only
// then.
func TestProducts_AmountIsTheSumOfCombinations(t *testing.T) {
	suite.Each(t, func(s *shop) {
		amount := func(what, want string) {
			s.Helper()
			equal(s, what, s.Field("products/1", "amount"), `"`+want+`"`)
		}
		s.sizes()
		hash := s.combination(1, `{"1": 1, "2": 3}`, 5)
		s.Call(200, "PUT", "products/1", `{"amount": 3}`)
		amount("another tracking", "3")
		s.Call(200, "PUT", "combinations/"+hash, `{"amount": 6}`)
		amount("another tracking, after a change", "3")
		s.Call(200, "PUT", "products/1", `{"tracking": "O"}`)
		amount("tracking becomes O", "6")
		s.Unchanged(func() { s.Call(200, "PUT", "products/1", `{"amount": 99}`) })
		second := s.combination(1, `{"1": 2, "2": 3}`, 4)
		amount("after a new one", "10")
		s.Call(200, "PUT", "combinations/"+hash, `{"amount": 0}`)
		amount("after a change", "4")
		s.Call(204, "DELETE", "combinations/"+second, "")
		amount("after a deletion", "0")
		s.Call(200, "PUT", "products/1", `{"tracking": "B", "amount": 8}`)
		amount("tracking becomes B", "8")
		id := idOf(s, s.Call(201, "POST", "products", `{"product": "Jug", "category_ids": [1], "tracking": "O", "amount": 5}`), "product_id")
		equal(s, "a new product", s.Field("products/"+id, "amount"), `"0"`)
	})
}

// TestOptions_TextsHaveNoExceptions: exceptions name options of the types S, R and C (§8), so an
// option that becomes a text takes the exceptions that name it with it.
func TestOptions_TextsHaveNoExceptions(t *testing.T) {
	for _, kind := range []string{"I", "T", "F"} {
		t.Run(kind, func(t *testing.T) {
			suite.Each(t, func(s *shop) {
				s.sizes()
				s.Call(200, "PUT", "options/1", `{"inventory": "N"}`)
				s.exception(`{"1": -2, "2": -1}`)
				s.exception(`{"1": -1}`)
				s.exception(`{"1": 1, "2": 3}`)
				s.exception(`{"2": 3}`)
				s.Call(200, "PUT", "options/1", `{"option_type": "R"}`)
				equal(s, "exceptions", s.List("exceptions?product_id=1", "exception_id"), "1 2 3 4")
				s.Call(200, "PUT", "options/1", `{"option_type": "`+kind+`"}`)
				equal(s, "exceptions of a text", s.List("exceptions?product_id=1", "exception_id"), "4")
			})
		})
	}
}
