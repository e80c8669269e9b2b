package resource

import (
	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/store"
)

// A Parameter is a query parameter that is named differently than its column. It has the
// methods of [Where]; problems are noted under the parameter's name.
type Parameter struct {
	w    *Where
	name string
}

// For returns the parameter with the name:
//
//	w.For("user_ids").Ints("user_id", f.UserIDs)
func (w *Where) For(parameter string) Parameter { return Parameter{w, parameter} }

// Text asks for rows whose column is the value.
func (p Parameter) Text(column, value string) {
	if p.CheckLength(value) && value != "" {
		p.w.Add(store.Equal(column, store.String(value)))
	}
}

// Contains asks for rows one of whose columns, marked fold, has the value as a part,
// without regard to case.
func (p Parameter) Contains(column, value string) {
	if p.CheckLength(value) && value != "" {
		p.w.Add(store.Contains(column, value))
	}
}

// Ints asks for rows whose column is one of the values, [shopapi.MaxListItems] of them
// at most. nil was not given.
func (p Parameter) Ints(column string, values []int64) {
	if p.FitsList(len(values)) && values != nil {
		p.w.Add(store.InInts(column, values...))
	}
}

// CheckLength reports whether a text has at most [shopapi.MaxFilterText] bytes, and notes a
// longer one.
func (p Parameter) CheckLength(value string) bool {
	p.w.Problems.Bytes(p.name, value, shopapi.MaxFilterText)
	return len(value) <= shopapi.MaxFilterText
}

// FitsList reports whether a list of n items has at most [shopapi.MaxListItems], and
// notes a longer one.
func (p Parameter) FitsList(n int) bool {
	if n > shopapi.MaxListItems {
		p.w.Problems.Add(p.name, "must have at most %d items", shopapi.MaxListItems)
		return false
	}
	return true
}
