package resource_test

import (
	"math/big"
	"testing"

	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi/resource"
)

// FuzzDecimalPlaces compares the decimals counted in a text with the decimals of the
// exact number.
func FuzzDecimalPlaces(f *testing.F) {
	for _, s := range []string{"0", "1", "12.50", "0.001", "1e3", "1.25e1", "-0.00", "1e-9", "0.0100000000000000000000001", "x", "", "1.", ".5", "1e+2", "00.10"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := resource.DecimalPlaces(s)
		if _, err := decimal.Parse(s); err != nil {
			if got != 0 {
				t.Errorf("%q is no number and has %d decimals", s, got)
			}
			return
		}
		if len(s) > 60 {
			return
		}
		exact, ok := new(big.Rat).SetString(s)
		if !ok {
			t.Fatalf("%q is a number only to decimal", s)
		}
		want := 0
		for power := big.NewInt(1); new(big.Int).Rem(power, exact.Denom()).Sign() != 0; want++ {
			power.Mul(power, big.NewInt(10))
		}
		if got != want {
			t.Errorf("%q has %d decimals, want %d", s, got, want)
		}
	})
}
