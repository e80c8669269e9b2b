package jsonenc

import (
	"bytes"
	"encoding/json"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/govalues/decimal"
)

// expected is what encoding/json writes without HTML escaping.
func expected(v any) (string, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return string(bytes.TrimSuffix(b.Bytes(), []byte("\n"))), err
}

type flag bool

func (f flag) MarshalText() ([]byte, error) {
	if f {
		return []byte("Y"), nil
	}
	return []byte("N"), nil
}

// A flagName writes itself, but not as the key of a map.
type flagName string

func (flagName) MarshalText() ([]byte, error) { return []byte("name"), nil }

type raw []byte

func (r raw) AppendJSON(dst []byte) ([]byte, error) { return append(dst, r...), nil }
func (r raw) MarshalJSON() ([]byte, error)          { return r, nil }

type base struct {
	ID   int64  `json:"id,string"`
	Name string `json:"name"`
}

type object struct {
	base
	Count   int             `json:"count"`
	Maybe   *int64          `json:"maybe,string"`
	Price   decimal.Decimal `json:"price"`
	Flag    flag            `json:"flag"`
	Plain   bool            `json:"plain"`
	Quoted  bool            `json:"quoted,string"`
	Notes   *string         `json:"notes"`
	Email   string          `json:"email,omitempty"`
	List    []int64         `json:"list"`
	Texts   []string        `json:"texts,omitempty"`
	Any     any             `json:"any"`
	Raw     raw             `json:"raw"`
	Float   float64         `json:"float"`
	When    time.Time       `json:"when"`
	Inner   base            `json:"inner"`
	Pointer *base           `json:"pointer,omitempty"`
	Map     map[string]int  `json:"map"`
	Bytes   []byte          `json:"bytes"`
	Hidden  string          `json:"-"`
	Untaged string
	private int
	Self    *object `json:"self,omitempty"`
}

// A byAddress writes itself only where it has an address.
type byAddress int

func (*byAddress) MarshalJSON() ([]byte, error) { return []byte(`"address"`), nil }

type twice struct {
	base
	Name string `json:"name"`
}

type embedsPointer struct{ *base }

type quotedText struct {
	Text string `json:"text,string"`
}

func TestAppendEqualsEncodingJSON(t *testing.T) {
	text := "ß <b>&amp;</b> \u2028 \x00\x1f\b\f\n\r\t\"\\ \xff 😀"
	full := object{
		base: base{ID: math.MinInt64, Name: text}, Count: -3, Price: decimal.MustNew(-950, 2), Flag: true, Quoted: true,
		Notes: &text, Email: "a@example.org", List: []int64{5, 9}, Texts: []string{text, ""}, Any: map[string]any{"b": 1, "a": text},
		Raw: raw(`{"x":[1]}`), Float: 1e21, When: time.Unix(0, 0).UTC(), Inner: base{Name: "in"}, Pointer: &base{ID: 7},
		Map: map[string]int{"z": 1, "a": 2}, Bytes: []byte("abc"), Untaged: "u", private: 1,
	}
	full.Self = &object{Raw: raw("[]")}
	var nilObject *object
	for name, v := range map[string]any{
		"struct": full, "pointer": &full, "nil pointer": nilObject, "nil": nil, "zero": object{Raw: raw("[]")},
		"slice": []object{{Raw: raw("[]")}, full}, "empty slice": []base{}, "nil slice": []base(nil), "slice of pointers": []*base{nil, {ID: 1}},
		"slice of any": []any{1, "a", nil, base{}, 2.5}, "string": text, "number": int64(5), "float": 3.25, "bool": true,
		"map": map[string]any{"k": []int{1}}, "a name that stands twice": twice{base{1, "in"}, "out"},
		"embedded pointer": embedsPointer{&base{ID: 1}}, "embedded nil pointer": embedsPointer{}, "quoted text": quotedText{"a"},
		"no address": []any{byAddress(5), new(byAddress)}, "no address in a map": map[string]byAddress{"a": 1}, "an address": []byAddress{1},
		"maps":        []any{map[string]any(nil), map[string]any{}, map[flagName]base{"b": {}, "\xff": {}, "a": {ID: 5}}, map[int]int{5: 1, 10: 2}, map[string]*base{"nil": nil}},
		"interfaces":  struct{ A, B, C any }{nil, (*base)(nil), []any{[]any{}}},
		"raw message": json.RawMessage(`{"a":1}`), "decimal": decimal.MustNew(5, 0), "flag": flag(true), "time": time.Unix(5, 0).UTC(),
	} {
		t.Run(name, func(t *testing.T) {
			want, err := expected(v)
			if err != nil {
				t.Fatal(err)
			}
			got, err := Append([]byte("before"), v)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff("before"+want, string(got)); diff != "" {
				t.Errorf("encoding/json writes it otherwise (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAppendMember(t *testing.T) {
	text := "n"
	v := object{base: base{ID: 5, Name: "a"}, Notes: &text, Raw: raw("[]")}
	for _, c := range []struct {
		of    any
		name  string
		want  string
		known bool
	}{
		{v, "id", `"5"`, true},
		{&v, "name", `"a"`, true},
		{&v, "notes", `"n"`, true},
		{&v, "email", "", true}, // left out when empty
		{&v, "nothing", "", true},
		{&v, "Hidden", "", true},
		{twice{base{1, "in"}, "out"}, "name", `"out"`, true},
		{map[string]int{"a": 1}, "a", "", false},
		{(*object)(nil), "id", "", false},
		{nil, "id", "", false},
	} {
		got, known, err := AppendMember(nil, c.of, c.name)
		if string(got) != c.want || known != c.known || err != nil {
			t.Errorf("%s of a %T: got %q, %v, %v, want %q, %v", c.name, c.of, got, known, err, c.want, c.known)
		}
	}
}

func TestAppendByID(t *testing.T) {
	type row struct {
		ID   int64  `json:"id,string"`
		Name string `json:"name"`
	}
	for want, list := range map[string][]row{
		`[]`:                            nil,
		`{"7":{"id":"7","name":"<a>"}}`: {{7, "<a>"}},
		`{"7":{"id":"7","name":""},"2":{"id":"2","name":"b"}}`: {{7, ""}, {2, "b"}},
	} {
		got, err := AppendByID([]byte("x"), list, func(r *row) int64 { return r.ID })
		if string(got) != "x"+want || err != nil {
			t.Errorf("%v is written %s, %v", list, got, err)
		}
	}
	if _, err := AppendByID(nil, []func(){nil}, func(*func()) int64 { return 1 }); err == nil {
		t.Error("what has no JSON is written")
	}
}

func TestAppendFailsWhereEncodingJSONFails(t *testing.T) {
	for name, v := range map[string]any{
		"a channel":              make(chan int),
		"not a number":           math.NaN(),
		"a function in a struct": struct{ F func() }{func() {}},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := expected(v); err == nil {
				t.Fatal("encoding/json writes it")
			}
			if got, err := Append(nil, v); err == nil {
				t.Errorf("got %s, want an error", got)
			}
		})
	}
}

func FuzzAppendString(f *testing.F) {
	f.Add("plain")
	f.Add("\u2028\xff\x00\"\\😀")
	f.Fuzz(func(t *testing.T, s string) {
		want, err := expected(s)
		if err != nil {
			t.Fatal(err)
		}
		if got := string(AppendString(nil, s)); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	})
}

func BenchmarkAppend(b *testing.B) {
	page := make([]base, 100)
	for i := range page {
		page[i] = base{ID: int64(i), Name: "a name of usual length"}
	}
	b.Run("planned", func(b *testing.B) {
		b.ReportAllocs()
		var dst []byte
		for b.Loop() {
			var err error
			if dst, err = Append(dst[:0], page); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("encoding/json", func(b *testing.B) {
		b.ReportAllocs()
		var dst bytes.Buffer
		e := json.NewEncoder(&dst)
		for b.Loop() {
			dst.Reset()
			if err := e.Encode(page); err != nil {
				b.Fatal(err)
			}
		}
	})
}
