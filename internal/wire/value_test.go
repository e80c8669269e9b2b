package wire_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi/internal/wire"
)

func TestIsEmpty(t *testing.T) {
	for text, want := range map[string]bool{
		``: true, `null`: true, ` "" `: true, `[]`: true, `{ }`: true,
		`0`: false, `" "`: false, `[0]`: false, `{"a":""}`: false, `false`: false,
	} {
		if got := wire.IsEmpty([]byte(text)); got != want {
			t.Errorf("%s: got %v, want %v", text, got, want)
		}
	}
}

func TestCompact(t *testing.T) {
	for text, want := range map[string]string{` { "a" : [1, 2] } `: `{"a":[1,2]}`, `[ ]`: ``, `" a "`: `" a "`} {
		if got, err := wire.Compact([]byte(text)); err != nil || got != want {
			t.Errorf("%s: got %q, %v, want %q", text, got, err, want)
		}
	}
	if got, err := wire.Compact([]byte(`{`)); err == nil {
		t.Errorf("invalid JSON: got %q and no error", got)
	}
}

func TestScalar(t *testing.T) {
	for raw, want := range map[string]struct {
		text string
		kind wire.Kind
	}{
		``:            {"", wire.Null},
		`null`:        {"", wire.Null},
		`""`:          {"", wire.String},
		`"Ana"`:       {"Ana", wire.String},
		`"\u00e9\"ü"`: {`é"ü`, wire.String},
		` 1.50 `:      {"1.50", wire.Number},
		`-7`:          {"-7", wire.Number},
		`true`:        {"true", wire.Bool},
		`["a"]`:       {"", wire.Composite},
		`{"a":"b"}`:   {"", wire.Composite},
	} {
		if text, kind := wire.Scalar(json.RawMessage(raw)); text != want.text || kind != want.kind {
			t.Errorf("%s: got %q, %d, want %q, %d", raw, text, kind, want.text, want.kind)
		}
	}
}

func FuzzScalar(f *testing.F) {
	f.Add(`"a\n"`)
	f.Add(`1e5`)
	f.Fuzz(func(t *testing.T, raw string) {
		var value any
		if json.Unmarshal([]byte(raw), &value) != nil {
			return
		}
		text, kind := wire.Scalar(json.RawMessage(raw))
		if s, ok := value.(string); ok != (kind == wire.String) || ok && s != text {
			t.Errorf("%s: got %q, %d, encoding/json reads %#v", raw, text, kind, value)
		}
	})
}

func TestMembers(t *testing.T) {
	got, err := wire.Members(json.RawMessage(`{"b": 1, "a": {"c": [2]}, "b": null}`))
	want := []wire.Member{{Name: "b", Value: json.RawMessage(`1`)}, {Name: "a", Value: json.RawMessage(`{"c": [2]}`)}, {Name: "b", Value: json.RawMessage(`null`)}}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("error %v, members (-want +got):\n%s", err, diff)
	}
	for _, raw := range []string{``, `null`, `[1]`, `"a"`, `{"a":`, `{"a":1`} {
		if got, err := wire.Members(json.RawMessage(raw)); err == nil {
			t.Errorf("%s: got %v and no error", raw, got)
		}
	}
}
