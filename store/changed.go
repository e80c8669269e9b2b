package store

import "unsafe"

// Key returns the key of a row read by r, whose first column must be the key.
func (r *Reader[T]) Key(v *T) int64 { return keyOf(r.fields, unsafe.Pointer(v)) }

// SetKey sets the key of a row.
func (t *Table[T]) SetKey(v *T, key int64) { setKey(t.fields, unsafe.Pointer(v), key) }

// Changed returns the names of the columns in which two rows differ as they would
// be stored: amounts of 1 and 1.00 do not. It returns a [*TextError] for a text
// that no row can hold.
func (t *Table[T]) Changed(before, after *T) (columns []string, err error) {
	return changedColumns(t.schema, t.fields, &t.rows, unsafe.Pointer(before), unsafe.Pointer(after))
}

// Field returns the position of the named column among the columns that r reads, or -1.
func (r *Reader[T]) Field(column string) int {
	for i := range r.fields {
		if r.fields[i].column.Name == column {
			return i
		}
	}
	return -1
}

// FieldValue returns the value of the column at a position that [Reader.Field]
// returned. It returns a [*TextError] for a text that no row can hold.
func (r *Reader[T]) FieldValue(v *T, i int) (Value, error) {
	return r.fields[i].value(unsafe.Add(unsafe.Pointer(v), r.fields[i].offset))
}

// SetField sets the column at a position that [Reader.Field] returned.
func (r *Reader[T]) SetField(v *T, i int, value Value) {
	r.fields[i].load(unsafe.Add(unsafe.Pointer(v), r.fields[i].offset), value)
}
