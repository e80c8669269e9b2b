package store

// An Inserter is a [Tx] that adds several rows at once.
type Inserter interface {
	// InsertAll adds rows whose keys are 0, and sets their keys, which ascend. It returns the
	// errors of [Tx.Insert], after which some of the rows may have been added. The store may
	// keep the rows; the caller must not change them afterwards.
	InsertAll(s *Schema, rows [][]Value) error
}

// InsertAll adds rows in their order, as [Table.Insert] adds one. After an error some of the
// rows may have been added. Where the store is an [Inserter], several rows take one statement.
func (t *Table[T]) InsertAll(tx Tx, list []T) error {
	in, ok := tx.(Inserter)
	if !ok || len(list) < 2 || t.anyKey(list) {
		for i := range list {
			if err := t.Insert(tx, &list[i]); err != nil {
				return err
			}
		}
		return nil
	}
	for len(list) > 0 {
		part := list[:min(len(list), insertedAtOnce)]
		rows, err := t.unloadAll(part)
		if err != nil {
			return err
		}
		if err := in.InsertAll(t.schema, rows); err != nil {
			return err
		}
		for i := range part {
			t.SetKey(&part[i], rows[i][0].Int())
		}
		list = list[len(part):]
	}
	return nil
}

// insertedAtOnce bounds the memory for rows that are about to be added.
const insertedAtOnce = 256

// unloadAll returns the rows of a list.
func (t *Table[T]) unloadAll(list []T) ([][]Value, error) {
	width := len(t.fields)
	values, rows := make([]Value, len(list)*width), make([][]Value, len(list))
	for i := range list {
		rows[i] = values[i*width : (i+1)*width : (i+1)*width]
		if err := t.unload(&list[i], rows[i]); err != nil {
			return nil, err
		}
	}
	return rows, nil
}

// anyKey reports whether one of the rows has a key.
func (t *Table[T]) anyKey(list []T) bool {
	for i := range list {
		if t.Key(&list[i]) != 0 {
			return true
		}
	}
	return false
}
