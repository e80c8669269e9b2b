package store

import "sync"

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
	return insertAll(tx, t.schema, t.fields, &t.rows, listOf(list))
}

func insertAll(tx Tx, s *Schema, fields []field, pool *sync.Pool, list structList) error {
	in, ok := tx.(Inserter)
	if !ok || list.len < 2 || list.anyKey(fields) {
		for i := range list.len {
			if err := insertRow(tx, s, fields, pool, list.at(i)); err != nil {
				return err
			}
		}
		return nil
	}
	for from := 0; from < list.len; from += insertedAtOnce {
		rows, err := list.rows(s, fields, from, min(from+insertedAtOnce, list.len))
		if err != nil {
			return err
		}
		if err := in.InsertAll(s, rows); err != nil {
			return err
		}
		for i, row := range rows {
			setKey(fields, list.at(from+i), row[0].Int())
		}
	}
	return nil
}

// insertedAtOnce bounds the memory for rows that are about to be added.
const insertedAtOnce = 256
