package wire_test

import (
	"encoding/json"
	"math"
	"math/big"
	"testing"

	"github.com/shopapi/shopapi/internal/wire"
)

func TestParseWhole(t *testing.T) {
	for text, want := range map[string]int64{
		"12": 12, "-7": -7, "007": 7, "12.0": 12, "12.000": 12, "3e0": 3, "1.2E1": 12, "1.50e+2": 150, "300e-2": 3, "-0.0": 0, "0e9": 0,
		"9223372036854775807": math.MaxInt64, "-9223372036854775808.0": math.MinInt64,
	} {
		if n, ok := wire.ParseWhole(text); !ok || n != want {
			t.Errorf("%s: got %d, %v, want %d", text, n, ok, want)
		}
	}
	for _, text := range []string{
		"", "12.5", "0.1", "5e-1", "1e-99", "1e400", "1e19", "1e99999999999999999999", "9223372036854775808.0", "NaN", "Infinity", "+3", "+3.0",
		"12.", ".0", "e3", "1e", "1.0.0", "1,0", " 1.0", "0x10", "1_0.0", "--1.0", "-", "٣.0",
	} {
		if n, ok := wire.ParseWhole(text); ok {
			t.Errorf("%q is read as %d", text, n)
		}
	}
}

func FuzzParseWhole(f *testing.F) {
	for _, seed := range []string{"12.0", "3e0", "-1.20e1", "5e-1", "1e19"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		n, ok := wire.ParseWhole(text)
		if number := json.Number(text); len(text) > 30 || !json.Valid([]byte(text)) || text[0] == '"' || number == "" {
			return
		}
		exact, isNumber := new(big.Rat).SetString(text)
		if !isNumber {
			return // null, true, an array
		}
		if want := exact.IsInt() && exact.Num().IsInt64(); ok != want && exact.Sign() != 0 || ok && exact.Num().Int64() != n {
			t.Errorf("%s: got %d, %v, the exact value is %s", text, n, ok, exact)
		}
	})
}
