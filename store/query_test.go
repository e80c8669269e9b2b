package store_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/shopapi/shopapi/store"
)

var words = func() *store.Schema {
	s, err := store.NewSchema("words", []store.Column{
		{Name: "id", Kind: store.Integer}, {Name: "word", Kind: store.Text, Null: true, Fold: true},
	})
	if err != nil {
		panic(err)
	}
	return s
}()

func wordMatches(word store.Value, c store.Cond) bool {
	return store.Match(words, []store.Value{store.Int(1), word}, []store.Cond{c}, nil)
}

func isText(s string) bool { return utf8.ValidString(s) && !strings.Contains(s, "\x00") }

// A text starts with a prefix exactly when Match says so.
func FuzzStartsWith(f *testing.F) {
	for _, s := range [][2]string{
		{"abc", "ab"}, {"abd", "abc"}, {"ab", "abc"}, {"", ""}, {"\ud7ff", "\ud7ff"}, {"\ue000", "\ud7ff"},
		{"\U0010ffff\U0010ffffa", "\U0010ffff\U0010ffff"}, {"b", "a\U0010ffff"}, {"é", "\xc3"}, {"a\x00", "a"}, {"\u0080", "\u007f"},
	} {
		f.Add(s[0], s[1])
	}
	f.Fuzz(func(t *testing.T, s, prefix string) {
		if !isText(s) {
			return
		}
		want := strings.HasPrefix(s, prefix) && isText(prefix)
		if got := wordMatches(store.String(s), store.StartsWith("word", prefix)); got != want {
			t.Errorf("Match says that %q starts with %q: %v", s, prefix, got)
		}
		longer := prefix + s
		if isText(longer) && !wordMatches(store.String(longer), store.StartsWith("word", prefix)) {
			t.Errorf("Match says that %q does not start with %q", longer, prefix)
		}
	})
}

// A text that no row can hold equals nothing and begins nothing, and reaches no
// store.
func TestBadTextInConditions(t *testing.T) {
	for _, bad := range []string{"\x00", "a\x00", "\xff", "a\xc3"} {
		v := store.String(bad)
		for name, c := range map[string]store.Cond{
			"Equal":        store.Equal("word", v),
			"In":           store.In("word", v, v),
			"Contains":     store.Contains("word", bad),
			"EqualFold":    store.EqualFold("word", bad),
			"StartsWith":   store.StartsWith("word", bad),
			"Not NotEqual": store.Not(store.NotEqual("word", v)),
		} {
			for _, word := range []store.Value{store.Null, store.String(""), store.String("a"), store.String("é"), store.String("\ufffd")} {
				if wordMatches(word, c) {
					t.Errorf("%s with %q holds for %#v", name, bad, word)
				}
			}
		}
	}
	values := []store.Value{store.String("a"), store.String("\xff"), store.String("b")}
	c := store.In("word", values...)
	if len(c.Values) != 2 || values[1] != store.String("\xff") {
		t.Errorf("In has %#v of the values and leaves its arguments %#v", c.Values, values)
	}
}
