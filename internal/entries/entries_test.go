package entries_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/shopapi/shopapi/internal/entries"
)

func show(list []entries.Entry) string {
	var parts []string
	for _, e := range list {
		parts = append(parts, fmt.Sprintf("%s(%d)=%s", e.Key, e.ID(), e.Value))
	}
	return strings.Join(parts, " ")
}

func TestParse(t *testing.T) {
	for raw, want := range map[string]string{
		``:                          "",
		`null`:                      "",
		`""`:                        "",
		`[]`:                        "",
		`{}`:                        "",
		`[1, {"a": 2}]`:             `0(0)=1 1(0)={"a": 2}`,
		`{"7": "x", "a": null}`:     `7(7)="x" a(0)=null`,
		`{"07": 1, "-1": 1, "0":1}`: `07(0)=1 -1(0)=1 0(0)=1`,
	} {
		list, err := entries.Parse(json.RawMessage(raw))
		if got := show(list); err != nil || got != want {
			t.Errorf("%s: %s, %v; want %s", raw, got, err, want)
		}
	}
	for _, raw := range []string{`1`, `"x"`, `true`, `{`, `[1`, `{"a"`} {
		if _, err := entries.Parse(json.RawMessage(raw)); err == nil {
			t.Errorf("%s is read as a list", raw)
		}
	}
}

// TestParseMost: a list with more entries is refused before it is read to its end.
func TestParseMost(t *testing.T) {
	for _, raw := range []string{`[1,2]`, `{"a":1,"b":2}`} {
		if list, err := entries.ParseMost(json.RawMessage(raw), 2); err != nil || len(list) != 2 {
			t.Errorf("%s has %d entries, %v", raw, len(list), err)
		}
	}
	for _, raw := range []string{`[1,2,3`, `{"a":1,"b":2,"c":`} {
		if _, err := entries.ParseMost(json.RawMessage(raw), 2); !errors.Is(err, entries.ErrTooMany) {
			t.Errorf("%s: %v", raw, err)
		}
	}
}
