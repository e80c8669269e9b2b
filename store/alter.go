package store

import "slices"

// A Replacer is a [Tx] that replaces rows without reading them once more.
type Replacer interface {
	// Replace writes rows as [Tx.Update] writes one. before has the values that this
	// transaction has read of them. After an error some of the rows may have been written.
	// The store may keep before and rows; the caller must not change them afterwards.
	Replace(s *Schema, before, rows [][]Value) error
}

// A RowKeeper is a [Tx] that selects rows which need not be copied.
type RowKeeper interface {
	// SelectKept calls each for the whole rows that match all conditions, in the order of the keys.
	// each may keep a row, and must not change it.
	SelectKept(s *Schema, where []Cond, each func(row []Value) error) error
}

// replacedAtOnce bounds the memory for rows that are about to be written.
const replacedAtOnce = 64

// Alter calls change for each row that matches all conditions, in the order of the keys,
// and writes the rows that change altered. A row is its stored values in the order of
// [Schema.Columns]. change may set values to others of the same kind, but not the key.
// Alter reads all rows before it writes the first. It returns the errors of
// [Table.Update].
func (t *Table[T]) Alter(tx Tx, change func(row []Value), where ...Cond) error {
	return alter(tx, t.schema, change, where)
}

func alter(tx Tx, s *Schema, change func(row []Value), where []Cond) error {
	rows, err := selectKept(tx, s, where)
	if err != nil {
		return err
	}
	var changed []Value
	for len(rows) > 0 {
		part := rows[:min(len(rows), replacedAtOnce)]
		rows = rows[len(part):]
		before, after := make([][]Value, 0, len(part)), make([][]Value, 0, len(part))
		for _, row := range part {
			changed = append(changed[:0], row...)
			if change(changed); !slices.Equal(row, changed) {
				before, after = append(before, row), append(after, changed)
				changed = nil // it belongs to the store
			}
		}
		if len(after) == 0 {
			continue
		}
		if r, ok := tx.(Replacer); ok {
			err = r.Replace(s, before, after)
		} else {
			err = updateEach(tx, s, after)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// selectKept returns the rows that match all conditions. Nobody may change them.
func selectKept(tx Tx, s *Schema, where []Cond) (rows [][]Value, err error) {
	keep := func(row []Value) error {
		rows = append(rows, row)
		return nil
	}
	if k, ok := tx.(RowKeeper); ok {
		err = k.SelectKept(s, where, keep)
		return rows, err
	}
	err = tx.Select(s.All(), &Query{Where: where}, func(row []Value) error { return keep(slices.Clone(row)) })
	return rows, err
}

func updateEach(tx Tx, s *Schema, rows [][]Value) error {
	for _, row := range rows {
		if err := tx.Update(s, row); err != nil {
			return err
		}
	}
	return nil
}
