package store

import "fmt"

// A Setter is a [Tx] that writes one value into many rows with one statement.
type Setter interface {
	// Set writes v into the column of the rows that match all conditions. The column is one
	// for which [Table.Set] or [Table.SetText] passes.
	Set(s *Schema, column string, v Value, where []Cond) error
}

// Set writes a number into a column of the rows that match all conditions, such as the
// time of a change of many rows. Where the store is a [Setter], the cost is that of one
// statement. The column contains whole numbers, never null, and is neither the key nor part
// of a unique index: others are an error.
func (t *Table[T]) Set(tx Tx, column string, number int64, where ...Cond) error {
	return setAll(tx, t.schema, column, Int(number), Integer, where)
}

// SetText is [Table.Set] for a column of texts that is neither folded nor searched. The rows
// must have a text there that is as long or longer: SetText does not check [MaxRow].
func (t *Table[T]) SetText(tx Tx, column, text string, where ...Cond) error {
	return setAll(tx, t.schema, column, String(text), Text, where)
}

func setAll(tx Tx, s *Schema, column string, v Value, kind Kind, where []Cond) error {
	i := s.Index(column)
	if i <= 0 || s.isUnique(column) {
		i = 0 // the key
	}
	if c := &s.Columns[i]; i == 0 || c.Kind != kind || c.Null || c.Fold || c.Search {
		return fmt.Errorf("store: table %s: column %q cannot be set in many rows", s.Name, column)
	}
	if setter, ok := tx.(Setter); ok {
		return setter.Set(s, column, v, where)
	}
	return alter(tx, s, func(row []Value) { row[i] = v }, where)
}

// isUnique reports whether a column is part of a unique index.
func (s *Schema) isUnique(column string) bool {
	for _, x := range s.Indexes {
		for _, name := range x.Columns {
			if x.Unique && name == column {
				return true
			}
		}
	}
	return false
}
