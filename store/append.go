package store

import "sync"

// An Appender is a [Tx] that adds rows without waiting for their keys.
type Appender interface {
	// Append is [Inserter.InsertAll] that does not set the keys. The rows may be added later, at
	// the latest before the commit. Where that fails, the store runs the Update again, and Append
	// returns the error.
	Append(s *Schema, rows [][]Value) error
}

// Append adds rows, such as entries of a log, and does not set their keys. Over a remote database
// it takes no round trip of its own. It returns the errors of [Table.InsertAll].
func (t *Table[T]) Append(tx Tx, list ...T) error {
	return appendAll(tx, t.schema, t.fields, &t.rows, listOf(list))
}

func appendAll(tx Tx, s *Schema, fields []field, pool *sync.Pool, list structList) error {
	a, ok := tx.(Appender)
	if !ok || list.anyKey(fields) {
		return insertAll(tx, s, fields, pool, list)
	}
	for from := 0; from < list.len; from += insertedAtOnce {
		rows, err := list.rows(s, fields, from, min(from+insertedAtOnce, list.len))
		if err != nil {
			return err
		}
		if err := a.Append(s, rows); err != nil {
			return err
		}
	}
	return nil
}
