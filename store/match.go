package store

import "strings"

// A Members function evaluates [OpInQuery] for [Match]: whether v is a value of
// sub's column in a matching row.
type Members func(sub *Sub, v Value) bool

// Match reports whether a row, with all columns of s, meets all conditions. It
// defines the conditions for every store. In is called for sub-queries and may be nil
// where there are none.
func Match(s *Schema, row []Value, where []Cond, in Members) bool {
	for i := range where {
		if !matchOne(s, row, &where[i], in) {
			return false
		}
	}
	return true
}

func matchOne(s *Schema, row []Value, c *Cond, in Members) bool {
	switch c.Op {
	case OpAll:
		return Match(s, row, c.Conds, in)
	case OpAny:
		for i := range c.Conds {
			if matchOne(s, row, &c.Conds[i], in) {
				return true
			}
		}
		return false
	case OpNot:
		return !matchOne(s, row, &c.Conds[0], in)
	}
	v := row[s.Index(c.Column)]
	switch c.Op {
	case OpEqual:
		return v == c.Values[0]
	case OpNotEqual:
		return v != c.Values[0]
	case OpIn:
		for _, w := range c.Values {
			if v == w && !v.IsNull() {
				return true
			}
		}
		return false
	case OpInQuery:
		return !v.IsNull() && in(c.Sub, v)
	case OpContains:
		return !v.IsNull() && strings.Contains(Fold(v.text), Fold(c.Values[0].text))
	case OpBeginsFold:
		return !v.IsNull() && strings.HasPrefix(Fold(v.text), Fold(c.Values[0].text))
	case OpAtMostColumn:
		other := row[s.Index(c.Values[0].text)]
		return !v.IsNull() && !other.IsNull() && v.Compare(other) <= 0
	case OpEqualFold:
		return !v.IsNull() && Fold(v.text) == Fold(c.Values[0].text)
	case OpAtLeast:
		return !v.IsNull() && v.Compare(c.Values[0]) >= 0
	case OpAtMost:
		return !v.IsNull() && v.Compare(c.Values[0]) <= 0
	case OpLess:
		return !v.IsNull() && v.Compare(c.Values[0]) < 0
	}
	return false
}
