package body_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi/internal/body"
	"github.com/shopapi/shopapi/internal/clienterror"
	"github.com/shopapi/shopapi/internal/form"
	"github.com/shopapi/shopapi/internal/jsonenc"
	"github.com/shopapi/shopapi/internal/plain"
)

func FuzzJSON(f *testing.F) {
	for _, seed := range []string{
		`{"a":1}`, `{"a":{"b":[null,true,"\u00e9\ud83d\ude00"]}}`, `[]`, `null`, `{"a":"\ud800"}`, `{"a":"\u0000"}`, `{"a":1e999}`, `[[[[`, ` { } `, `{"a":1,"a":2}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		if !plain.IsText(string(doc)) {
			return // refused before it is parsed
		}
		fields, err := body.JSON(doc)
		if err != nil {
			var refused *clienterror.Error
			if !errors.As(err, &refused) || refused.Status != 400 || refused.Message == "" {
				t.Errorf("%v, want a 400 with a message", err)
			}
			return
		}
		tree := checkFields(t, fields)
		if len(fields) == 0 {
			return
		}
		want, err := decode(doc)
		if err != nil {
			t.Fatalf("accepted %q, which is not JSON: %v", doc, err)
		}
		if diff := cmp.Diff(want, tree); diff != "" {
			t.Error(diff)
		}
		again, err := json.Marshal(fields)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := form.FromJSON(again, jsonenc.Unlimited()); err != nil {
			t.Errorf("%s has no form: %v", again, err)
		}
	})
}

// checkFields checks what binding relies on: every field is valid JSON without
// space before it, in valid UTF-8 without NUL.
func checkFields(t *testing.T, fields body.Fields) any {
	t.Helper()
	tree := map[string]any{}
	for name, raw := range fields {
		if !plain.IsText(name) || len(raw) == 0 || !json.Valid(raw) || !bytes.Equal(raw, bytes.TrimSpace(raw)) {
			t.Errorf("field %q is %q", name, raw)
		}
		v, err := decode(raw)
		if err != nil {
			t.Errorf("field %q is %q: %v", name, raw, err)
		}
		if text, ok := v.(string); ok && !plain.IsText(text) {
			t.Errorf("field %q holds the text %q", name, text)
		}
		tree[name] = v
	}
	return tree
}

// decode reads JSON with numbers as they were written.
func decode(doc []byte) (v any, err error) {
	d := json.NewDecoder(bytes.NewReader(doc))
	d.UseNumber()
	err = d.Decode(&v)
	return v, err
}

// A body that is an object, but for a character that no text may have, is refused by the field with
// the text, at any depth (§4).
func TestJSON_NamesTheFieldOfAWrongCharacter(t *testing.T) {
	for doc, want := range map[string]clienterror.Error{
		`{"a":1,"b":"x\u0000"}`:          {Status: 400, OfField: true, Field: "b", Message: "must not have NUL characters"},
		` {"a":1,"b":{"c":["\u0000"]}} `: {Status: 400, OfField: true, Field: "b", Message: "must not have NUL characters"},
		`{"b":{"\u0000":1}}`:             {Status: 400, OfField: true, Field: "b", Message: "must not have NUL characters"},
		`{"a":"\ud800","b":"\u0000"}`:    {Status: 400, OfField: true, Field: "a", Message: "must not have half of a surrogate pair"},
		`{"k\u00f6pa":"\u0000"}`:         {Status: 400, OfField: true, Field: "köpa", Message: "must not have NUL characters"},
		`{"\u0000":1}`:                   {Status: 400, Message: "The body holds a NUL character, which no field may have."},
		`{"b":"\u0000"`:                  {Status: 400, Message: "The body holds a NUL character, which no field may have."},
		`["\u0000"]`:                     {Status: 400, Message: "The body holds a NUL character, which no field may have."},
		"{\"a\":1,\"b\":\"x\x00\"}":      {Status: 400, OfField: true, Field: "b", Message: "must be valid UTF-8 without NUL characters"},
		" {\"b\":{\"c\":[\"\xff\"]}}":    {Status: 400, OfField: true, Field: "b", Message: "must be valid UTF-8 without NUL characters"},
		"{\"a\":1\x00}":                  {Status: 400, Message: "The body is not valid UTF-8, or holds a NUL character."},
		"{\"\xff\":1}":                   {Status: 400, Message: "The body is not valid UTF-8, or holds a NUL character."},
		"{\"b\":\"\xff\"":                {Status: 400, Message: "The body is not valid UTF-8, or holds a NUL character."},
		"[\"\xff\"]":                     {Status: 400, Message: "The body is not valid UTF-8, or holds a NUL character."},
	} {
		_, err := body.JSON([]byte(doc))
		var got *clienterror.Error
		if !errors.As(err, &got) {
			t.Errorf("%s: %v", doc, err)
			continue
		}
		if diff := cmp.Diff(want, *got); diff != "" {
			t.Errorf("%s: %s", doc, diff)
		}
	}
}
