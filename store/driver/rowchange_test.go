package driver_test

import (
	"strings"
	"testing"
	"unsafe"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver"
)

// Of a change that has its own texts, no text is a part of a larger one, and a text that
// did not change exists once.
func TestRowChange_OwnTexts(t *testing.T) {
	body := strings.Repeat("x", 10) + "changed" // a request, of which the new text is a part
	before := []store.Value{store.Int(1), store.String(strings.Clone("kept")), store.String("old")}
	c := driver.RowChange{
		Before: before,
		After:  []store.Value{store.Int(1), store.String(strings.Clone("kept")), store.String(body[10:])},
	}
	c.OwnTexts()
	data := func(v store.Value) *byte { return unsafe.StringData(v.Text()) }
	if data(c.After[1]) != data(before[1]) {
		t.Error("a text that did not change is there twice")
	}
	if c.After[2].Text() != "changed" || data(c.After[2]) == unsafe.StringData(body[10:]) {
		t.Error("a new text is a part of a larger one")
	}
}

// The size of a change contains both rows and their texts.
func TestRowChange_Size(t *testing.T) {
	row := func(text string) []store.Value { return []store.Value{store.Int(1), store.String(text)} }
	empty := driver.RowChange{After: row("")}
	both := driver.RowChange{Before: row("abc"), After: row("de")}
	if got, want := both.Size(), 2*empty.Size()+5; got != want {
		t.Errorf("the size is %d, want %d", got, want)
	}
}
