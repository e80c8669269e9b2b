package accept_test

import (
	"slices"
	"testing"

	"github.com/shopapi/shopapi/internal/accept"
)

func TestQuality(t *testing.T) {
	for header, want := range map[string]float64{
		"text/plain":                             1,
		"TEXT/Plain;Q=0.5":                       0.5,
		"text/*;q=0.3, */*;q=0.9":                0.3,
		"*/*":                                    1,
		"text/plain;q=0, */*":                    0,
		"application/json":                       -1,
		"text/plain;q=NaN":                       -1,
		"text/plain;q=2":                         -1,
		"text/plain;charset=UTF-8":               1,
		"text/plain;format=flowed":               -1,
		"text/plain;format=flowed, text/*;q=0.2": 0.2,
		`text/x;p="a, text/plain"`:               -1,
		"plain":                                  -1,
		"":                                       -1,
	} {
		if got := accept.Quality(header, "text", "plain"); got != want {
			t.Errorf("%s: got %v, want %v", header, got, want)
		}
	}
}

func TestSplit_LeavesQuotedSeparators(t *testing.T) {
	got := accept.Split(`"a,b", W/"c\"," ,d`, ',')
	if want := []string{`"a,b"`, ` W/"c\"," `, "d"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
