package exceptions_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi/exceptions"
)

func TestCombination_JSON(t *testing.T) {
	for text, want := range map[string]exceptions.Combination{
		`{}`:                              {},
		`{"12":"33","14":"-1"}`:           {12: 33, 14: -1},
		` { "100" : 5 , "9" : "-2" } `:    {9: -2, 100: 5},
		`{"9223372036854775807":"1"}`:     {9223372036854775807: 1},
		`{"\u0031":"\u0032"}`:             {1: 2},
		`{"12":33.0,"14":"3e0"}`:          {12: 33, 14: 3},
		`{"12":33.5}`:                     nil,
		`{"12":"33"`:                      nil,
		`["33"]`:                          nil,
		`"12"`:                            nil,
		`{"12":["33"]}`:                   nil,
		`{"12":"33","12":"34"}`:           nil,
		`{"12":"33","\u0031\u0032":"33"}`: nil,
		``:                                nil,
	} {
		var c exceptions.Combination
		err := c.UnmarshalJSON([]byte(text))
		if diff := cmp.Diff(want, c); diff != "" || (err == nil) != (want != nil) {
			t.Errorf("%s: %v (-want +got):\n%s", text, err, diff)
		}
	}
	b, err := json.Marshal(exceptions.Combination{100: 5, 9: -2, 10: 7})
	if want := `{"9":"-2","10":"7","100":"5"}`; err != nil || string(b) != want {
		t.Errorf("Marshal: %s, %v, want %s", b, err, want)
	}
}

// FuzzCombination reads any text. The result equals a plain reading of the object, and
// reads back from its text.
func FuzzCombination(f *testing.F) {
	for _, seed := range []string{`{}`, `{"12":"33","14":"-1"}`, `{"12":33}`, `{"1":1,"1":2}`, `[1]`, `{"01":1}`, `{"1":1.0}`, `{"1":`, `null`, `{"a":{"b":1}}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		old := exceptions.Combination{1: 2}
		c := old
		if err := c.UnmarshalJSON([]byte(text)); err != nil {
			if !maps.Equal(c, exceptions.Combination{1: 2}) {
				t.Fatalf("%q: refused, but the combination is now %v", text, c)
			}
			return
		}
		if json.Valid([]byte(text)) {
			var plain map[string]any
			if err := json.Unmarshal([]byte(text), &plain); err != nil || len(plain) != len(c) {
				t.Fatalf("%q: read as %v, plainly as %v, %v", text, c, plain, err)
			}
			for option := range c {
				if _, ok := plain[strconv.FormatInt(option, 10)]; !ok {
					t.Fatalf("%q: read as %v, which has an option that the text lacks", text, c)
				}
			}
		}
		written, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		var again exceptions.Combination
		if err := json.Unmarshal(written, &again); err != nil || !maps.Equal(c, again) {
			t.Fatalf("%q: %v is written as %s, which reads as %v, %v", text, c, written, again, err)
		}
		var members map[string]string
		if err := json.Unmarshal(written, &members); err != nil || len(members) != len(c) {
			t.Fatalf("%s is no object of texts: %v", written, err)
		}
		if keys := slices.Sorted(maps.Keys(c)); len(keys) > 0 && string(written[1:2+len(strconv.FormatInt(keys[0], 10))]) != `"`+strconv.FormatInt(keys[0], 10) {
			t.Fatalf("%s does not begin with the least option", written)
		}
	})
}
