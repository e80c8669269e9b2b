package csvtext_test

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi/internal/csvtext"
)

// read returns all rows, with the line in which each begins, and errors in their place.
func read(text string, most int) (rows []string) {
	r := csvtext.NewReader(strings.NewReader(text), most)
	for {
		cells, err := r.Read()
		if errors.Is(err, io.EOF) {
			return rows
		}
		if err != nil {
			rows = append(rows, fmt.Sprintf("%d: %v", r.Line(), err))
			if errors.Is(err, csvtext.ErrCut) {
				return rows
			}
			continue
		}
		rows = append(rows, fmt.Sprintf("%d: %q", r.Line(), cells))
	}
}

func TestReader(t *testing.T) {
	long := strings.Repeat("x", 50)
	for name, test := range map[string]struct {
		text string
		want []string
	}{
		"plain":                {"a,b\n1,2\n", []string{`1: ["a" "b"]`, `2: ["1" "2"]`}},
		"Windows line ends":    {"a,b\r\n1,2\r\n", []string{`1: ["a" "b"]`, `2: ["1" "2"]`}},
		"no last line end":     {"a,b\n1,2", []string{`1: ["a" "b"]`, `2: ["1" "2"]`}},
		"a mark at the start":  {"\uFEFFa,b\n", []string{`1: ["a" "b"]`}},
		"semicolons":           {"a;b\n1,5;2\n", []string{`1: ["a" "b"]`, `2: ["1,5" "2"]`}},
		"tabs":                 {"a\tb\n1\t2\n", []string{`1: ["a" "b"]`, `2: ["1" "2"]`}},
		"commas inside quotes": {"a,\"b;c;d\"\n", []string{`1: ["a" "b;c;d"]`}},
		"empty lines":          {"a,b\n\n\r\n1,2\n", []string{`1: ["a" "b"]`, `4: ["1" "2"]`}},
		"lines inside cells":   {"a\n\"1\r\n2\"\n3", []string{`1: ["a"]`, `2: ["1\r\n2"]`, `4: ["3"]`}},
		"quotation marks":      {"\"\"\"a\"\"\",b\"c\n", []string{`1: ["\"a\"" "b\"c"]`}},
		"text after a quote":   {"a\n\"b\"c,d\n2\n", []string{`1: ["a"]`, `2: ` + csvtext.ErrQuotes.Error(), `3: ["2"]`}},
		"too long":             {"a\n" + long + "," + long + "\n2\n", []string{`1: ["a"]`, `2: ` + csvtext.ErrTooLong.Error(), `3: ["2"]`}},
		"too many cells":       {"a\n" + strings.Repeat(",", 1<<14) + "\"\n\"\n2\n", []string{`1: ["a"]`, `2: ` + csvtext.ErrCells.Error(), `4: ["2"]`}},
		"too long in quotes":   {"a\n\"" + long + "\n\"\"" + long + "\"\n2\n", []string{`1: ["a"]`, `2: ` + csvtext.ErrTooLong.Error(), `4: ["2"]`}},
		"cut":                  {"a\n1\n\"b", []string{`1: ["a"]`, `2: ["1"]`, `3: ` + csvtext.ErrCut.Error()}},
		"cut in a long cell":   {"a\n\"" + long + long, []string{`1: ["a"]`, `2: ` + csvtext.ErrCut.Error()}},
		"a last empty cell":    {"a,\n1,", []string{`1: ["a" ""]`, `2: ["1" ""]`}},
		"nothing":              {"", nil},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, read(test.text, 64)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestMark(t *testing.T) {
	for text, want := range map[string]string{
		"=1+1": "'=1+1", "+1": "'+1", "-1+1": "'-1+1", "@a": "'@a", "\t=": "'\t=", "\r": "'\r",
		`"=1`: `'"=1`, `'=1`: `''=1`, "-5.00": "-5.00", "-5": "-5", "5": "5", "'a": "'a", "": "", "mug": "mug", "-": "'-", "-5.": "'-5.",
	} {
		if got := string(csvtext.Mark([]byte(text))); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}

// FuzzRoundTrip: the bytes of cells survive, and other programs read the same rows.
func FuzzRoundTrip(f *testing.F) {
	f.Add("a", "b\r\nc", `"`)
	f.Add("'=1", "-5", ";\t")
	f.Fuzz(func(t *testing.T, a, b, c string) {
		rows := [][]string{{"id", "second", "third"}, {"x" + a, b, c}, {"y", c, a}}
		var text []byte
		for _, row := range rows {
			text = csvtext.AppendRow(text, row...)
		}
		r := csvtext.NewReader(strings.NewReader(string(text)), 1<<20)
		for i, row := range rows {
			cells, err := r.Read()
			if err != nil {
				t.Fatalf("row %d of %q: %v", i, text, err)
			}
			for j, cell := range cells {
				if string(cell) != row[j] {
					t.Errorf("%q became %q", row[j], cell)
				}
			}
		}
		if _, err := r.Read(); !errors.Is(err, io.EOF) {
			t.Errorf("a row too many of %q: %v", text, err)
		}
		if !strings.ContainsAny(a+b+c, "\r") {
			standard, err := csv.NewReader(strings.NewReader(string(text))).ReadAll()
			if err != nil || !slices.EqualFunc(standard, rows, slices.Equal) {
				t.Errorf("encoding/csv read %q as %q: %v", text, standard, err)
			}
		}
		for _, s := range []string{a, b, c} {
			if got := string(csvtext.Unmark(csvtext.Mark([]byte(s)))); got != s {
				t.Errorf("%q became %q", s, got)
			}
		}
	})
}

// FuzzReader: any text is read to its end.
func FuzzReader(f *testing.F) {
	f.Add("a,b\n\"c\"d\n")
	f.Add("\"a\r")
	f.Fuzz(func(t *testing.T, text string) {
		if rows := read(text, 16); len(rows) > len(text) {
			t.Errorf("%q has %d rows", text, len(rows))
		}
	})
}

// FuzzColumns: the members of an object reach their columns.
func FuzzColumns(f *testing.F) {
	f.Add("a", "b\\\"", "\n")
	f.Fuzz(func(t *testing.T, a, b, c string) {
		object, err := json.Marshal(map[string]any{"1": a, "2": []string{b, c}, "3": nil, "4": 1.5, "5": c})
		if err != nil {
			t.Skip(err)
		}
		columns := csvtext.NewColumns([]string{"5", "2", "1", "3", "4", "6"}, false)
		row, err := columns.AppendObject(nil, object)
		if err != nil {
			t.Fatal(err)
		}
		r := csvtext.NewReader(strings.NewReader(string(columns.AppendHeader(nil))+string(row)), 1<<20)
		if _, err := r.Read(); err != nil {
			t.Fatal(err)
		}
		read, err := r.Read()
		if err != nil {
			t.Fatal(err)
		}
		var want struct {
			A string   `json:"1"`
			B []string `json:"2"`
			C string   `json:"5"`
		}
		var list []string
		if err := json.Unmarshal(object, &want); err != nil || json.Unmarshal(read[1], &list) != nil {
			t.Fatalf("%v in %q", err, read)
		}
		got := []string{string(read[0]), string(read[2]), string(read[3]), string(read[4]), string(read[5])}
		if diff := cmp.Diff([]string{want.C, want.A, "", "1.5", ""}, got); diff != "" || !slices.Equal(list, want.B) {
			t.Errorf("%s%q of %s", diff, list, object)
		}
	})
}
