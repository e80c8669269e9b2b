package hooks_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/shopapi/shopapi/internal/hooks"
)

// All refusals run before the first removal, and one that refuses ends the deletion.
func TestRunDelete(t *testing.T) {
	var h hooks.Hooks
	ran := ""
	note := func(name string, err error) hooks.Delete {
		return func(context.Context, []int64) error { ran += name; return err }
	}
	h.Remove("a", note("c", nil))
	h.Refuse("a", note("a", nil))
	h.Refuse("a", note("b", nil))
	h.Refuse("b", note("x", errors.New("refused")))
	h.Remove("b", note("y", nil))
	if err := h.RunDelete(t.Context(), "a", []int64{1}); err != nil || ran != "abc" {
		t.Errorf("%q ran: %v", ran, err)
	}
	if err := h.RunDelete(t.Context(), "b", []int64{1}); err == nil || ran != "abcx" {
		t.Errorf("%q ran: %v", ran, err)
	}
	if !h.OnDelete("b") || h.OnDelete("c") {
		t.Error("other entities than a and b have functions")
	}
}

func TestEntities(t *testing.T) {
	var h hooks.Hooks
	h.Refuse("a", func(context.Context, []int64) error { return nil })
	h.Remove("b", func(context.Context, []int64) error { return nil })
	h.Moved("c", func(context.Context, int64, int64) error { return nil })
	got := h.Entities()
	slices.Sort(got)
	if want := []string{"a", "b", "c"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
