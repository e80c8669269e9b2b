package store

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// A Query says which rows of a table a read returns, and in which order.
type Query struct {
	Where  []Cond  // all of them hold
	Order  []Order // before the key, which breaks every tie in the direction of the last term
	Limit  int     // at most so many rows; 0 means all
	Offset int     // rows passed over first
}

// An Order is one term of an ordering. Nulls come first in ascending order.
// Text orders by its bytes, a column marked fold by its folded form.
type Order struct {
	Column string
	Desc   bool
	Via    *Via // Column is one of the referenced table
}

// Via orders or reads by a column of another table: of the row of Schema whose key is in
// this row's Column, an integer. Rows without such a row order as null.
type Via struct {
	Column string
	Schema *Schema
}

// Asc orders by a column, smallest first.
func Asc(column string) Order { return Order{Column: column} }

// Desc orders by a column, greatest first.
func Desc(column string) Order { return Order{Column: column, Desc: true} }

// An Op is the operator of a condition.
type Op uint8

// The operators. A condition is true or false, never unknown.
const (
	OpEqual        Op = iota + 1 // the column is the value; a null value asks for null
	OpNotEqual                   // not OpEqual
	OpIn                         // the column is one of the values, none of which is null
	OpInQuery                    // the column is a value of Sub's column; null is none
	OpContains                   // the folded column holds the folded value
	OpEqualFold                  // the folded column is the folded value
	OpBeginsFold                 // the folded column begins with the folded value
	OpAtMostColumn               // the column is not greater than the column that the value names; neither is null
	OpAtLeast                    // the column is not null and not less than the value
	OpAtMost                     // the column is not null and not greater than the value
	OpLess                       // the column is not null and less than the value
	OpAll                        // all of Conds hold
	OpAny                        // at least one of Conds holds
	OpNot                        // the one condition in Conds does not hold
)

// A Cond is a condition on a row. The functions of this package make them. No
// row holds a text that is not valid UTF-8 or has a NUL, so such a text equals
// nothing, is in nothing and begins nothing, and no store is asked about it.
type Cond struct {
	Op     Op
	Column string
	Values []Value
	Sub    *Sub
	Conds  []Cond
}

// A Sub is the set of values that a column has in the rows of another table
// that match.
type Sub struct {
	Schema *Schema
	Column string
	Where  []Cond
}

// Equal holds where the column is v, which may be [Null].
func Equal(column string, v Value) Cond {
	if !isText(v.text) {
		return Any()
	}
	return Cond{Op: OpEqual, Column: column, Values: []Value{v}}
}

// NotEqual holds where the column is not v. Null is not 5.
func NotEqual(column string, v Value) Cond {
	if !isText(v.text) {
		return All()
	}
	return Cond{Op: OpNotEqual, Column: column, Values: []Value{v}}
}

// In holds where the column is one of the values. No values, no rows.
func In(column string, values ...Value) Cond {
	bad := func(v Value) bool { return !isText(v.text) }
	if slices.ContainsFunc(values, bad) {
		values = slices.DeleteFunc(slices.Clone(values), bad)
	}
	return Cond{Op: OpIn, Column: column, Values: values}
}

// InInts is [In] for integers.
func InInts(column string, ns ...int64) Cond {
	values := make([]Value, len(ns))
	for i, n := range ns {
		values[i] = Int(n)
	}
	return In(column, values...)
}

// InQuery holds where the column is a value of sub's column in a row of s that
// matches where.
func InQuery(column string, s *Schema, subColumn string, where ...Cond) Cond {
	return Cond{Op: OpInQuery, Column: column, Sub: &Sub{Schema: s, Column: subColumn, Where: where}}
}

// Contains holds where the column, which must be marked fold, has the text as
// a part, without regard to case.
func Contains(column, text string) Cond {
	if !isText(text) {
		return Any()
	}
	return Cond{Op: OpContains, Column: column, Values: []Value{String(text)}}
}

// EqualFold holds where the column, which must be marked fold, is the text,
// without regard to case.
func EqualFold(column, text string) Cond {
	if !isText(text) {
		return Any()
	}
	return Cond{Op: OpEqualFold, Column: column, Values: []Value{String(text)}}
}

// BeginsFold holds where the column, which must be marked fold, begins with the text,
// without regard to case.
func BeginsFold(column, text string) Cond {
	if !isText(text) {
		return Any()
	}
	return Cond{Op: OpBeginsFold, Column: column, Values: []Value{String(text)}}
}

// AtMostColumn holds where the column is not more than another column. Both are integers or
// decimals of one scale.
func AtMostColumn(column, other string) Cond {
	return Cond{Op: OpAtMostColumn, Column: column, Values: []Value{String(other)}}
}

// AtLeast holds where the column is v or more.
func AtLeast(column string, v Value) Cond {
	return Cond{Op: OpAtLeast, Column: column, Values: []Value{v}}
}

// AtMost holds where the column is v or less.
func AtMost(column string, v Value) Cond {
	return Cond{Op: OpAtMost, Column: column, Values: []Value{v}}
}

// Less holds where the column is less than v.
func Less(column string, v Value) Cond {
	return Cond{Op: OpLess, Column: column, Values: []Value{v}}
}

// StartsWith holds where the text column begins with prefix, byte for byte.
func StartsWith(column, prefix string) Cond {
	if prefix == "" {
		return All()
	}
	if !isText(prefix) {
		return Any()
	}
	from := AtLeast(column, String(prefix))
	if after, ok := successor(prefix); ok {
		return All(from, Less(column, String(after)))
	}
	return from
}

// All holds where each condition holds. None given, it holds.
func All(conds ...Cond) Cond { return Cond{Op: OpAll, Conds: conds} }

// Any holds where at least one condition holds. None given, it does not.
func Any(conds ...Cond) Cond { return Cond{Op: OpAny, Conds: conds} }

// Not holds where the condition does not.
func Not(c Cond) Cond { return Cond{Op: OpNot, Conds: []Cond{c}} }

// Successor returns the least text that is greater than every text with the prefix, and
// false where there is none. Stores ask for the texts with a prefix as a range.
func Successor(prefix string) (string, bool) { return successor(prefix) }

// successor returns the least text that is greater than every text with the
// prefix, and is itself valid UTF-8.
func successor(prefix string) (string, bool) {
	for prefix != "" {
		r, size := utf8.DecodeLastRuneInString(prefix)
		prefix = prefix[:len(prefix)-size]
		if r == utf8.MaxRune {
			continue
		}
		r++
		if r == 0xD800 { // surrogates are not valid text
			r = 0xE000
		}
		return prefix + string(r), true
	}
	return "", false
}

// isText reports whether a column can hold s.
func isText(s string) bool { return utf8.ValidString(s) && strings.IndexByte(s, 0) < 0 }
