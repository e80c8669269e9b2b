package store

import "slices"

// A Replacer is a [Tx] that replaces a row without reading it once more.
type Replacer interface {
	// Replace is [Tx.Update] of a row that stands as before, which was read in this
	// Update. It may keep before, which is not changed afterwards.
	Replace(s *Schema, before, row []Value) error
}

// Alter has change alter the rows that match all conditions, by their keys, and writes
// those that differ then. A row is its values as they are stored, in the order of
// [Schema.Columns]; change sets some of them to others of the same kind, and leaves the
// key. All rows are read before the first is written. It returns what [Table.Update] does.
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
