package eval

import (
	"fmt"
	"strings"

	"github.com/shopapi/shopapi/store"
)

// A Set is values of which none is there twice.
type Set map[store.Value]struct{}

// A Cond is a [store.Cond] prepared for many rows.
type Cond struct {
	Op     store.Op
	Column int         // its position in the schema
	Other  int         // the position of the column that OpAtMostColumn compares with
	Value  store.Value // folded where the operator folds
	Set    Set         // of OpIn and OpInQuery
	Conds  []Cond
}

// Prepare prepares conditions on rows of s. Sub evaluates sub-queries; it is not
// called where there are none.
func Prepare(s *store.Schema, where []store.Cond, sub func(*store.Sub) (Set, error)) ([]Cond, error) {
	list := make([]Cond, 0, len(where))
	for i := range where {
		c, err := prepare(s, &where[i], sub)
		if err != nil {
			return nil, err
		}
		list = append(list, c)
	}
	return list, nil
}

func prepare(s *store.Schema, w *store.Cond, sub func(*store.Sub) (Set, error)) (c Cond, err error) {
	c.Op = w.Op
	switch w.Op {
	case store.OpAll, store.OpAny, store.OpNot:
		c.Conds, err = Prepare(s, w.Conds, sub)
		return c, err
	}
	if c.Column = s.Index(w.Column); c.Column < 0 {
		return c, fmt.Errorf("store: table %s has no column %s", s.Name, w.Column)
	}
	switch w.Op {
	case store.OpIn:
		c.Set = make(Set, len(w.Values))
		for _, v := range w.Values {
			c.Set[v] = struct{}{}
		}
	case store.OpInQuery:
		c.Set, err = sub(w.Sub)
	case store.OpAtMostColumn:
		if c.Other = s.Index(w.Values[0].Text()); c.Other < 0 {
			err = fmt.Errorf("store: table %s has no column %s", s.Name, w.Values[0].Text())
		}
	case store.OpContains, store.OpEqualFold, store.OpBeginsFold:
		if !s.Columns[c.Column].Fold {
			err = fmt.Errorf("store: table %s: the column %s is not marked fold, so its text cannot be searched", s.Name, w.Column)
		}
		c.Value = Fold(w.Values[0])
	case store.OpEqual, store.OpNotEqual, store.OpAtLeast, store.OpAtMost, store.OpLess:
		c.Value = w.Values[0]
	default:
		err = fmt.Errorf("store: unknown operator %d", w.Op)
	}
	return c, err
}

// Match reports whether a row meets all conditions. It is given with all columns
// of the schema, as they are and with those marked fold folded.
func Match(conds []Cond, values, folded []store.Value) bool {
	for i := range conds {
		if !conds[i].match(values, folded) {
			return false
		}
	}
	return true
}

func (c *Cond) match(values, folded []store.Value) bool {
	switch c.Op {
	case store.OpAll:
		return Match(c.Conds, values, folded)
	case store.OpAny:
		for i := range c.Conds {
			if c.Conds[i].match(values, folded) {
				return true
			}
		}
		return false
	case store.OpNot:
		return !c.Conds[0].match(values, folded)
	}
	v := values[c.Column]
	switch c.Op {
	case store.OpEqual:
		return v == c.Value
	case store.OpNotEqual:
		return v != c.Value
	}
	if v.IsNull() {
		return false
	}
	switch c.Op {
	case store.OpIn, store.OpInQuery:
		_, in := c.Set[v]
		return in
	case store.OpContains:
		return strings.Contains(folded[c.Column].Text(), c.Value.Text())
	case store.OpBeginsFold:
		return strings.HasPrefix(folded[c.Column].Text(), c.Value.Text())
	case store.OpAtMostColumn:
		return !values[c.Other].IsNull() && v.Compare(values[c.Other]) <= 0
	case store.OpEqualFold:
		return folded[c.Column] == c.Value
	case store.OpAtLeast:
		return v.Compare(c.Value) >= 0
	case store.OpAtMost:
		return v.Compare(c.Value) <= 0
	default: // store.OpLess: prepare lets nothing else pass
		return v.Compare(c.Value) < 0
	}
}

// Fold returns the folded form of a text, other values as they are.
func Fold(v store.Value) store.Value {
	if v.IsText() {
		return store.String(store.Fold(v.Text()))
	}
	return v
}
