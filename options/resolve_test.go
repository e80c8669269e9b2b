package options_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/internal/shoptest"
	"github.com/shopapi/shopapi/options"
	"github.com/shopapi/shopapi/pricing"
	"github.com/shopapi/shopapi/store"
)

// forOrders makes of product 1 the required option 1 "Size" (1 S, 2 L for 1.50 and 10 %
// of the weight more), the checkbox 2 "Gift" (3, 4 for 5 % more), the option 3 "Ribbon"
// without inventory (5), and the texts 4 "Name" and 5 "Card".
func (s *shop) forOrders() {
	s.Helper()
	for _, o := range []string{
		`"option_name": "Size", "required": "Y", "variants": [{"variant_name": "S"},
			{"variant_name": "L", "modifier": "1.5", "weight_modifier": 10, "weight_modifier_type": "P"}]`,
		`"option_name": "Gift", "option_type": "C", "position": 1, "variants": [{"modifier": 5, "modifier_type": "P"}]`,
		`"option_name": "Ribbon", "option_type": "R", "inventory": "N", "position": 2, "variants": [{"variant_name": "red"}]`,
		`"option_name": "Name", "option_type": "I", "position": 3, "regexp": "^[A-Z]", "incorrect_message": "a capital letter comes first"`,
		`"option_name": "Card", "option_type": "T", "position": 4, "regexp": "(?=x)", "incorrect_message": "not checked"`,
	} {
		s.Call(201, "POST", "options", `{"product_id": 1, `+o+`}`)
	}
}

// resolve resolves lines, and returns the problems by field.
func (s *shop) resolve(lines ...options.Line) (resolved []options.Resolved, problems map[string]string) {
	s.Helper()
	var noted shopapi.Problems
	s.Must(s.Store.View(s.Context(), func(ctx context.Context, tx store.Tx) (err error) {
		resolved, err = s.Options.Resolve(ctx, tx, &noted, lines...)
		return err
	}))
	if err, ok := noted.Err().(*shopapi.Error); ok {
		problems = err.Fields
	}
	return resolved, problems
}

var amounts = cmp.Comparer(func(a, b decimal.Decimal) bool { return a.Cmp(b) == 0 })

func TestResolve_Selections(t *testing.T) {
	suite.Each(t, func(s *shop) {
		s.forOrders()
		hash := s.combination(1, `{"1": 2, "2": 4}`, 7)
		got, problems := s.resolve(options.Line{ProductID: 1, Selection: options.Selection{2: "4", 1: "02", 3: "", 4: "Ana"}})
		if problems != nil {
			s.Fatal(problems)
		}
		d := decimal.MustParse
		want := options.Resolved{
			Selection: options.Selection{1: "2", 2: "4", 4: "Ana"},
			Choices: []options.Choice{
				{OptionID: 1, Type: "S", Name: "Size", Value: "2", VariantName: "L", Modifier: d("1.5"), ModifierType: "A", Status: "A"},
				{OptionID: 2, Type: "C", Name: "Gift", Value: "4", VariantName: "Yes", Modifier: d("5"), ModifierType: "P", Status: "A"},
				{OptionID: 4, Type: "I", Name: "Name", Value: "Ana", Modifier: d("0"), ModifierType: "A", Status: "A"},
			},
			Modifiers:       []pricing.Modifier{{Value: d("1.5")}, {Value: d("5"), Percent: true}},
			WeightModifiers: []pricing.Modifier{{Value: d("10"), Percent: true}},
			Inventory:       true,
			Combination:     &options.Combination{ProductID: 1, Variants: options.VariantOf{1: 2, 2: 4}, Amount: 7},
		}
		if _, err := fmt.Sscan(hash, &want.Combination.Hash); err != nil {
			s.Fatal(err)
		}
		if diff := cmp.Diff([]options.Resolved{want}, got, amounts); diff != "" {
			s.Errorf("resolved (-want +got):\n%s", diff)
		}
		frozen, err := json.Marshal(got[0].Choices[0])
		equal(s, "a choice in an order", fmt.Sprint(string(frozen), err),
			`{"option_id":"1","option_type":"S","option_name":"Size","value":"2","variant_name":"L","modifier":"1.500","modifier_type":"A"}<nil>`)
	})
}

func TestResolve_Problems(t *testing.T) {
	suite.Each(t, func(s *shop) {
		s.forOrders()
		s.option(2, "S", "other") // 6
		for _, c := range []struct {
			selection options.Selection
			says      string
		}{
			{nil, `must say what is chosen of the required option 1 (Size)`},
			{options.Selection{1: ""}, `must say what is chosen of the required option 1 (Size)`},
			{options.Selection{1: "0"}, `must say what is chosen of the required option 1 (Size)`},
			{options.Selection{1: "3"}, `must give the option 1 (Size) one of its own variants, not "3"`},
			{options.Selection{1: "99"}, `must give the option 1 (Size) one of its own variants, not "99"`},
			{options.Selection{1: "L"}, `must give the option 1 (Size) one of its own variants, not "L"`},
			{options.Selection{1: "1", 6: "6"}, `must hold options of the product 1; 6 is none of them`},
			{options.Selection{1: "1", 99: "6"}, `must hold options of the product 1; 99 is none of them`},
			{options.Selection{1: "1", 4: strings.Repeat("Ä", 256)}, `must fit the option 4 (Name): at most 255 characters, not 256`},
			{options.Selection{1: "1", 5: strings.Repeat("Ä", 4097)}, `must fit the option 5 (Card): at most 4096 characters, not 4097`},
			{options.Selection{1: "1", 4: "ana"}, `must fit the option 4 (Name): a capital letter comes first`},
			{options.Selection{1: "1", 4: strings.Repeat("A", 255), 5: strings.Repeat("a", 4096)}, ``},
			{options.Selection{1: "1", 2: "0", 3: "0"}, ``},
		} {
			_, problems := s.resolve(options.Line{ProductID: 1, Selection: c.selection})
			equal(s, fmt.Sprintf("%.60v", c.selection), problems["product_options"], c.says)
		}
		_, problems := s.resolve(options.Line{ProductID: 1, Field: "first"}, options.Line{ProductID: 2}, options.Line{ProductID: 1, Field: "third"})
		equal(s, "the fields of lines", keys(problems), "first third")
		s.Call(200, "PUT", "options/1", `{"status": "D"}`)
		_, problems = s.resolve(options.Line{ProductID: 1})
		equal(s, "a disabled option", len(problems), 0)
	})
}

func TestResolve_FindsCombinations(t *testing.T) {
	suite.Each(t, func(s *shop) {
		s.forOrders()
		s.combination(1, `{"1": 1, "2": 3}`, 1)
		s.combination(1, `{"1": 2, "2": 3}`, 2)
		s.option(2, "S", "a", "b") // 6: 6 7
		s.combination(2, `{"6": 6}`, 3)
		line := func(product int64, selection options.Selection) options.Line {
			return options.Line{ProductID: product, Selection: selection}
		}
		resolved, _ := s.resolve(
			line(1, options.Selection{1: "1", 2: "3"}), line(1, options.Selection{1: "2", 2: "3", 3: "5"}),
			line(1, options.Selection{1: "1", 2: "4"}), line(1, options.Selection{1: "1"}), line(1, options.Selection{1: "1", 2: "3", 4: "B"}),
			line(2, options.Selection{6: "6"}), line(2, options.Selection{6: "7"}), line(2, nil), line(3, nil))
		var found []string
		for _, r := range resolved {
			amount := "none"
			if r.Combination != nil {
				amount = fmt.Sprint(r.Combination.Amount)
			}
			found = append(found, fmt.Sprint(amount, r.Inventory))
		}
		equal(s, "combinations", strings.Join(found, " "), "1true 2true nonetrue nonetrue 1true 3true nonetrue nonetrue nonefalse")
	})
}

func TestResolve_TakesThreeReads(t *testing.T) {
	suite.Each(t, func(s *shop) {
		s.forOrders()
		s.combination(1, `{"1": 1, "2": 3}`, 1)
		var lines []options.Line
		for range 50 {
			lines = append(lines, options.Line{ProductID: 1, Selection: options.Selection{1: "1", 2: "3"}}, options.Line{ProductID: 2})
		}
		counted := &shoptest.CountingStore{Store: s.Store}
		var problems shopapi.Problems
		s.Must(counted.View(s.Context(), func(ctx context.Context, tx store.Tx) error {
			_, err := s.Options.Resolve(ctx, tx, &problems, lines...)
			return err
		}))
		equal(s, "reads", counted.Reads.Load(), 3)
	})
}

func TestAddAmount(t *testing.T) {
	suite.Each(t, func(s *shop) {
		s.sizes()
		s.Call(200, "PUT", "products/1", `{"tracking": "O"}`)
		var hash int64
		_, err := fmt.Sscan(s.combination(1, `{"1": 1, "2": 3}`, 5), &hash)
		s.Must(err)
		add := func(hash, n int64) error {
			return s.Store.Update(s.Context(), func(ctx context.Context, tx store.Tx) error { return s.Options.AddAmount(ctx, tx, hash, n) })
		}
		s.Must(add(hash, -7))
		equal(s, "the combination", s.List("combinations?product_id=1", "amount"), "-2")
		equal(s, "the product", s.Field("products/1", "amount"), `"-2"`)
		s.Call(200, "PUT", fmt.Sprintf("combinations/%d", hash), `{"amount": "-2", "position": 3}`) // as it is
		if err := add(99, 1); err != store.ErrNotFound {
			s.Errorf("a combination that is gone: %v, want ErrNotFound", err)
		}
	})
}

func TestSelection_JSON(t *testing.T) {
	for text, want := range map[string]string{
		`{"12": 33, "5": "For \"Ana\""}`: `{"5":"For \"Ana\"","12":"33"}`,
		`{}`:                             `{}`,
		`[]`:                             `{}`,
		`null`:                           `{}`,
		` "" `:                           `{}`,
		`{"12": null}`:                   `{"12":""}`,
		`{"12": true}`:                   `must give the option 12 the id of a variant or a text`,
		`{"12": [33]}`:                   `must give the option 12 the id of a variant or a text`,
		`{"size": 33}`:                   `must have ids of options as keys, not "size"`,
		`[33]`:                           `must be an object of ids of options with ids of variants or texts, such as {"12": "33", "15": "For Ana"}`,
		`33`:                             `must be an object of ids of options with ids of variants or texts, such as {"12": "33", "15": "For Ana"}`,
	} {
		var s options.Selection
		got := ""
		if err := s.UnmarshalJSON([]byte(text)); err != nil {
			got = err.Error()
		} else if written, err := json.Marshal(s); err == nil {
			got = string(written)
		}
		if got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}

// FuzzSelection reads any text: encoding a decoded selection and decoding it again
// returns the same.
func FuzzSelection(f *testing.F) {
	for _, seed := range []string{`{"12":33,"5":"a"}`, `[]`, `{"12":null}`, `{"012":1}`, `{"1":1e5}`, `{"1":"\u0000"}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var s, again options.Selection
		if s.UnmarshalJSON([]byte(text)) != nil {
			return
		}
		written, err := json.Marshal(s)
		if err != nil || json.Unmarshal(written, &again) != nil {
			t.Fatalf("%q is written as %q, which cannot be read: %v", text, written, err)
		}
		if diff := cmp.Diff(s, again); diff != "" {
			t.Fatalf("%q is written as %q (-read +read again):\n%s", text, written, diff)
		}
	})
}

// FuzzVariants sends any variants: they are stored or refused, never a 500, and stored
// variants are shown in the usual form.
func FuzzVariants(f *testing.F) {
	for _, seed := range []string{
		`[{"variant_name":"a"}]`, `{"1":{}}`, `{"1":{"variant_id":"2"}}`, `{"a":{"variant_name":"b","modifier":"1.5"}}`, `[]`, `null`, `""`, `[[]]`, `{"1":[]}`,
	} {
		f.Add(seed, "S")
		f.Add(seed, "C")
	}
	f.Fuzz(func(t *testing.T, variants, kind string) {
		if !json.Valid([]byte(variants)) {
			return
		}
		s := suite.Open(t, shoptest.Memory(t), shopapi.Options{})
		s.option(1, "S", "a", "b")
		quoted, err := json.Marshal(kind)
		s.Must(err)
		for _, r := range [][3]string{
			{"POST", "options", `{"product_id": 1, "option_name": "n", "option_type": ` + string(quoted) + `, "variants": ` + variants + `}`},
			{"PUT", "options/1", `{"option_type": ` + string(quoted) + `, "variants": ` + variants + `}`},
		} {
			answer := s.Send(r[0], r[1], r[2])
			if answer.Status != 200 && answer.Status != 201 && answer.Status != 400 {
				t.Errorf("%v is answered %d %s", r, answer.Status, answer.Body)
			}
			s.variants("1")
		}
	})
}
