package conditional_test

import (
	"testing"

	"github.com/shopapi/shopapi/internal/conditional"
)

// TestTag: equal responses have equal tags, and a tag differs by header and body.
func TestTag(t *testing.T) {
	fields := func(value string) []conditional.Field {
		return []conditional.Field{{Name: "Content-Type", Values: []string{value}}}
	}
	tag := conditional.Tag(fields("application/json"), []byte("{}"))
	if len(tag) != 34 || tag[0] != '"' || tag[33] != '"' {
		t.Errorf("the tag is %s, want 32 hex digits in quotation marks", tag)
	}
	if again := conditional.Tag(fields("application/json"), []byte("{}")); again != tag {
		t.Errorf("the same response has the tags %s and %s", tag, again)
	}
	for _, other := range []string{
		conditional.Tag(fields("text/plain"), []byte("{}")), conditional.Tag(fields("application/json"), []byte("[]")), conditional.Tag(nil, []byte("{}")),
	} {
		if other == tag {
			t.Errorf("another response has the tag %s too", tag)
		}
	}
}

// TestPrecondition: RFC 9110, §13.1.1 and §13.1.2.
func TestPrecondition(t *testing.T) {
	const tag = `"a1"`
	for _, test := range []struct {
		name             string
		match, noneMatch []string
		exists           bool
		failsMatch       bool
		failsNoneMatch   bool
	}{
		{"none", nil, nil, true, false, false},
		{"If-Match alone", []string{`"a1"`}, nil, true, false, false},
		{"If-None-Match alone", nil, []string{`"a1"`}, true, false, true},
		{"the tag", []string{`"a1"`}, []string{`"a1"`}, true, false, true},
		{"a list", []string{`"b2", "a1"`}, []string{`"b2", "a1"`}, true, false, true},
		{"two headers", []string{`"b2"`, `"a1"`}, []string{`"b2"`, `"a1"`}, true, false, true},
		{"another tag", []string{`"b2"`}, []string{`"b2"`}, true, true, false},
		{"a weak tag", []string{`W/"a1"`}, []string{`W/"a1"`}, true, true, true},
		{"any", []string{"*"}, []string{"*"}, true, false, true},
		{"any, of an object that does not exist", []string{"*"}, []string{"*"}, false, true, false},
		{"the tag, of an object that does not exist", []string{`"a1"`}, []string{`"a1"`}, false, true, false},
		{"a comma in a tag", []string{`"b,2"`}, []string{`"b,2"`}, true, true, false},
		{"another coding", []string{`"a1-gzip"`}, []string{`"a1-zstd"`}, true, false, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := conditional.Precondition{Match: test.match, NoneMatch: test.noneMatch}
			if got := p.FailsMatch(tag, test.exists); got != test.failsMatch {
				t.Errorf("If-Match fails: %v, want %v", got, test.failsMatch)
			}
			if got := p.FailsNoneMatch(tag, test.exists); got != test.failsNoneMatch {
				t.Errorf("If-None-Match fails: %v, want %v", got, test.failsNoneMatch)
			}
			if got, want := p.IsZero(), test.match == nil && test.noneMatch == nil; got != want {
				t.Errorf("there is no precondition: %v, want %v", got, want)
			}
		})
	}
}

func TestWithCoding(t *testing.T) {
	if got := conditional.WithCoding(`"a1"`, "gzip"); got != `"a1-gzip"` {
		t.Errorf("the tag is %s", got)
	}
}
