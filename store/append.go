package store

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
	a, ok := tx.(Appender)
	if !ok || t.anyKey(list) {
		return t.InsertAll(tx, list)
	}
	for len(list) > 0 {
		part := list[:min(len(list), insertedAtOnce)]
		rows, err := t.unloadAll(part)
		if err != nil {
			return err
		}
		if err := a.Append(t.schema, rows); err != nil {
			return err
		}
		list = list[len(part):]
	}
	return nil
}
