package store

import "slices"

// A Replacer is a [Tx] that replaces a row without reading it once more.
type Replacer interface {
	// Replace is [Tx.Update] for a row that this Update has read and whose stored values
	// are before. The store may keep before; the caller must not change it afterwards.
	Replace(s *Schema, before, row []Value) error
}

// Alter calls change for each row that matches all conditions, in the order of the keys,
// and writes the rows that change altered. A row is its stored values in the order of
// [Schema.Columns]. change may set values to others of the same kind, but not the key.
// Alter reads all rows before it writes the first. It returns the errors of
// [Table.Update].
func (t *Table[T]) Alter(tx Tx, change func(row []Value), where ...Cond) error {
	var rows [][]Value
	err := tx.Select(t.projection, &Query{Where: where}, func(row []Value) error {
		rows = append(rows, slices.Clone(row))
		return nil
	})
	if err != nil {
		return err
	}
	after := t.row()
	defer t.rows.Put(after)
	for _, before := range rows {
		copy(*after, before)
		change(*after)
		if slices.Equal(before, *after) {
			continue
		}
		if r, ok := tx.(Replacer); ok {
			err = r.Replace(t.schema, before, *after)
		} else {
			err = tx.Update(t.schema, *after)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
