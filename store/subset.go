package store

import "slices"

// knownSubsets is a [sync.Map]. It is an interface because every package with a [Table] would
// compile all methods of sync.Map again: they belong to a generic type.
type knownSubsets interface {
	Load(key any) (value any, ok bool)
	LoadOrStore(key, value any) (actual any, loaded bool)
}

// maxSubsets is how many readers of [Table.Subset] are used again. Clients choose the columns.
const maxSubsets = 256

// Subset returns a reader that reads only the key and the named columns; the other fields
// of its structs are zero. Unknown names are ignored. The same columns have the same reader, so
// that stores use its statements again.
func (t *Table[T]) Subset(names ...string) *Reader[T] {
	columns := columnsOf(t.fields, names)
	if known, ok := t.subsets.Load(columns); ok {
		return known.(*Reader[T])
	}
	r := &Reader[T]{}
	r.projection, r.fields = subsetOf(t.schema, t.fields, columns)
	if t.subsetsCount.Add(1) <= maxSubsets {
		known, _ := t.subsets.LoadOrStore(columns, r)
		return known.(*Reader[T])
	}
	return r
}

// columnsOf returns the positions of the key and of the named columns.
func columnsOf(fields []field, names []string) string {
	columns := make([]rune, 0, len(names)+1)
	for i := range fields {
		if i == 0 || slices.Contains(names, fields[i].column.Name) {
			columns = append(columns, rune(i))
		}
	}
	return string(columns)
}

// subsetOf returns the columns at positions of a table.
func subsetOf(s *Schema, all []field, columns string) (p *Projection, fields []field) {
	p = &Projection{Schema: s}
	for _, i := range columns {
		fields = append(fields, all[i])
		p.Columns = append(p.Columns, int(i))
	}
	return p, fields
}
