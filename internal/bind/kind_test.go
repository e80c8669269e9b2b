package bind_test

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi"
)

var update = flag.Bool("update", false, "write the golden files anew")

// A celsius unmarshals itself, with its own error texts.
type celsius struct{ degrees int }

func (c *celsius) UnmarshalText(text []byte) error {
	degrees, unit, _ := strings.Cut(string(text), " ")
	if unit != "C" {
		return errors.New("must be degrees followed by C")
	}
	_, err := fmt.Sscan(degrees, &c.degrees)
	return err
}

func (c celsius) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "%d C", c.degrees), nil }

// Labels are a map that reads one text by itself.
type labels map[string]bool

func (l *labels) UnmarshalText(text []byte) error {
	if strings.Contains(string(text), "x") {
		return errors.New("x is no label")
	}
	*l = labels{string(text): true}
	return nil
}

// Steps are a slice of structs that reads JSON by itself.
type steps []struct {
	To string `json:"to"`
}

func (s *steps) UnmarshalJSON(data []byte) error {
	type plain steps
	var read plain
	if err := json.Unmarshal(data, &read); err != nil {
		return errors.New("must be a list of steps")
	}
	*s = steps(read)
	return nil
}

// A grid is a slice of slices that reads JSON by itself, without words of its own.
type grid [][]int

func (g *grid) UnmarshalJSON(data []byte) error {
	type plain grid
	return json.Unmarshal(data, (*plain)(g))
}

// A pair is a struct that reads JSON by itself.
type pair struct{ A, B int }

func (p *pair) UnmarshalJSON(data []byte) error {
	var both [2]int
	if err := json.Unmarshal(data, &both); err != nil {
		return errors.New("must be a pair of numbers")
	}
	p.A, p.B = both[0], both[1]
	return nil
}

type (
	count  int32
	toggle bool
)

// An everyKind has a field of every kind and of every type that behaves in a way of
// its own.
type everyKind struct {
	Text     string           `json:"text"`
	Level    level            `json:"level"`
	TextP    *string          `json:"text_p"`
	Texts    []string         `json:"texts"`
	Levels   []level          `json:"levels"`
	TextsP   *[]string        `json:"texts_p"`
	Number   int64            `json:"number"`
	Int      int              `json:"int"`
	Small    int8             `json:"small"`
	Count    count            `json:"count"`
	NumberP  *int64           `json:"number_p"`
	SmallP   *int8            `json:"small_p"`
	Numbers  []int64          `json:"numbers"`
	NumbersP *[]int64         `json:"numbers_p"`
	Unsigned uint16           `json:"unsigned"`
	Large    uint64           `json:"large"`
	Float    float64          `json:"float"`
	Float32  float32          `json:"float32"`
	FloatP   *float64         `json:"float_p"`
	Amount   decimal.Decimal  `json:"amount"`
	AmountP  *decimal.Decimal `json:"amount_p"`
	Bool     bool             `json:"bool"`
	Switch   toggle           `json:"switch"`
	BoolP    *bool            `json:"bool_p"`
	Flag     shopapi.Flag     `json:"flag"`
	FlagP    *shopapi.Flag    `json:"flag_p"`
	Time     time.Time        `json:"time"`
	Celsius  celsius          `json:"celsius"`
	CelsiusP *celsius         `json:"celsius_p"`
	Labels   labels           `json:"labels"`
	IDs      shopapi.IDList   `json:"ids"`
	IDsP     *shopapi.IDList  `json:"ids_p"`
	JSON     shopapi.JSON     `json:"json"`
	Raw      json.RawMessage  `json:"raw"`
	Choices  choices          `json:"choices"`
	Steps    steps            `json:"steps"`
	StepsP   *steps           `json:"steps_p"`
	Grid     grid             `json:"grid"`
	Pair     pair             `json:"pair"`
}

// kindBodies are the values that every field is sent.
var kindBodies = []string{
	`null`, `""`, `"a"`, `"a,b"`, `" "`, `"5"`, `" 5"`, `"+5"`, `"-5"`, `"007"`, `"1.50"`, `"1,5"`, `"1, 2,,3"`, `"1e3"`, `"Y"`, `"n"`, `"true"`, `"20 C"`, `"x C"`, `"2024-05-06T07:08:09Z"`,
	`5`, `-5`, `0`, `1.5`, `1e3`, `128`, `300`, `70000`, `3000000000`, `9223372036854775808`, `18446744073709551616`, `1e400`, `true`, `false`,
	`[]`, `[1]`, `[1,"2"]`, `["1,2"]`, `["x",""]`, `["","x"]`, `[""]`, `["a,b","",5]`, `[true]`, `[null]`, `[[1]]`, `[[1,2],[3]]`, `[{"to":"b"}]`, `[1,2,3]`,
	`{}`, `{"0":"1"}`, `{"7":"3","12":"4"}`, `{"7":"3","12":"x"}`, `{"a":1}`, `{"a":"x"}`, `{"to":5}`,
	`"ü < & \u2028 \"quoted\""`, `"0123456789012345678901234567890123456789012345678901234567890123456789"`,
}

// kindQueries are the parameters that every field is sent.
var kindQueries = [][]string{
	{""}, {"a"}, {"a,b"}, {"a", "b"}, {"5"}, {"+5"}, {" 5"}, {"5", "6"}, {"5", "x"}, {"x", "5"}, {"1,2", "3"}, {"1,,x"}, {"1.50"}, {"1,5"}, {"Y"}, {"true"}, {"20 C"}, {"300"}, {"[1]"}, {`{"a":1}`}, {"null"},
}

// §4: the result of every value for a field of every kind, and the exact error texts:
// testdata/fieldkinds.golden has them, each with the values that lead to it.
func TestFieldKinds(t *testing.T) {
	var got strings.Builder
	object := reflect.TypeFor[everyKind]()
	for i := range object.NumField() {
		name := object.Field(i).Tag.Get("json")
		var results []string
		sent := map[string][]string{}
		note := func(value string, o *everyKind, err error) {
			result := fmt.Sprintf("= %+v", shown(reflect.ValueOf(o).Elem().Field(i)))
			if err != nil {
				result = "! " + wordsFor(t, name, err)
			}
			if sent[result] == nil {
				results = append(results, result)
			}
			sent[result] = append(sent[result], value)
		}
		for _, body := range kindBodies {
			var o everyKind
			p, err := shopapi.NewPayload(json.RawMessage(`{"` + name + `":` + body + `}`))
			if err != nil {
				t.Fatal(err)
			}
			note(body, &o, (&shopapi.Request{Payload: p}).Bind(&o))
		}
		for _, values := range kindQueries {
			var o everyKind
			err := (&shopapi.Request{Filter: url.Values{name: values}}).BindFilter(&o)
			note("?"+strings.Join(values, "&"), &o, err)
		}
		fmt.Fprintf(&got, "%s %s\n", name, object.Field(i).Type)
		for _, result := range results {
			fmt.Fprintf(&got, "\t%s\n\t\t%s\n", result, strings.Join(sent[result], "  "))
		}
	}
	golden := filepath.Join("testdata", "fieldkinds.golden")
	if *update {
		if err := os.WriteFile(golden, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got.String(), "\n")); diff != "" {
		t.Error(diff)
	}
}

// wordsFor returns the message of a 400 about its only field.
func wordsFor(t *testing.T, name string, err error) string {
	t.Helper()
	var e *shopapi.Error
	if !errors.As(err, &e) || e.Status != 400 || !slices.Equal(slices.Collect(maps.Keys(e.Fields)), []string{name}) {
		t.Fatalf("%s: error %#v, want a 400 about it", name, err)
	}
	return e.Fields[name]
}

// shown is a value as the golden file has it: what a pointer points to, and texts
// quoted.
func shown(v reflect.Value) any {
	switch {
	case v.Kind() == reflect.Pointer && !v.IsNil():
		return fmt.Sprintf("-> %+v", shown(v.Elem()))
	case v.Kind() == reflect.String:
		return fmt.Sprintf("%q", v.Interface())
	case v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Uint8:
		return fmt.Sprintf("%q", v.Bytes())
	case v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.String:
		return fmt.Sprintf("%q", v.Interface())
	}
	return v.Interface()
}
