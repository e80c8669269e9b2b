package form_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi/internal/form"
	"github.com/shopapi/shopapi/internal/jsonenc"
	"github.com/shopapi/shopapi/internal/plain"
)

func TestParse(t *testing.T) {
	for body, want := range map[string]string{
		"":                        `null`,
		" [] ":                    `null`,
		"a=1&b=&a=2":              `{"a":"2","b":""}`,
		"a=+%2B&&c":               `{"a":" +","c":""}`,
		"a[]=x&a[]=y":             `{"a":["x","y"]}`,
		"a[1]=x&a[]=y":            `{"a":{"1":"x","2":"y"}}`,
		"a[b][c]=1&a[b][d][]=2":   `{"a":{"b":{"c":"1","d":["2"]}}}`,
		"[1]=2&combination[12]=3": `The name "[1]" is malformed: it must be a name, or a name with keys as in name[key][].`,
		"a=%zz":                   `The pair "a=%zz" is malformed: it must be name=value, percent-encoded.`,
		"a=1&a[]=2":               `a is given both as a value and as an array`,
		"a[b][c][d][e][f]=1":      `{"a":{"b":{"c":{"d":{"e":{"f":"1"}}}}}}`,
		"a[b][c][d][e][f][g]=1":   `a is nested more than 5 levels deep`,
		"a=%00":                   `a must be valid UTF-8 without NUL characters`,
		"b=1&a=x\x00":             `a must be valid UTF-8 without NUL characters`,
		"a[b]=\xff":               `a must be valid UTF-8 without NUL characters`,
		`{"a": 1}`:                `The body is JSON but the Content-Type says it is a form. Send Content-Type: application/json.`,
	} {
		fields, err := form.Parse([]byte(body))
		got, failed := json.Marshal(fields)
		if failed != nil {
			t.Fatal(failed)
		}
		if err != nil {
			got = []byte(err.Error())
		}
		if diff := cmp.Diff(want, string(got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", body, diff)
		}
	}
	if _, err := form.Parse([]byte(strings.Repeat("a=1&", 10_000))); err == nil {
		t.Error("more than 10,000 pairs are accepted")
	}
}

func TestFromJSON(t *testing.T) {
	for doc, want := range map[string]string{
		`{"a":"b c","n":null,"t":true,"x":1.50}`:      "a=b%20c&n=&t=true&x=1.50",
		`{"a":[],"b":{},"c":[1,{"d&":"e"}]}`:          "a=&b=&c[0]=1&c[1][d%26]=e",
		`[{"id":"1"},{"id":"2"}]`:                     "0[id]=1&1[id]=2",
		`[]`:                                          "",
		`{"message":"ü=","errors":{"name":"is bad"}}`: "message=%C3%BC%3D&errors[name]=is%20bad",
	} {
		got, err := form.FromJSON([]byte(doc), jsonenc.Unlimited())
		if err != nil || string(got) != want {
			t.Errorf("%s became %s, %v; want %s", doc, got, err, want)
		}
	}
}

// Paths are repeated for each value, so the limit ends what would be many times
// the JSON, before it is written.
func TestFromJSON_Limit(t *testing.T) {
	doc := []byte(`{"` + strings.Repeat("k", 10_000) + `":[` + strings.Repeat("1,", 9_999) + `1],"text":"` + strings.Repeat("ü", 10_000) + `"}`)
	whole, err := form.FromJSON(doc, jsonenc.Unlimited())
	if err != nil || len(whole) < 100_000_000 {
		t.Fatalf("%d bytes, %v", len(whole), err)
	}
	for _, most := range []int{0, 1, 9_999, 10_000, 1_000_000, len(whole) - 1} {
		if got, err := form.FromJSON(doc, jsonenc.Within(t.Context(), int64(most))); !errors.Is(err, jsonenc.ErrTooLarge) || got != nil {
			t.Errorf("%d bytes within %d, %v", len(got), most, err)
		}
	}
	got, err := form.FromJSON(doc, jsonenc.Within(t.Context(), int64(len(whole))))
	if err != nil || !bytes.Equal(got, whole) {
		t.Errorf("%d bytes within as many: %d, %v", len(whole), len(got), err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := form.FromJSON(doc, jsonenc.Within(ctx, int64(len(whole)))); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that of the context", err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err = form.FromJSON(doc, jsonenc.Within(t.Context(), 1<<20))
	runtime.ReadMemStats(&after)
	if allocated := after.TotalAlloc - before.TotalAlloc; err == nil || allocated > 4<<20 {
		t.Errorf("%d bytes were allocated within 1 MiB, %v", allocated, err)
	}
}

// Every byte is encoded as net/url does, but a space as %20.
func TestFromJSON_Encoding(t *testing.T) {
	var text strings.Builder
	for c := rune(1); c < 0x300; c++ {
		text.WriteRune(c)
	}
	doc, err := json.Marshal(map[string]string{text.String(): text.String()})
	if err != nil {
		t.Fatal(err)
	}
	encoded := strings.ReplaceAll(url.QueryEscape(text.String()), "+", "%20")
	if got, err := form.FromJSON(doc, jsonenc.Unlimited()); err != nil || string(got) != encoded+"="+encoded {
		t.Errorf("got %s, %v, want %s twice", got, err, encoded)
	}
}

// FuzzForm checks the rules of payloads on forms, and that writing a form and reading it
// again returns the same.
func FuzzForm(f *testing.F) {
	for _, seed := range []string{
		"a=1&b[]=2&b[]=3", "a[b][c]=1", "a[b][c][d][e][f]=1", "a=1&a[b]=2", "%5B=&=&&", "a[9223372036854775807]=1&a[]=2", "a=%00", "[1]", "{}", "a=+%2B",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		fields, err := form.Parse(body)
		if err != nil {
			var e *form.Error
			if !errors.As(err, &e) || e.Message == "" || len(e.Field)+len(e.Message) > 10_000 {
				t.Errorf("%#v", err)
			}
			return
		}
		tree := treeOf(t, fields)
		if len(fields) == 0 {
			return
		}
		doc, err := json.Marshal(fields)
		if err != nil {
			t.Fatal(err)
		}
		written, err := form.FromJSON(doc, jsonenc.Unlimited())
		if err != nil {
			t.Fatal(err)
		}
		for name := range names(tree) {
			if strings.ContainsAny(name, "[]") || name == "" {
				return // has no form of its own
			}
		}
		again, err := form.Parse(written)
		if err != nil {
			t.Fatalf("%s was written as %s, which cannot be read: %v", doc, written, err)
		}
		if diff := cmp.Diff(tree, treeOf(t, again)); diff != "" {
			t.Errorf("%s was written as %s: %s", doc, written, diff)
		}
	})
}

// treeOf checks what binding relies on: every field is valid JSON without space
// before it, in valid UTF-8 without NUL.
func treeOf(t *testing.T, fields map[string]json.RawMessage) any {
	t.Helper()
	tree := map[string]any{}
	for name, raw := range fields {
		var v any
		if err := json.Unmarshal(raw, &v); err != nil || !plain.IsText(name) || !bytes.Equal(raw, bytes.TrimSpace(raw)) {
			t.Errorf("field %q is %q: %v", name, raw, err)
		}
		if text, ok := v.(string); ok && !plain.IsText(text) {
			t.Errorf("field %q holds the text %q", name, text)
		}
		tree[name] = v
	}
	return tree
}

// names is the set of member names in a tree.
func names(v any) map[string]bool {
	set := map[string]bool{}
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			for name, member := range v {
				set[name] = true
				walk(member)
			}
		case []any:
			for _, item := range v {
				walk(item)
			}
		}
	}
	walk(v)
	return set
}
