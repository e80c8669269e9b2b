package store

import (
	"fmt"
	"math"
	"slices"
	"sync"
	"unsafe"
)

// The methods of [Table] and [Reader] pass to these functions a pointer to their struct: every
// package with a table compiles all methods again, whether it calls them or not.

// rowFrom returns a row from a pool of *[]Value.
func rowFrom(pool *sync.Pool, width int) *[]Value {
	if row, ok := pool.Get().(*[]Value); ok {
		return row
	}
	row := make([]Value, width)
	return &row
}

// getRow reads the row with the key into a struct, which may be nil.
func getRow(tx Tx, p *Projection, fields []field, pool *sync.Pool, key int64, at unsafe.Pointer) error {
	row := rowFrom(pool, len(fields))
	defer pool.Put(row)
	if err := tx.Get(p, key, *row); err != nil || at == nil {
		return err
	}
	loadRow(p, fields, at, *row)
	return nil
}

// loadRow sets the fields of a struct.
func loadRow(p *Projection, fields []field, at unsafe.Pointer, row []Value) {
	own := len(p.Columns)
	for i := range fields {
		f, value := &fields[i], row[i]
		if i >= own && value.IsNull() {
			value = f.column.Zero()
		}
		f.load(unsafe.Add(at, f.offset), value)
	}
}

// unloadRow sets a row to the fields of a struct.
func unloadRow(s *Schema, fields []field, at unsafe.Pointer, row []Value) error {
	for i := range fields {
		f := &fields[i]
		value, err := f.value(unsafe.Add(at, f.offset))
		if err != nil {
			return err
		}
		row[i] = value
	}
	return checkSize(s, row)
}

// checkSize returns a [*RowError] for a row that is too large, so that every written row
// can be read again.
func checkSize(s *Schema, row []Value) error {
	size, longest := 0, 0
	for i := range row {
		size += len(row[i].Text())
		if len(row[i].Text()) > len(row[longest].Text()) {
			longest = i
		}
	}
	if size <= MaxRow {
		return nil
	}
	return &RowError{Table: s.Name, Column: s.Columns[longest].Name, Size: size}
}

func insertRow(tx Tx, s *Schema, fields []field, pool *sync.Pool, at unsafe.Pointer) error {
	row := rowFrom(pool, len(fields))
	defer pool.Put(row)
	if err := unloadRow(s, fields, at, *row); err != nil {
		return err
	}
	key, err := tx.Insert(s, *row)
	if err == nil {
		setKey(fields, at, key)
	}
	return err
}

func updateRow(tx Tx, s *Schema, fields []field, pool *sync.Pool, at unsafe.Pointer) error {
	row := rowFrom(pool, len(fields))
	defer pool.Put(row)
	if err := unloadRow(s, fields, at, *row); err != nil {
		return err
	}
	return tx.Update(s, *row)
}

func deleteKey(tx Tx, s *Schema, key int64) error {
	n, err := tx.Delete(s, []Cond{Equal(s.Key(), Int(key))})
	if err == nil && n == 0 {
		return ErrNotFound
	}
	return err
}

func keyOf(fields []field, at unsafe.Pointer) int64 {
	f := &fields[0]
	value, err := f.value(unsafe.Add(at, f.offset))
	if err != nil { // an integer always is a value
		panic(err)
	}
	return value.Int()
}

func setKey(fields []field, at unsafe.Pointer, key int64) {
	fields[0].load(unsafe.Add(at, fields[0].offset), Int(key))
}

// changedColumns returns the names of the columns in which two structs differ.
func changedColumns(s *Schema, fields []field, pool *sync.Pool, before, after unsafe.Pointer) (columns []string, err error) {
	was, is := rowFrom(pool, len(fields)), rowFrom(pool, len(fields))
	defer pool.Put(was)
	defer pool.Put(is)
	if err := unloadRow(s, fields, before, *was); err != nil {
		return nil, err
	}
	if err := unloadRow(s, fields, after, *is); err != nil {
		return nil, err
	}
	for i := range fields {
		if (*was)[i] != (*is)[i] {
			columns = append(columns, fields[i].column.Name)
		}
	}
	return columns, nil
}

// batches calls add for each row, and done after each batch of n.
func batches(tx Tx, p *Projection, n int, where []Cond, add func(row []Value), done func() error) error {
	key, at := p.Schema.Key(), slices.Index(p.Columns, 0)
	if at < 0 {
		return fmt.Errorf("store: rows of %s are read in batches without their key %s", p.Schema.Name, key)
	}
	q := Query{Where: where, Limit: n}
	for {
		var last int64
		count := 0
		err := tx.Select(p, &q, func(row []Value) error {
			add(row)
			last = row[at].Int()
			count++
			return nil
		})
		if err != nil || count == 0 {
			return err
		}
		if err := done(); err != nil || count < n || last == math.MaxInt64 {
			return err
		}
		q.Where = append(slices.Clip(where), AtLeast(key, Int(last+1)))
	}
}

// A structList is a slice of structs of a table.
type structList struct {
	first unsafe.Pointer
	len   int
	size  uintptr
}

func listOf[T any](list []T) structList {
	return structList{unsafe.Pointer(unsafe.SliceData(list)), len(list), unsafe.Sizeof(*new(T))}
}

func (l structList) at(i int) unsafe.Pointer { return unsafe.Add(l.first, uintptr(i)*l.size) }

// anyKey reports whether one of the structs has a key.
func (l structList) anyKey(fields []field) bool {
	for i := range l.len {
		if keyOf(fields, l.at(i)) != 0 {
			return true
		}
	}
	return false
}

// rows returns the rows of the structs from one on up to another one.
func (l structList) rows(s *Schema, fields []field, from, to int) ([][]Value, error) {
	width := len(fields)
	values, rows := make([]Value, (to-from)*width), make([][]Value, to-from)
	for i := range rows {
		rows[i] = values[i*width : (i+1)*width : (i+1)*width]
		if err := unloadRow(s, fields, l.at(from+i), rows[i]); err != nil {
			return nil, err
		}
	}
	return rows, nil
}
