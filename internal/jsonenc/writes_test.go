package jsonenc_test

import (
	"reflect"
	"testing"

	"github.com/shopapi/shopapi/internal/jsonenc"
)

// Subset.Writes is true of members that every value has.
func TestSubset_Writes(t *testing.T) {
	type cup struct {
		Name  string `json:"name"`
		Note  string `json:"note,omitempty"`
		Price int    `json:"price"`
	}
	s, ok := jsonenc.SubsetOf(reflect.TypeFor[cup](), func(name string) bool { return name != "price" })
	if !ok {
		t.Fatal("a struct has no subset")
	}
	for name, want := range map[string]bool{"name": true, "note": false, "price": false, "other": false} {
		if got := s.Writes(name); got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}
