package options_test

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/internal/shoptest"
	"github.com/shopapi/shopapi/options"
	"github.com/shopapi/shopapi/store"
)

// sizes makes the option 1, a select box with the variants 1 and 2, and the option 2,
// a checkbox with 3 and 4, of product 1.
func (s *shop) sizes() {
	s.Helper()
	s.option(1, "S", "S", "L")
	s.option(1, "C")
}

func TestCombinations_CreateReadUpdateDelete(t *testing.T) {
	suite.Each(t, func(s *shop) {
		s.sizes()
		hash := idOf(s, s.Call(201, "POST", "combinations", `{"product_id": 1, "combination": {"2": "3", "1": 1}, "amount": 5, "product_code": "M-S"}`), "combination_hash")
		reply := `{"combination_hash":"` + hash + `"}`
		one := `{"combination_hash":"` + hash + `","product_id":"1","combination":{"1":"1","2":"3"},"product_code":"M-S","amount":"5","position":"0","temp":"N","image_pairs":[]}`
		s.Want("GET", "combinations/"+hash, "", 200, one)
		s.Want("GET", "combinations?product_id=1", "", 200, `[`+one+`]`)
		s.Want("GET", "products/1/combinations", "", 200, `[`+one+`]`)
		s.Want("PUT", "combinations/"+hash, `{"amount": "7"}`, 200, reply)
		s.Want("GET", "combinations/"+hash, "", 200, strings.Replace(one, `"5"`, `"7"`, 1))
		s.Want("DELETE", "combinations/"+hash+"?product_id=1", "", 204, "")
		s.Status("GET", "combinations/"+hash, "", 404)
		s.Want("POST", "combinations", `product_id=1&combination[1]=1&combination[2]=3`, 201, reply)
	})
}

func TestCombinations_ListNeedsProduct(t *testing.T) {
	suite.Each(t, func(s *shop) {
		s.sizes()
		s.combination(1, `{"1": 1, "2": 3}`, 5)
		s.Refuses("GET", "combinations", "", "product_id")
		s.Refuses("GET", "combinations?product_id=mug", "", "product_id")
		s.Want("GET", "combinations?product_id=9", "", 200, `[]`)
		s.Want("GET", "combinations?product_id=2", "", 200, `[]`)
	})
}

func TestCombinations_ListIsByPosition(t *testing.T) {
	suite.Each(t, func(s *shop) {
		s.sizes()
		for combination, position := range map[string]int{`{"1": 1, "2": 3}`: 3, `{"1": 2, "2": 3}`: 1, `{"1": 1, "2": 4}`: 2} {
			s.Call(201, "POST", "combinations", fmt.Sprintf(`{"product_id": 1, "combination": %s, "position": %d}`, combination, position))
		}
		equal(s, "list", s.List("combinations?product_id=1", "position"), "1 2 3")
		equal(s, "second page", s.List("combinations?product_id=1&page=2&items_per_page=2", "position"), "3")
		equal(s, "descending", s.List("combinations?product_id=1&sort_order=desc", "position"), "3 2 1")
	})
}

func TestCombinations_NameOneVariantOfEachInventoryOption(t *testing.T) {
	suite.Each(t, func(s *shop) {
		s.sizes()
		s.option(2, "S", "other")                                                                                                           // option 3, variant 5
		s.Call(201, "POST", "options", `{"product_id": 1, "option_name": "Ribbon", "inventory": "N", "variants": [{"variant_name": "a"}]}`) // option 4, variant 6
		s.option(1, "I")                                                                                                                    // option 5
		for combination, says := range map[string]string{
			`{"1": 1}`:                 `must name a variant of each option with inventory Y; the option 2 (Option) is missing`,
			`{"2": 3}`:                 `must name a variant of each option with inventory Y; the option 1 (Option) is missing`,
			`{"1": 3, "2": 3}`:         `must give the option 1 (Option) one of its own variants, not 3`,
			`{"1": 1, "2": 9}`:         `must give the option 2 (Option) one of its own variants, not 9`,
			`{"1": -1, "2": 3}`:        `must give the option 1 (Option) one of its own variants, not -1`,
			`{"1": 1, "2": 3, "3": 5}`: `must hold options of the product with inventory Y; 3 is none of product 1`,
			`{"1": 1, "2": 3, "4": 6}`: `must hold options of the product with inventory Y; 4 is none of product 1`,
			`{"1": 1, "2": 3, "5": 1}`: `must hold options of the product with inventory Y; 5 is none of product 1`,
			`{"1": 1, "2": 3, "9": 1}`: `must hold options of the product with inventory Y; 9 is none of product 1`,
			`{}`:                       `is required: ids of options with the ids of their variants`,
			`[]`:                       `must be a map of ids of options to ids of variants, such as {"12":"33","14":"40"}`,
			`{"1": "red", "2": 3}`:     `must give the option 1 the id of a variant`,
			`{"size": 1}`:              `must have ids of options as keys, not "size"`,
			`{"1": 1, "1": 2, "2": 3}`: `must name the option 1 once only`,
		} {
			said := s.Refuses("POST", "combinations", `{"product_id": 1, "combination": `+combination+`}`, "combination")["combination"]
			equal(s, combination, said, says)
		}
		s.combination(1, `{"1": 1, "2": 3}`, 0)
		s.Call(204, "DELETE", "options/3", "")
		said := s.Refuses("POST", "combinations", `{"product_id": 2, "combination": {"3": 5}}`, "combination")["combination"]
		equal(s, "of a product without options", said, `cannot be made: the product 2 has no options with inventory Y`)
	})
}

// The amount of a combination may be written below 0 if the product can be ordered beyond
// its stock (decisions §26).
func TestCombinations_26_AmountBelowZeroWithBackorders(t *testing.T) {
	suite.Each(t, func(s *shop) {
		s.sizes()
		s.Call(200, "PUT", "products/1", `{"tracking": "O"}`)
		hash := s.combination(1, `{"1": 1, "2": 3}`, 5)
		says := s.Refuses("PUT", "combinations/"+hash, `{"amount": -9}`, "amount")["amount"]
		equal(s, "the problem", says, "must not be negative, not -9, unless the setting allow_negative_amount is Y or out_of_stock_actions is B")
		s.Refuses("POST", "combinations", `{"product_id": 1, "combination": {"1": 2, "2": 3}, "amount": -1}`, "amount")

		s.Call(200, "PUT", "products/1", `{"out_of_stock_actions": "B"}`)
		s.Call(200, "PUT", "combinations/"+hash, `{"amount": -9}`)
		s.combination(1, `{"1": 2, "2": 3}`, -1)
		equal(s, "amounts", s.List("combinations?product_id=1&sort_by=position", "amount"), "-9 -1")
		equal(s, "amount of the product", s.Field("products/1", "amount"), `"-10"`)
		s.Refuses("PUT", "combinations/"+hash, `{"amount": -2147483649}`, "amount")
	})
}

// A product can be tracked by its options also if a combination is below 0 since the product
// could be ordered beyond its stock: nobody sent the sum (decisions §5, §17).
func TestCombinations_17_SumBelowZeroIsNoProblemOfTracking(t *testing.T) {
	suite.Each(t, func(s *shop) {
		s.sizes()
		s.Call(200, "PUT", "products/1", `{"out_of_stock_actions": "B"}`)
		s.combination(1, `{"1": 1, "2": 3}`, -9)
		s.Call(200, "PUT", "products/1", `{"out_of_stock_actions": "N"}`)
		s.Call(200, "PUT", "products/1", `{"tracking": "O"}`)
		equal(s, "amount of the product", s.Field("products/1", "amount"), `"-9"`)
	})
}

// The setting allow_negative_amount allows negative amounts of combinations (decisions
// §18).
func TestCombinations_18_AmountBelowZeroWithTheSetting(t *testing.T) {
	suite.Each(t, func(s *shop) {
		s.API.FixSetting(shopapi.SettingAllowNegativeAmount, "Y")
		s.sizes()
		hash := s.combination(1, `{"1": 1, "2": 3}`, -3)
		s.Call(200, "PUT", "combinations/"+hash, `{"amount": "-2147483648"}`)
		equal(s, "the amount", s.Field("combinations/"+hash, "amount"), `"-2147483648"`)
	})
}

func TestCombinations_BadFieldsAreNamed(t *testing.T) {
	suite.Each(t, func(s *shop) {
		s.sizes()
		hash := s.combination(1, `{"1": 1, "2": 3}`, 0)
		for field, values := range map[string][]string{
			"amount":       {`-1`, `2147483648`, `1.5`, `"few"`},
			"position":     {`-1`, `2147483648`},
			"product_code": {`"` + strings.Repeat("a", 256) + `"`, `["a"]`},
		} {
			for _, value := range values {
				s.Refuses("POST", "combinations", `{"product_id": 1, "combination": {"1": 2, "2": 3}, "`+field+`": `+value+`}`, field)
				s.Refuses("PUT", "combinations/"+hash, `{"`+field+`": `+value+`}`, field)
			}
		}
		for _, product := range []string{`9`, `0`, `-1`, `"mug"`, `null`} {
			s.Refuses("POST", "combinations", `{"combination": {"1": 2, "2": 3}, "product_id": `+product+`}`, "product_id")
		}
		s.Refuses("POST", "combinations", `{"amount": 1}`, "combination", "product_id")
	})
}

func TestCombinations_SameTwice(t *testing.T) {
	suite.Each(t, func(s *shop) {
		s.sizes()
		s.combination(1, `{"1": 1, "2": 3}`, 5)
		for _, body := range []string{
			`{"product_id": 1, "combination": {"1": 1, "2": 3}}`, `{"product_id": "1", "combination": {"2": "3", "1": "1"}}`,
			`product_id=1&combination[2]=3&combination[1]=1`,
		} {
			said := s.Refuses("POST", "combinations", body, "combination")["combination"]
			equal(s, body, said, "is a combination of the product already")
		}
		s.combination(1, `{"1": 1, "2": 4}`, 5)
	})
}

func TestCombinations_ProductAndVariantsAreForGood(t *testing.T) {
	suite.Each(t, func(s *shop) {
		s.sizes()
		hash := s.combination(1, `{"1": 1, "2": 3}`, 5)
		s.Unchanged(func() {
			s.Status("PUT", "combinations/"+hash, `{"combination": {"1": 2, "2": 3}}`, 200)
			s.Status("PUT", "combinations/"+hash, `{"product_id": 2, "combination_hash": 5, "temp": "Y"}`, 200)
			s.Status("PUT", "products/1/combinations/"+hash, `{"product_id": 2}`, 200)
		})
	})
}

func TestCombinations_DeleteChecksProduct(t *testing.T) {
	suite.Each(t, func(s *shop) {
		s.sizes()
		hash := s.combination(1, `{"1": 1, "2": 3}`, 5)
		s.Unchanged(func() {
			s.Status("DELETE", "combinations/"+hash+"?product_id=2", "", 404)
			s.Status("DELETE", "combinations/"+hash+"?product_id=9", "", 404)
			s.Status("DELETE", "products/2/combinations/"+hash, "", 404)
		})
		s.Refuses("DELETE", "combinations/"+hash+"?product_id=mug", "", "product_id")
		s.Status("DELETE", "combinations/"+hash+"?product_id=1", "", 204)
	})
}

// inventory is the table of combinations.
var inventory = store.MustTable[options.Combination]("product_options_inventory")

// TestCombinations_HashesAreNumbersOf32Bits: from 1, each its own, and the next free
// one where another combination has it.
func TestCombinations_HashesAreNumbersOf32Bits(t *testing.T) {
	suite.Each(t, func(s *shop) {
		s.sizes()
		hash := s.combination(1, `{"1": 1, "2": 3}`, 5)
		n, err := strconv.ParseInt(hash, 10, 64)
		if err != nil || n < 1 || n > 1<<32-1 {
			t.Errorf("the hash is %s, want a number of 32 bits", hash)
		}
		s.Call(204, "DELETE", "combinations/"+hash, "")
		s.Must(s.Store.Update(t.Context(), func(_ context.Context, tx store.Tx) error {
			for i := range int64(3) {
				other := options.Combination{Hash: n + i, ProductID: 77, Variants: options.VariantOf{99: i + 1}}
				if err := inventory.Insert(tx, &other); err != nil {
					return err
				}
			}
			return nil
		}))
		equal(s, "the next free hash", s.combination(1, `{"1": 1, "2": 3}`, 5), strconv.FormatInt(n+3, 10))
	})
}

func TestCombinations_VendorsReachOnlyTheirProducts(t *testing.T) {
	shoptest.EachStore(t, func(t *testing.T, st store.Store) {
		s := suite.Open(t, st, shopapi.Options{Edition: shopapi.MultiVendor})
		s.Call(200, "PUT", "products/1", `{"company_id": 2}`)
		s.sizes()
		hash := s.combination(1, `{"1": 1, "2": 3}`, 5)
		for email, reaches := range map[string]bool{"vendor2@example.com": true, "vendor3@example.com": false} {
			v := s.as(email)
			status := map[bool]int{true: 200, false: 404}[reaches]
			for _, address := range []string{"options/1", "combinations/" + hash, "products/1/options/1", "products/1/combinations/" + hash} {
				v.Status("GET", address, "", status)
				v.Status("PUT", address, `{"position": 4}`, status)
			}
			equal(v, "options are shown", v.Call(200, "GET", "options?product_id=1", "") != "{}", reaches)
			equal(v, "combinations are shown", v.Call(200, "GET", "combinations?product_id=1", "") != "[]", reaches)
			if !reaches {
				v.Status("DELETE", "options/1", "", 404)
				v.Status("DELETE", "combinations/"+hash+"?product_id=1", "", 404)
				v.Refuses("POST", "options", `{"product_id": 1, "option_name": "Mine"}`, "product_id")
				v.Refuses("POST", "combinations", `{"product_id": 1, "combination": {"1": 2, "2": 3}}`, "product_id")
			}
		}
	})
}

func TestCombinations_SameAtOnce(t *testing.T) {
	shoptest.EachStore(t, func(t *testing.T, st store.Store) {
		s := suite.Open(t, st, shopapi.Options{})
		s.sizes()
		statuses := make([]int, 8)
		var wg sync.WaitGroup
		for i := range statuses {
			wg.Go(func() {
				statuses[i] = s.Send("POST", "combinations", `{"product_id": 1, "combination": {"1": 1, "2": 3}}`).Status
			})
		}
		wg.Wait()
		count := map[int]int{}
		for _, status := range statuses {
			count[status]++
		}
		if count[201] != 1 || count[400] != len(statuses)-1 {
			t.Errorf("answered %v, want 201 once and else 400", statuses)
		}
	})
}

// TestCombinations_StockIsTheirSumAtOnce: changes at the same time lose nothing.
func TestCombinations_StockIsTheirSumAtOnce(t *testing.T) {
	shoptest.EachStore(t, func(t *testing.T, st store.Store) {
		s := suite.Open(t, st, shopapi.Options{})
		s.sizes()
		s.Call(200, "PUT", "products/1", `{"tracking": "O"}`)
		var hashes []int64
		for _, c := range []string{`{"1": 1, "2": 3}`, `{"1": 2, "2": 3}`, `{"1": 1, "2": 4}`} {
			hash, err := strconv.ParseInt(s.combination(1, c, 100), 10, 64)
			s.Must(err)
			hashes = append(hashes, hash)
		}
		var wg sync.WaitGroup
		for _, hash := range hashes {
			for range 2 {
				wg.Go(func() {
					for range 5 {
						err := st.Update(t.Context(), func(ctx context.Context, tx store.Tx) error {
							return s.Options.AddAmount(ctx, tx, hash, -1)
						})
						if err != nil {
							t.Error(err)
						}
					}
				})
			}
		}
		wg.Wait()
		equal(s, "amounts", s.List("combinations?product_id=1", "amount"), "90 90 90")
		equal(s, "amount of the product", s.Field("products/1", "amount"), `"270"`)
	})
}
