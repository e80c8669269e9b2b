package wire_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi/internal/wire"
)

func TestTexts(t *testing.T) {
	for raw, want := range map[string][]string{
		`null`:              nil,
		`["a","b"]`:         {"a", "b"},
		`"a,b"`:             {"a", "b"},
		`{"0":"b","1":"a"}`: {"b", "a"},
		`{"views":"a"}`:     {"a"},
	} {
		if got, ok := wire.Texts(json.RawMessage(raw)); !ok || cmp.Diff(want, got) != "" {
			t.Errorf("%s is read as %q, %v, want %q", raw, got, ok, want)
		}
	}
	for _, raw := range []string{`1`, `true`, `[1]`, `[null]`, `{"0":null}`, `{"0":1}`, `{"0":["a"]}`} {
		if got, ok := wire.Texts(json.RawMessage(raw)); ok {
			t.Errorf("%s is read as %q", raw, got)
		}
	}
}
