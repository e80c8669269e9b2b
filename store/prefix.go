package store

import "fmt"

// A Prefix replaces the beginning of the texts of a column by another.
type Prefix struct {
	Column, Old, New string
}

// Prefixed matches the rows that [Tx.ReplacePrefixes] changes: each Old is a prefix of
// its column.
func Prefixed(prefixes []Prefix) []Cond {
	where := make([]Cond, len(prefixes))
	for i, p := range prefixes {
		where[i] = StartsWith(p.Column, p.Old)
	}
	return where
}

// ReplacePrefixes writes another beginning into the rows that have every Old at the
// beginning of its column, such as the paths of all that lies below a row that moves,
// and says how many. The cost is that of one statement, however many rows there are.
//
// The columns are texts, each named once, never null, neither folded nor searched nor part of a
// unique index: others are an error. It returns a [*TextError] for a New that no row
// can hold.
func (t *Table[T]) ReplacePrefixes(tx Tx, prefixes ...Prefix) (int64, error) {
	return replacePrefixes(tx, t.schema, prefixes)
}

func replacePrefixes(tx Tx, s *Schema, prefixes []Prefix) (int64, error) {
	named := make(map[string]bool, len(prefixes))
	for _, p := range prefixes {
		if !s.takesPrefix(p.Column) || named[p.Column] {
			return 0, fmt.Errorf("store: table %s: prefixes of column %q cannot be replaced", s.Name, p.Column)
		}
		if !isText(p.New) {
			return 0, &TextError{Column: p.Column}
		}
		named[p.Column] = true
	}
	if len(prefixes) == 0 {
		return 0, nil
	}
	return tx.ReplacePrefixes(s, prefixes)
}

// takesPrefix reports whether a column is a text that no other column or index is derived
// from.
func (s *Schema) takesPrefix(column string) bool {
	i := s.Index(column)
	if i < 0 || s.isUnique(column) {
		return false
	}
	c := &s.Columns[i]
	return c.Kind == Text && !c.Null && !c.Fold && !c.Search
}
