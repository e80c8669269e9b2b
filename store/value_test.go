package store_test

import (
	"cmp"
	"math"
	"testing"

	"github.com/shopapi/shopapi/store"
)

func TestValue(t *testing.T) {
	var zero store.Value
	for _, c := range []struct {
		v            store.Value
		null, isText bool
		n            int64
		text, shown  string
	}{
		{zero, true, false, 0, "", "null"},
		{store.Null, true, false, 0, "", "null"},
		{store.Int(0), false, false, 0, "", "0"},
		{store.Int(math.MinInt64), false, false, math.MinInt64, "", "-9223372036854775808"},
		{store.String(""), false, true, 0, "", `""`},
		{store.String("5"), false, true, 0, "5", `"5"`},
		{store.Bool(true), false, false, 1, "", "1"},
		{store.Bool(false), false, false, 0, "", "0"},
	} {
		if c.v.IsNull() != c.null || c.v.IsText() != c.isText || c.v.Int() != c.n || c.v.Text() != c.text || c.v.GoString() != c.shown {
			t.Errorf("%#v: IsNull %v, IsText %v, Int %d, Text %q", c.v, c.v.IsNull(), c.v.IsText(), c.v.Int(), c.v.Text())
		}
	}
}

// Values have one order: null, integers by size, texts by their bytes.
func TestCompareIsATotalOrder(t *testing.T) {
	sorted := []store.Value{
		store.Null, store.Int(math.MinInt64), store.Int(-1), store.Int(0), store.Int(1), store.Int(math.MaxInt64),
		store.String(""), store.String(" "), store.String("10"), store.String("9"), store.String("A"), store.String("a"),
		store.String("aa"), store.String("ä"), store.String("\uffff"), store.String("\U00010000"),
	}
	for i, v := range sorted {
		for j, w := range sorted {
			if got, want := v.Compare(w), cmp.Compare(i, j); got != want {
				t.Errorf("%#v compares with %#v as %d, want %d", v, w, got, want)
			}
			if got := v.Equal(w); got != (i == j) {
				t.Errorf("%#v equals %#v: %v", v, w, got)
			}
		}
	}
}
