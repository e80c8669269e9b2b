package storetest

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/shopapi/shopapi/store"
)

func testContains(t *testing.T, st store.Store) {
	migrate(t, st, items.Schema())
	for _, c := range []struct {
		text, part string
		contains   bool
		equal      bool
	}{
		{"Straße", "STRASSE", true, true},
		{"STRASSE", "straße", true, true},
		{"STRAẞE", "straße", true, true},
		{"Straße", "SS", true, false},
		{"Straße", "s", true, false},
		{"café", "CAFÉ", true, true},
		{"CAFE\u0301", "café", true, true},
		{"café", "E\u0301", true, false},
		{"café", "cafe", false, false},
		{"cafe", "café", false, false},
		{"ЖУК", "жук", true, true},
		{"жук", "УК", true, false},
		{"ΣΊΣΥΦΟΣ", "σίσυφος", true, true},
		{"ﬁx", "FIX", true, true},
		{"İ", "i\u0307", true, true},
		{"100%", "%", true, false},
		{"100", "%", false, false},
		{"abc", "a%c", false, false},
		{"a_c", "A_C", true, true},
		{"abc", "a_c", false, false},
		{`a\b`, `\`, true, false},
		{`a\b`, `A\B`, true, true},
		{`ab`, `a\b`, false, false},
		{"it's", "T'S", true, false},
		{"it's", "IT'S", true, true},
		{`say "x"`, `"X"`, true, false},
		{"a*c", "*", true, false},
		{"abc", "a*c", false, false},
		{"a?c", "A?C", true, true},
		{"abc", "a?c", false, false},
		{"[a]", "[a]", true, true},
		{"a", "[a]", false, false},
		{"", "", true, true},
		{"a", "", true, false},
		{"", "a", false, false},
		{" a ", "a", true, false},
		{"a", " a ", false, false},
		{"a\nb", "A\nB", true, true},
		{"👩‍👩‍👧 tea", "👩‍👩‍👧 TEA", true, true},
		{"日本語", "本", true, false},
	} {
		row := insert(t, st, items, item{Name: c.text, Nick: &c.text})[0]
		mine := store.Equal("item_id", store.Int(row.ItemID))
		for _, column := range []string{"name", "nick"} {
			if got := count(t, st, items, mine, store.Contains(column, c.part)) == 1; got != c.contains {
				t.Errorf("Contains(%s, %q) of the text %q is %v", column, c.part, c.text, got)
			}
			if got := count(t, st, items, store.Contains(column, c.part), mine, store.EqualFold(column, c.part)) == 1; got != c.equal {
				t.Errorf("EqualFold(%s, %q) of the text %q is %v", column, c.part, c.text, got)
			}
		}
		if err := matches(row, store.Contains("name", c.part)); err != c.contains {
			t.Errorf("store.Match says that Contains(%q) of %q is %v", c.part, c.text, err)
		}
	}
}

// matches is the result of store.Match for a row's name.
func matches(row item, cond store.Cond) bool {
	values := make([]store.Value, len(items.Schema().Columns))
	values[items.Schema().Index("name")] = store.String(row.Name)
	return store.Match(items.Schema(), values, []store.Cond{cond}, nil)
}

func testStartsWith(t *testing.T, st store.Store) {
	migrate(t, st, items.Schema())
	texts := []string{
		"", "a", "A", "ab", "abc", "b", "á", "a\u0301", "%", "%a", "_", "a_", "a%", `\`, "z", "{",
		"\u007f", "\u0080", "\ud7ff", "\ud7ffx", "\ue000", "\uffff", "\U00010000", "\U0010ffff", "\U0010ffff\U0010ffff", "a\U0010ffff", "a\U0010ffffb",
	}
	for _, text := range texts {
		insert(t, st, items, item{Code: text, Note: &text, Name: text})
	}
	for _, prefix := range texts {
		want := int64(0)
		for _, text := range texts {
			if strings.HasPrefix(text, prefix) {
				want++
			}
		}
		for _, column := range []string{"code", "note", "name"} {
			if got := count(t, st, items, store.StartsWith(column, prefix)); got != want {
				t.Errorf("%d texts in %s start with %q, want %d", got, column, prefix, want)
			}
		}
	}
}

func testNoPatterns(t *testing.T, st store.Store) {
	migrate(t, st, items.Schema())
	for _, text := range nastyTexts {
		row := insert(t, st, items, item{Name: text, Code: text})[0]
		for name, cond := range map[string]store.Cond{
			"Equal":      store.Equal("code", store.String(text)),
			"In":         store.In("code", store.String(text), store.String("no such text")),
			"Contains":   store.Contains("name", text),
			"EqualFold":  store.EqualFold("name", text),
			"StartsWith": store.StartsWith("code", text),
		} {
			found := keys(list(t, st, items, store.Query{Where: []store.Cond{cond}, Order: []store.Order{store.Desc("item_id")}, Limit: 1}))
			if len(found) != 1 || found[0] != row.ItemID {
				t.Errorf("%s does not find the text %.40q", name, text)
			}
		}
	}
	same(t, "no text did anything but be stored", int64(len(nastyTexts)), count(t, st, items))
}

// nastyTexts are distinct texts that a store must return as they are.
var nastyTexts = []string{
	"'; DROP TABLE items; --", `"quoted"`, "`", `\`, `\'`, "%", "_", "?", "?1", "$1", ":name", "@name", "--", "/*", ";",
	"NULL", "null", "0", "00", "007", "1e3", "0x10", "1.0", " 1", "1 ", "+1", "-0", "true", "'", "''",
	" leading", "trailing ", "tab\there", "line\nbreak", "carriage\r\nreturn", "\u2028", "\ufeffmark", "\u200b", "\ufffd", "\x01\x1f\x7f",
	"😀", "👩‍👩‍👧", "🇩🇪", "e\u0301", "é", "Ж", "日本語", "שלום", "\U0010ffff", longestIndexed(),
}

// longestIndexed returns a text of [store.MaxIndexedText] bytes that does not compress:
// its letters are pseudo-random, and lower case, so that its folded form is as long.
func longestIndexed() string {
	random := rand.New(rand.NewPCG(1, 2))
	text := make([]byte, store.MaxIndexedText)
	for i := range text {
		text[i] = 'a' + byte(random.IntN(26))
	}
	return string(text)
}

func testLongTexts(t *testing.T, st store.Store) {
	migrate(t, st, items.Schema())
	long := strings.Repeat("64 KiB ü ", 1<<16/10)
	row := insert(t, st, items, item{Note: &long})[0]
	found := list(t, st, items, store.Query{Where: []store.Cond{store.Equal("note", store.String(long))}})
	if len(found) != 1 || found[0].ItemID != row.ItemID || *found[0].Note != long {
		t.Error("a long text of a column without an index is not found as it was written")
	}
}
