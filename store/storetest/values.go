package storetest

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/shopapi/shopapi/store"
)

var valueCases = []testCase{
	{"TextsAreStoredAsTheyAre", testTexts},
	{"BadTextIsATextError", testBadText},
	{"ABadTextInAConditionMatchesNothing", testBadTextInConditions},
	{"IntegersKeepTheirWholeRange", testIntegers},
	{"AmountsAreExact", testAmounts},
	{"DocumentsKeepTheirBytes", testDocuments},
}

func testTexts(t *testing.T, st store.Store) {
	migrate(t, st, items.Schema())
	for _, text := range append(nastyTexts, "") {
		row := insert(t, st, items, item{Name: text, Code: text, Nick: &text, Note: &text})[0]
		view(t, st, func(_ context.Context, tx store.Tx) error {
			got, err := items.Get(tx, row.ItemID)
			if got.Name != text || got.Code != text || got.Nick == nil || *got.Nick != text || got.Note == nil || *got.Note != text {
				t.Errorf("the text %.40q (%d bytes) is not what was read", text, len(text))
			}
			return err
		})
	}
}

func testBadText(t *testing.T, st store.Store) {
	migrate(t, st, items.Schema())
	for _, bad := range []string{"\x00", "a\x00b", "\xff", "a\xc3", "\xed\xa0\x80"} {
		for column, row := range map[string]item{
			"code": {Code: bad}, "name": {Name: bad}, "note": {Note: &bad}, "nick": {Nick: &bad},
			"options": {Options: jsonText(bad)}, "extra": {Extra: new(jsonText(bad))},
		} {
			err := st.Update(t.Context(), func(_ context.Context, tx store.Tx) error {
				if err := items.Insert(tx, &item{Name: "before"}); err != nil {
					return err
				}
				return items.Insert(tx, &row)
			})
			var textError *store.TextError
			if !errors.As(err, &textError) || !errors.Is(err, store.ErrBadText) || textError.Column != column {
				t.Errorf("the text %q in %s: %v, want a TextError that names the column", bad, column, err)
			}
		}
	}
	same(t, "nothing was added", int64(0), count(t, st, items))
}

func testBadTextInConditions(t *testing.T, st store.Store) {
	migrate(t, st, items.Schema())
	insert(t, st, items, item{Name: "a", Code: "a"}, item{Name: "é", Code: "é"}, item{})
	for _, bad := range []string{"\x00", "a\x00", "\x00a", "a\xff", "\xc3"} {
		for name, cond := range map[string]store.Cond{
			"Equal":      store.Equal("code", store.String(bad)),
			"In":         store.In("code", store.String(bad)),
			"Contains":   store.Contains("name", bad),
			"EqualFold":  store.EqualFold("name", bad),
			"StartsWith": store.StartsWith("code", bad),
		} {
			same(t, name+" with a text that no row can hold matches nothing", int64(0), count(t, st, items, cond))
		}
	}
}

func testIntegers(t *testing.T, st store.Store) {
	migrate(t, st, items.Schema())
	sorted := []int64{math.MinInt64, math.MinInt64 + 1, -1 << 53, -1<<53 + 1, -1, 0, 1, 1<<31 - 1, 1 << 31, 1 << 53, 1<<53 + 1, math.MaxInt64 - 1, math.MaxInt64}
	for _, n := range sorted {
		insert(t, st, items, item{Order: n, Rank: &n})
	}
	var got, ranks []int64
	for _, row := range list(t, st, items, store.Query{Order: []store.Order{store.Asc("rank")}}) {
		got, ranks = append(got, row.Order), append(ranks, *row.Rank)
	}
	same(t, "integers are stored and ordered exactly", sorted, got)
	same(t, "integers that may be null are stored exactly", sorted, ranks)
	for i, n := range sorted {
		same(t, "Equal is exact", int64(1), count(t, st, items, store.Equal("order", store.Int(n))))
		same(t, "In is exact", int64(1), count(t, st, items, store.InInts("rank", n)))
		same(t, "Less is exact", int64(i), count(t, st, items, store.Less("order", store.Int(n))))
		same(t, "AtLeast is exact", int64(len(sorted)-i), count(t, st, items, store.AtLeast("order", store.Int(n))))
	}
}

func testAmounts(t *testing.T, st store.Store) {
	migrate(t, st, items.Schema())
	for _, price := range []string{"0.00", "0.01", "-0.01", "0.10", "1.50", "19.99", "-19.99", "0.29", "1.10", "92233720368547758.07", "-92233720368547758.07"} {
		discount := amount("0.0001")
		row := insert(t, st, items, item{Price: amount(price), Discount: &discount})[0]
		view(t, st, func(_ context.Context, tx store.Tx) error {
			got, err := items.Get(tx, row.ItemID)
			same(t, "an amount is read with its decimals", price, got.Price.String())
			same(t, "so is one that may be null", "0.0001", got.Discount.String())
			return err
		})
	}
	err := st.Update(t.Context(), func(_ context.Context, tx store.Tx) error {
		return items.Insert(tx, &item{Price: amount("92233720368547758.08")})
	})
	if err == nil {
		t.Error("an amount beyond 64 bits was taken")
	}
	same(t, "ranges are exact", int64(3), count(t, st, items, store.AtLeast("price", store.Int(1)), store.AtMost("price", store.Int(29))))
}

func testDocuments(t *testing.T, st store.Store) {
	migrate(t, st, items.Schema())
	for _, document := range []string{
		`[]`, `{}`, `{"b": 1,  "a": 2, "a": 3}`, ` [1] `, `1.0`, `1e3`, `10`, `12345678901234567890.123`, `"text"`, `null`, `true`,
		"{\n\t\"x\": [\n]\n}", `{"ü": "😀\u00fc\/"}`, `["` + strings.Repeat("x", 1<<16) + `"]`,
	} {
		row := insert(t, st, items, item{Options: jsonText(document), Extra: new(jsonText(document))})[0]
		view(t, st, func(_ context.Context, tx store.Tx) error {
			got, err := items.Get(tx, row.ItemID)
			same(t, "a document keeps its bytes", document, string(got.Options))
			same(t, "so does one that may be null", document, string(*got.Extra))
			return err
		})
	}
	row := insert(t, st, items, item{})[0]
	view(t, st, func(_ context.Context, tx store.Tx) error {
		got, err := items.Get(tx, row.ItemID)
		same(t, "no document is an empty array", "[]", string(got.Options))
		if got.Extra != nil {
			t.Errorf("a null document is read as %s", *got.Extra)
		}
		return err
	})
}
