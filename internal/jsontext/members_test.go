package jsontext

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Members and Elements read what encoding/json does, with any white space.
func TestMembers(t *testing.T) {
	for _, text := range []string{
		`{}`, `{ }`, `{"a":1}`, "{ \"a\" : 1 ,\n\t\"b\":\r[ 1 , {\"c\": \"}\"} ] }",
		`{"a\"b":"\\","\u00e9":"x,y","é":null,"a":{},"a":[]}`, `{"":"","x":-1.5e3 , "y" :true}`,
	} {
		var want map[string]json.RawMessage
		if err := json.Unmarshal([]byte(text), &want); err != nil {
			t.Fatal(err)
		}
		got := map[string]json.RawMessage{}
		Members([]byte(text), func(name, value []byte) { got[Name(name)] = value })
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
	for _, text := range []string{`[]`, `[ ]`, `[1]`, "[ 1 ,\n{\"a\": [2]} , \"],\" ]", `[[],[[]],null]`} {
		want, got := []json.RawMessage{}, []json.RawMessage{}
		if err := json.Unmarshal([]byte(text), &want); err != nil {
			t.Fatal(err)
		}
		Elements([]byte(text), func(value []byte) { got = append(got, value) })
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
}
