package postgres

import (
	"math"
	"strconv"
	"testing"

	"github.com/shopapi/shopapi/store"
)

func amountColumn(scale int) *store.Column {
	return &store.Column{Name: "price", Kind: store.Decimal, Scale: scale}
}

func TestAmountsTravelAsNumbers(t *testing.T) {
	for _, c := range []struct {
		n     int64
		scale int
		text  string
	}{
		{0, 0, "0"}, {0, 2, "0.00"}, {1, 2, "0.01"}, {-1, 2, "-0.01"}, {-100, 2, "-1.00"}, {1999, 2, "19.99"}, {7, 9, "0.000000007"},
		{math.MaxInt64, 2, "92233720368547758.07"}, {math.MinInt64, 2, "-92233720368547758.08"}, {math.MinInt64, 0, "-9223372036854775808"},
		{math.MaxInt64, 9, "9223372036.854775807"},
	} {
		if got := string(appendAmount(nil, c.n, c.scale)); got != c.text {
			t.Errorf("%d units of 10^-%d are written %s, want %s", c.n, c.scale, got, c.text)
		}
		if got, err := integer([]byte(c.text), amountColumn(c.scale)); got != c.n || err != nil {
			t.Errorf("%s is read as %d, %v, want %d", c.text, got, err, c.n)
		}
	}
}

// A host's table may contain values that this type cannot.
func TestInvalidAmountIsAnError(t *testing.T) {
	for _, text := range []string{"", "1", "1.5", "1.555", "NaN", "Infinity", "1.5x", "92233720368547758.08"} {
		if n, err := integer([]byte(text), amountColumn(2)); err == nil {
			t.Errorf("%q is read as %d", text, n)
		}
	}
	if n, err := integer([]byte("1.5"), &store.Column{Name: "n", Kind: store.Integer}); err == nil {
		t.Errorf("1.5 is read as the whole number %d", n)
	}
}

func FuzzAmount(f *testing.F) {
	f.Add(int64(-1), 2)
	f.Add(int64(math.MinInt64), 9)
	f.Fuzz(func(t *testing.T, n int64, scale int) {
		scale = int(uint(scale) % 10)
		text := appendAmount(nil, n, scale)
		if got, err := integer(text, amountColumn(scale)); got != n || err != nil {
			t.Errorf("%d units of 10^-%d are written %s and read as %d, %v", n, scale, text, got, err)
		}
	})
}

// FuzzArray compares the arrays that lists of texts become with a reader of the
// format that the server documents.
func FuzzArray(f *testing.F) {
	f.Add("a", `b"\`)
	f.Add("", "{,}")
	f.Fuzz(func(t *testing.T, a, b string) {
		text := string(array(nil, []store.Value{store.String(a), store.String(b)}))
		got, rest := []string{}, text[1:]
		for len(rest) > 1 {
			var element []byte
			i := 1
			for ; rest[i] != '"'; i++ {
				if rest[i] == '\\' {
					i++
				}
				element = append(element, rest[i])
			}
			got, rest = append(got, string(element)), rest[i+2:] // past the quote and what parts elements
		}
		if len(got) != 2 || got[0] != a || got[1] != b {
			t.Errorf("%q and %q become %s, which is read as %q", a, b, text, got)
		}
	})
}

func TestArrays(t *testing.T) {
	ints := []store.Value{store.Int(1), store.Int(-2)}
	for want, got := range map[string][]byte{
		"{1,-2}":        array(nil, ints),
		"{0.01,-0.02}":  array(amountColumn(2), ints),
		"{t,f}":         array(&store.Column{Kind: store.Boolean}, []store.Value{store.Int(1), store.Int(0)}),
		`{"a","\"\\,"}`: array(nil, []store.Value{store.String("a"), store.String(`"\,`)}),
	} {
		if string(got) != want {
			t.Errorf("the array is %s, want %s", got, want)
		}
	}
	if got := string(appendValue(nil, nil, store.Int(5))); got != strconv.Itoa(5) {
		t.Errorf("a limit is written %s", got)
	}
}

func TestEngines(t *testing.T) {
	for version, want := range map[string]engine{
		"PostgreSQL 15.18 (Debian 15.18-0+deb12u1) on x86_64":                           postgreSQL,
		"CockroachDB CCL v24.1.0 (x86_64-pc-linux-gnu, built 2024/05/15 21:28:29)":      cockroachDB,
		"PostgreSQL 11.2-YB-2.20.1.0-b0 on x86_64-pc-linux-gnu, compiled by clang 16.0": yugabyteDB,
	} {
		if got := engineOf(version); got != want {
			t.Errorf("%s is taken for engine %d, want %d", version, got, want)
		}
	}
}
