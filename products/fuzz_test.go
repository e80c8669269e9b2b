package products

import (
	"encoding/json"
	"math/big"
	"strings"
	"testing"

	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi"
)

// FuzzAmounts checks that an amount which is taken is kept exactly, and shown with
// the decimals of its column.
func FuzzAmounts(f *testing.F) {
	for _, s := range []string{"0", "9.5", "9999999999.99", "-1", "0.005", "1e9", "10000000000", "123456789012345678901"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		d, err := decimal.Parse(s)
		if err != nil {
			return
		}
		var problems shopapi.Problems
		checkAmountText(&problems, "price", 2, s)
		checkAmount(&problems, "price", 2, d)
		if problems.Err() != nil {
			return
		}
		shown := d.Rescale(2).String()
		if i := strings.IndexByte(shown, '.'); i < 0 || len(shown)-i != 3 {
			t.Errorf("%q is shown as %q", s, shown)
		}
		if len(s) > 60 {
			return
		}
		want, _ := new(big.Rat).SetString(s)
		if got, _ := new(big.Rat).SetString(shown); got.Cmp(want) != 0 {
			t.Errorf("%q is shown as %q", s, shown)
		}
	})
}

// FuzzDocuments checks that feature documents are returned as an object or an empty
// array, that a returned document is accepted unchanged, and that it contains no numbers.
func FuzzDocuments(f *testing.F) {
	for _, s := range []string{`[]`, `{}`, `null`, `""`, `{"1":2}`, `{"10":{"value":1.5},"9":"3"}`, `{"1":{"value":"\u003cb>"}}`, `{`, `[[1]]`, `{"1":{}} x`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		doc, problem := normalizeFeatures(shopapi.JSON(s))
		if problem != "" {
			return
		}
		if !json.Valid(doc) || doc[0] != '{' && string(doc) != "[]" {
			t.Errorf("%q became %q", s, doc)
		}
		again, problem := normalizeFeatures(doc)
		if problem != "" || string(again) != string(doc) {
			t.Errorf("%q became %q, and that %q: %s", s, doc, again, problem)
		}
		var value any
		if err := json.Unmarshal(doc, &value); err != nil {
			t.Error(err)
		}
		if holdsNumber(value) {
			t.Errorf("%q became %q, which holds a number", s, doc)
		}
	})
}

func holdsNumber(value any) bool {
	switch value := value.(type) {
	case float64:
		return true
	case []any:
		for _, item := range value {
			if holdsNumber(item) {
				return true
			}
		}
	case map[string]any:
		for _, item := range value {
			if holdsNumber(item) {
				return true
			}
		}
	}
	return false
}
