package products_test

import (
	"encoding/json"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/internal/shoptest"
)

// fuzzed is a shop with a product for a fuzz target, which changes the product.
func fuzzed(f *testing.F) (*shop, string) {
	s := suite.Open(f, shoptest.Memory(f), shopapi.Options{})
	return s, at(s.add(`{"product": "Mug", "category_ids": [%d]}`, s.addCategory("All", 0, 1)))
}

// accepts reports whether a change is answered 200. It is answered 400 otherwise.
func (s *shop) accepts(address string, change any) bool {
	s.Helper()
	body, err := json.Marshal(change)
	if err != nil {
		s.Fatal(err)
	}
	answer := s.Send("PUT", address, string(body))
	if answer.Status != 200 && answer.Status != 400 {
		s.Fatalf("%s: status %d, want 200 or 400: %s", body, answer.Status, answer.Body)
	}
	return answer.Status == 200
}

// FuzzAmounts checks that an amount which is taken is kept exactly, and shown with
// the decimals of its column.
func FuzzAmounts(f *testing.F) {
	for _, s := range []string{"0", "9.5", "9999999999.99", "-1", "0.005", "1e9", "10000000000", "123456789012345678901"} {
		f.Add(s)
	}
	s, mug := fuzzed(f)
	f.Fuzz(func(t *testing.T, text string) {
		s := s.in(t)
		if !s.accepts(mug, map[string]string{"price": text}) {
			return
		}
		shown := strings.Trim(s.Field(mug, "price"), `"`)
		if i := strings.IndexByte(shown, '.'); i < 0 || len(shown)-i != 3 {
			t.Errorf("%q is shown as %q", text, shown)
		}
		if len(text) > 60 {
			return
		}
		want, isNumber := new(big.Rat).SetString(text)
		if got, _ := new(big.Rat).SetString(shown); isNumber && got.Cmp(want) != 0 {
			t.Errorf("%q is shown as %q", text, shown)
		}
	})
}

// FuzzDocuments checks that feature documents are returned as an object or an empty
// array, that a returned document is accepted unchanged, and that it contains no numbers.
func FuzzDocuments(f *testing.F) {
	for _, s := range []string{`[]`, `{}`, `null`, `""`, `{"1":2}`, `{"10":{"value":1.5},"9":"3"}`, `{"1":{"value":"\u003cb>"}}`, `{`, `[[1]]`, `{"1":{}} x`} {
		f.Add(s)
	}
	s, mug := fuzzed(f)
	f.Fuzz(func(t *testing.T, sent string) {
		s := s.in(t)
		if !json.Valid([]byte(sent)) || !s.accepts(mug, map[string]any{"product_features": json.RawMessage(sent)}) {
			return
		}
		shown := s.Field(mug, "product_features")
		if !json.Valid([]byte(shown)) || shown[0] != '{' && shown != "[]" {
			t.Errorf("%q became %q", sent, shown)
		}
		if !s.accepts(mug, map[string]any{"product_features": json.RawMessage(shown)}) {
			t.Fatalf("%q became %q, which is refused", sent, shown)
		}
		if again := s.Field(mug, "product_features"); again != shown {
			t.Errorf("%q became %q, and that %q", sent, shown, again)
		}
		var value any
		if err := json.Unmarshal([]byte(shown), &value); err != nil {
			t.Error(err)
		}
		if holdsNumber(value) {
			t.Errorf("%q became %q, which holds a number", sent, shown)
		}
	})
}

// holdsNumber reports whether a number is in JSON.
func holdsNumber(value any) bool {
	switch value := value.(type) {
	case float64:
		return true
	case []any:
		if slices.ContainsFunc(value, holdsNumber) {
			return true
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
