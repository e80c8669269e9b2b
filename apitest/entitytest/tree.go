package entitytest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"testing"
)

// decode reads JSON as a tree that keeps the text of numbers.
func decode(t testing.TB, body string) any {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(body))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%.500q is no JSON: %v", body, err)
	}
	return v
}

// members reads a JSON object.
func members(t testing.TB, body string) map[string]any {
	t.Helper()
	object, ok := decode(t, body).(map[string]any)
	if !ok {
		t.Fatalf("%.500s is no JSON object", body)
	}
	return object
}

// encode returns the JSON of a tree.
func encode(t testing.TB, v any) string {
	t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// with returns a JSON object with members added or replaced.
func with(t testing.TB, body string, more map[string]any) string {
	t.Helper()
	object := members(t, body)
	maps.Copy(object, more)
	return encode(t, object)
}

// without returns a JSON object without some members.
func without(t testing.TB, body string, names ...string) string {
	t.Helper()
	object := members(t, body)
	for _, name := range names {
		delete(object, name)
	}
	return encode(t, object)
}

// rawMembers reads a JSON object without decoding its members.
func rawMembers(t testing.TB, body string) (object map[string]json.RawMessage) {
	t.Helper()
	if err := json.Unmarshal([]byte(body), &object); err != nil {
		t.Fatalf("%.500s is no JSON object: %v", body, err)
	}
	return object
}

// A pair is a leaf of a tree with its path in form style. Null and empty arrays and
// objects have no value.
type pair struct {
	Name, Value string
	None        bool
}

// pairs returns the leaves of a JSON document in their order.
func pairs(t testing.TB, body string) []pair {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(body))
	d.UseNumber()
	return appendPairs(t, nil, d, "")
}

func appendPairs(t testing.TB, list []pair, d *json.Decoder, path string) []pair {
	t.Helper()
	token := next(t, d)
	delim, nested := token.(json.Delim)
	switch {
	case !nested && token == nil:
		return append(list, pair{Name: path, None: true})
	case !nested:
		return append(list, pair{Name: path, Value: fmt.Sprint(token)})
	case !d.More() && path != "":
		list = append(list, pair{Name: path, None: true})
	}
	for i := 0; d.More(); i++ {
		key := fmt.Sprint(i)
		if delim == '{' {
			key = fmt.Sprint(next(t, d))
		}
		if path != "" {
			key = path + "[" + key + "]"
		}
		list = appendPairs(t, list, d, key)
	}
	next(t, d)
	return list
}

func next(t testing.TB, d *json.Decoder) json.Token {
	t.Helper()
	token, err := d.Token()
	if err != nil {
		t.Fatal(err)
	}
	return token
}

// form returns a JSON object as a form body, without null and empty values, which a form
// cannot express.
func form(t testing.TB, body string) string {
	t.Helper()
	var parts []string
	for _, p := range pairs(t, body) {
		if !p.None {
			parts = append(parts, url.QueryEscape(p.Name)+"="+url.QueryEscape(p.Value))
		}
	}
	return strings.Join(parts, "&")
}

// alike reports whether two trees are equal; numbers may be texts.
func alike(a, b any) bool { return encodeTexts(a) == encodeTexts(b) }

func encodeTexts(v any) string {
	switch v := v.(type) {
	case []any:
		texts := make([]string, len(v))
		for i := range v {
			texts[i] = encodeTexts(v[i])
		}
		return "[" + strings.Join(texts, ",") + "]"
	case map[string]any:
		var texts []string
		for _, name := range slices.Sorted(maps.Keys(v)) {
			texts = append(texts, fmt.Sprintf("%q:%s", name, encodeTexts(v[name])))
		}
		return "{" + strings.Join(texts, ",") + "}"
	case nil:
		return "null"
	}
	return fmt.Sprintf("%q", fmt.Sprint(v))
}
