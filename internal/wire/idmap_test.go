package wire_test

import (
	"maps"
	"testing"

	"github.com/shopapi/shopapi/internal/wire"
)

func TestAppendIDs_EqualMapsAreEqualTexts(t *testing.T) {
	for want, m := range map[string]map[int64]int64{
		`{}`:                   nil,
		`{"9":"-2","12":"33"}`: {12: 33, 9: -2},
	} {
		if got := string(wire.AppendIDs(nil, m)); got != want {
			t.Errorf("%v is written as %s, want %s", m, got, want)
		}
	}
}

func TestVariantIDs_Messages(t *testing.T) {
	r := wire.VariantIDs{Value: "the id of a variant", Example: `{"1":"2"}`}
	for text, want := range map[string]string{
		`[1]`:              `must be a map of ids of options to ids of variants, such as {"1":"2"}`,
		`{"1":2`:           `must be a map of ids of options to ids of variants, such as {"1":"2"}`,
		`{"red":2}`:        `must have ids of options as keys, not "red"`,
		`{"1":"red"}`:      `must give the option 1 the id of a variant`,
		`{"1":2,"1":3}`:    `must name the option 1 once only`,
		`{"1":{"2":null}}`: `must give the option 1 the id of a variant`,
	} {
		if m, err := r.Parse([]byte(text)); err == nil || err.Error() != want || m != nil {
			t.Errorf("%s: %v, %v, want the error %q", text, m, err, want)
		}
	}
	if m, err := r.Parse([]byte(`{"14":"40","12":33}`)); err != nil || !maps.Equal(m, map[int64]int64{12: 33, 14: 40}) {
		t.Errorf("got %v, %v", m, err)
	}
}
