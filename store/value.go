package store

import (
	"cmp"
	"strconv"
	"strings"
)

// A Value is the value of one column of one row: null, an integer or a text. Flags are
// the integers 0 and 1, amounts are integers of their column's smallest unit, JSON
// documents are texts. The zero Value is null.
type Value struct {
	text  string
	n     int64
	class class
}

type class uint8

const (
	classNull class = iota
	classInt
	classText
)

// Null is the value of a column that has none.
var Null Value

// Int returns an integer value.
func Int(n int64) Value { return Value{n: n, class: classInt} }

// String returns a text value.
func String(s string) Value { return Value{text: s, class: classText} }

// Bool returns a flag as an integer: 1 or 0.
func Bool(b bool) Value {
	if b {
		return Int(1)
	}
	return Int(0)
}

// IsNull reports whether v is null.
func (v Value) IsNull() bool { return v.class == classNull }

// IsText reports whether v is a text.
func (v Value) IsText() bool { return v.class == classText }

// Int returns the integer, 0 for null and texts.
func (v Value) Int() int64 { return v.n }

// Text returns the text, "" for null and integers.
func (v Value) Text() string { return v.text }

// Equal reports whether v and w are the same value. Null equals null.
func (v Value) Equal(w Value) bool { return v == w }

// Compare orders values as every store does: null first, then integers by
// size, then texts by their bytes.
func (v Value) Compare(w Value) int {
	if v.class != w.class {
		return cmp.Compare(v.class, w.class)
	}
	if v.class == classText {
		return strings.Compare(v.text, w.text)
	}
	return cmp.Compare(v.n, w.n)
}

// GoString shows the value in test failures.
func (v Value) GoString() string {
	switch v.class {
	case classInt:
		return strconv.FormatInt(v.n, 10)
	case classText:
		return strconv.Quote(v.text)
	}
	return "null"
}
