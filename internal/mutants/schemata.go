package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// All generated mutants of a file are compiled at once (mutant schemata): each mistake is
// behind a switch, and the environment turns one of them on. So each mutant costs a run of
// the tests and no build.

// An edit replaces a part of a file, or inserts a text where from is to.
type edit struct {
	from, to int
	text     string // %d is the number of the mutant
	closes   bool   // it ends what another edit of the mutant begins
}

// around returns the edits that put a text before and after a part of a file.
func around(from, to int, before, after string) []edit {
	return []edit{{from: from, to: from, text: before}, {from: to, to: to, text: after, closes: true}}
}

// switchable returns the file's text with all mutants behind switches. The mutants are in
// the order in which their syntax begins, the outer before the inner.
func switchable(text string, mutants []*mutant) string {
	type placed struct {
		edit
		mutant int
	}
	var edits []placed
	for _, m := range mutants {
		for _, e := range m.edits {
			if strings.Contains(e.text, "%d") {
				e.text = fmt.Sprintf(e.text, m.number)
			}
			edits = append(edits, placed{e, m.number})
		}
	}
	slices.SortStableFunc(edits, func(a, b placed) int {
		switch {
		case a.from != b.from:
			return cmp.Compare(a.from, b.from)
		case a.closes != b.closes && a.closes:
			return -1
		case a.closes != b.closes:
			return 1
		case a.closes: // the inner closes first
			return cmp.Compare(b.mutant, a.mutant)
		}
		return cmp.Compare(a.mutant, b.mutant)
	})
	var changed strings.Builder
	at := 0
	for _, e := range edits {
		changed.WriteString(text[at:e.from])
		changed.WriteString(e.text)
		at = e.to
	}
	changed.WriteString(text[at:])
	return changed.String()
}

// numberVariable is the environment variable that turns a mutant on.
const numberVariable = "SHOPAPI_MUTANT"

// switches is a file beside the one that has the mutants, with the functions that the edits
// call.
func switches(pkg string) string {
	return "package " + pkg + `

import (
	"cmp"
	"os"
	"strconv"
)

var mutantNumber, _ = strconv.Atoi(os.Getenv("` + numberVariable + `"))

func mutantOn(n int) bool { return n == mutantNumber }

func mutantAnd(n int, a bool, b func() bool) bool {
	if mutantOn(n) {
		return a || b()
	}
	return a && b()
}

func mutantOr(n int, a bool, b func() bool) bool {
	if mutantOn(n) {
		return a && b()
	}
	return a || b()
}

func mutantLess[T cmp.Ordered](n int, a, b T) bool { return a < b || mutantOn(n) && a == b }

func mutantAtMost[T cmp.Ordered](n int, a, b T) bool { return a < b || !mutantOn(n) && a == b }

type mutantNumeric interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uintptr | ~float32 | ~float64
}

func mutantSum[T mutantNumeric](n int, a, b T) T {
	if mutantOn(n) {
		return a - b
	}
	return a + b
}

func mutantDifference[T mutantNumeric](n int, a, b T) T {
	if mutantOn(n) {
		return a + b
	}
	return a - b
}
`
}
