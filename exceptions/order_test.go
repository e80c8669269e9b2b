package exceptions_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/shopapi/shopapi/exceptions"
	"github.com/shopapi/shopapi/products"
)

func TestExceptions_MayOrderTruthTable(t *testing.T) {
	red := exceptions.Exception{Combination: exceptions.Combination{12: 33}}
	for _, c := range []struct {
		name           string
		exceptionsType string
		exceptions     []exceptions.Exception
		selection      map[int64]int64
		want           bool
	}{
		{"forbidden, none", products.Forbid, nil, map[int64]int64{12: 33}, true},
		{"forbidden, no match", products.Forbid, []exceptions.Exception{red}, map[int64]int64{12: 34}, true},
		{"forbidden, match", products.Forbid, []exceptions.Exception{red}, map[int64]int64{12: 33}, false},
		{"allowed, none", products.Allow, nil, map[int64]int64{12: 33}, true},
		{"allowed, none, nothing chosen", products.Allow, nil, nil, true},
		{"allowed, match", products.Allow, []exceptions.Exception{red}, map[int64]int64{12: 33}, true},
		{"allowed, no match", products.Allow, []exceptions.Exception{red}, map[int64]int64{12: 34}, false},
		{"allowed, nothing chosen", products.Allow, []exceptions.Exception{red}, nil, false},
		{"no type, match", "", []exceptions.Exception{red}, map[int64]int64{12: 33}, false},
		{"no type, no match", "", []exceptions.Exception{red}, map[int64]int64{12: 34}, true},
	} {
		if got := exceptions.MayOrder(c.exceptionsType, c.exceptions, c.selection); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func TestExceptions_MatchesTruthTable(t *testing.T) {
	for _, c := range []struct {
		wanted int64
		chosen string
		want   bool
	}{
		{33, "33", true},
		{33, "34", false},
		{33, "nothing", false},
		{33, "0", false},
		{exceptions.AnyVariant, "33", true},
		{exceptions.AnyVariant, "34", true},
		{exceptions.AnyVariant, "nothing", false},
		{exceptions.AnyVariant, "0", false},
		{exceptions.NoVariant, "33", false},
		{exceptions.NoVariant, "nothing", true},
		{exceptions.NoVariant, "0", true},
	} {
		s := map[int64]int64{14: 36} // another option makes no difference
		if c.chosen != "nothing" {
			var variant int64
			if _, err := fmt.Sscan(c.chosen, &variant); err != nil {
				t.Fatal(err)
			}
			s[12] = variant
		}
		if got := (exceptions.Combination{12: c.wanted}).Matches(s); got != c.want {
			t.Errorf("%d with %s chosen: %v, want %v", c.wanted, c.chosen, got, c.want)
		}
	}
}

// TestExceptions_MayOrderAgainstEveryCase expands each exception into the list of all
// selections that it matches, and looks the customer's selection up in it.
func TestExceptions_MayOrderAgainstEveryCase(t *testing.T) {
	// Options 1 to 3, each with the variants 1 to 3; 0 means not chosen.
	var selections [][3]int64
	for a := range int64(4) {
		for b := range int64(4) {
			for c := range int64(4) {
				selections = append(selections, [3]int64{a, b, c})
			}
		}
	}
	meaning := map[int64][]int64{-2: {0}, -1: {1, 2, 3}, 0: {0, 1, 2, 3}, 1: {1}, 2: {2}, 3: {3}}
	random := rand.New(rand.NewPCG(1, 2))
	var yes, no int
	for range 2000 {
		var list []exceptions.Exception
		written := map[[3]int64]bool{} // every selection that some exception matches
		for range random.IntN(4) {
			var says [3]int64 // 0 for an option that the exception does not name
			combination := exceptions.Combination{}
			for len(combination) == 0 {
				for i := range says {
					if says[i] = random.Int64N(6) - 2; says[i] != 0 {
						combination[int64(i+1)] = says[i]
					}
				}
			}
			list = append(list, exceptions.Exception{Combination: combination})
			for _, a := range meaning[says[0]] {
				for _, b := range meaning[says[1]] {
					for _, c := range meaning[says[2]] {
						written[[3]int64{a, b, c}] = true
					}
				}
			}
		}
		for _, chosen := range selections {
			s := map[int64]int64{}
			for i, variant := range chosen {
				if variant != 0 {
					s[int64(i+1)] = variant
				}
			}
			for _, kind := range []string{products.Allow, products.Forbid} {
				listed := written[chosen]
				want := len(list) == 0 || listed == (kind == products.Allow)
				if want {
					yes++
				} else {
					no++
				}
				if got := exceptions.MayOrder(kind, list, s); got != want {
					t.Fatalf("type %s, exceptions %v, selection %v: %v, want %v", kind, list, s, got, want)
				}
				slices.Reverse(list)
				if got := exceptions.MayOrder(kind, list, s); got != want {
					t.Fatalf("type %s, exceptions %v, selection %v: the order of exceptions matters", kind, list, s)
				}
			}
		}
	}
	if yes == 0 || no == 0 {
		t.Fatalf("%d yes and %d no: the cases prove nothing", yes, no)
	}
}
