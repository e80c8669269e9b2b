package store

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"
)

// A Table is the typed face of a [Schema] whose rows are the struct T.
type Table[T any] struct {
	Reader[T]
	schema *Schema

	subsets      knownSubsets // of *Reader[T], by the columns
	subsetsCount atomic.Int64
}

// A Reader reads rows of a table into the struct T, which may have only some of
// its columns.
type Reader[T any] struct {
	projection *Projection
	fields     []field   // in the order of the projection's columns
	rows       sync.Pool // of *[]Value, as long as fields
}

// NewTable returns the table of a struct type. Its columns are the exported fields, named
// as in JSON; the fields of an embedded struct come at its position, and so do those of
// a struct with the tag prefix, such as prefix:"b_", before their names. The first is the
// key. The tag store takes, separated by commas:
//
//	key        the key (the first field)
//	contended  the key of rows that concurrent transactions change: see [Column.Contended]
//	index      an index over this column
//	fold       a text searched and ordered without regard to case
//	search     an index for searches of a column marked fold: see [Column.Search]
//	scale=2    decimals of a decimal.Decimal, which must have it
//	name=x     the column's name, where it is not the one in JSON
//	-          no column
//
// and translated for a text in several languages: the column contains the base language,
// [Schema.Texts] the others.
//
// Fields may be integers (int64), texts (string), flags (bool), JSON documents
// (a slice of bytes), decimal.Decimal, types made of these, other types that
// implement [encoding.TextMarshaler] and [encoding.TextUnmarshaler], which are
// texts, and pointers to all of them, which may be null. Where such a type also implements
// [encoding.TextAppender], and no field that it embeds does, AppendText writes the text: it has to
// append the text that MarshalText returns.
func NewTable[T any](name string, indexes ...Index) (*Table[T], error) {
	p, err := newTable(reflect.TypeFor[T](), name, indexes)
	if err != nil {
		return nil, err
	}
	return &Table[T]{schema: p.schema, subsets: p.subsets, Reader: Reader[T]{projection: p.schema.All(), fields: p.fields}}, nil
}

// tableParts are the parts of a [Table] that do not depend on the type of its rows.
type tableParts struct {
	schema  *Schema
	fields  []field
	subsets knownSubsets
}

func newTable(t reflect.Type, name string, indexes []Index) (*tableParts, error) {
	fields, err := fieldsOf(t, 0, "")
	if err != nil {
		return nil, err
	}
	columns := make([]Column, len(fields))
	var own []Index
	for i, f := range fields {
		columns[i] = f.column
		if f.key && i > 0 {
			return nil, fmt.Errorf("store: table %s: the key %s must be the first column", name, f.column.Name)
		}
		if f.index {
			own = append(own, Index{Columns: []string{f.column.Name}})
		}
	}
	schema, err := NewSchema(name, columns, append(own, indexes...)...)
	if err != nil {
		return nil, err
	}
	return &tableParts{schema, fields, new(sync.Map)}, nil
}

// MustTable is [NewTable] for package variables. It panics on an error.
func MustTable[T any](name string, indexes ...Index) *Table[T] {
	t, err := NewTable[T](name, indexes...)
	if err != nil {
		panic(err)
	}
	return t
}

// Project returns a reader of the same table into a struct with fewer columns.
// It panics when S has a column that the table lacks, or of another kind or
// scale.
func Project[S, T any](t *Table[T]) *Reader[S] {
	fields, err := fieldsOf(reflect.TypeFor[S](), 0, "")
	if err != nil {
		panic(err)
	}
	var names []string
	for _, f := range fields {
		i := t.schema.Index(f.column.Name)
		if i < 0 || !t.schema.Columns[i].readsAs(&f.column) {
			panic(fmt.Sprintf("store: table %s has no such column as %s of %s", t.schema.Name, f.column.Name, reflect.TypeFor[S]()))
		}
		names = append(names, f.column.Name)
	}
	p, err := t.schema.Project(names...)
	if err != nil {
		panic(err)
	}
	return &Reader[S]{projection: p, fields: fields}
}

// ProjectVia is [Project] into a struct that ends with columns of another table: of the
// row whose key is in the column named via. If that row does not exist, they read as
// [Column.Zero]. ProjectVia panics as Project does, and if via is not an integer column.
func ProjectVia[S, T any](t *Table[T], via string, to *Schema) *Reader[S] {
	fields, err := fieldsOf(reflect.TypeFor[S](), 0, "")
	if err != nil {
		panic(err)
	}
	if at := t.schema.Index(via); at < 0 || t.schema.Columns[at].Kind != Integer {
		panic(fmt.Sprintf("store: table %s has no column %s that could refer to %s", t.schema.Name, via, to.Name))
	}
	p := &Projection{Schema: t.schema}
	joined := Joined{Via: Via{Column: via, Schema: to}}
	for _, f := range fields {
		if at := t.schema.Index(f.column.Name); at >= 0 && len(joined.Columns) == 0 && t.schema.Columns[at].readsAs(&f.column) {
			p.Columns = append(p.Columns, at)
			continue
		}
		at := to.Index(f.column.Name)
		if at < 0 || !to.Columns[at].readsAs(&f.column) {
			panic(fmt.Sprintf("store: neither table %s nor %s has such a column as %s of %s", t.schema.Name, to.Name, f.column.Name, reflect.TypeFor[S]()))
		}
		joined.Columns = append(joined.Columns, at)
	}
	p.Joined = []Joined{joined}
	return &Reader[S]{projection: p, fields: fields}
}

// Schema is the table's schema, for [Store.Migrate] and sub-queries.
func (t *Table[T]) Schema() *Schema { return t.schema }

// Get reads the row with the key. It returns [ErrNotFound].
func (r *Reader[T]) Get(tx Tx, key int64) (T, error) {
	var t T
	err := r.GetInto(tx, key, &t)
	return t, err
}

// GetInto reads the row with the key into v, whose other fields stay as they are. It returns
// [ErrNotFound].
func (r *Reader[T]) GetInto(tx Tx, key int64, v *T) error {
	return getRow(tx, r.projection, r.fields, &r.rows, key, unsafe.Pointer(v))
}

// Exists reports whether a row has the key.
func (r *Reader[T]) Exists(tx Tx, key int64) (bool, error) {
	err := getRow(tx, r.projection, r.fields, &r.rows, key, nil)
	if errors.Is(err, ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// Select reads the rows that match q.
func (r *Reader[T]) Select(tx Tx, q Query) ([]T, error) {
	list := make([]T, 0, min(q.Limit, fewRows))
	err := tx.Select(r.projection, &q, func(row []Value) error {
		list = append(withRoom(list, q.Limit), *new(T))
		r.load(&list[len(list)-1], row)
		return nil
	})
	return list, err
}

// A list of rows has room for a few at first, and for as many as the limit says, but no more
// than mostRoom, once there are more: limits are often far above the number of rows.
const (
	fewRows  = 16
	mostRoom = 1000
)

// withRoom makes room in a list that is full.
func withRoom[T any](list []T, limit int) []T {
	if n := min(limit, mostRoom) - len(list); n > 0 && len(list) == cap(list) {
		list = slices.Grow(list, n)
	}
	return list
}

// First reads the first row that matches q. It returns [ErrNotFound].
func (r *Reader[T]) First(tx Tx, q Query) (T, error) {
	q.Limit = 1
	var first T
	found := false
	err := tx.Select(r.projection, &q, func(row []Value) error {
		r.load(&first, row)
		found = true
		return nil
	})
	if err != nil {
		return *new(T), err
	}
	if !found {
		return first, ErrNotFound
	}
	return first, nil
}

// Page reads the rows that match q, and counts all that match without its limit
// and offset.
func (r *Reader[T]) Page(tx Tx, q Query) (list []T, total int64, err error) {
	if q.Limit <= 0 && q.Offset <= 0 {
		list, err = r.Select(tx, q)
		return list, int64(len(list)), err
	}
	list = make([]T, 0, min(q.Limit, fewRows))
	total, err = tx.Page(r.projection, &q, func(row []Value) error {
		list = append(withRoom(list, q.Limit), *new(T))
		r.load(&list[len(list)-1], row)
		return nil
	})
	return list, total, err
}

// Each calls fn for the rows that match q, one at a time, and stops at its
// first error, which it returns. The struct is a new one for each call.
func (r *Reader[T]) Each(tx Tx, q Query, fn func(*T) error) error {
	return tx.Select(r.projection, &q, func(row []Value) error {
		t := new(T)
		r.load(t, row)
		return fn(t)
	})
}

// EachRow is [Reader.Each] with the values of the columns, in the order of the schema. They
// are valid until fn returns.
func (r *Reader[T]) EachRow(tx Tx, q Query, fn func(row []Value) error) error {
	return tx.Select(r.projection, &q, fn)
}

// Batches calls fn for the rows that match all conditions, in the order of the keys, at
// most n at a time, and stops at its first error, which it returns. Unlike the function
// of [Reader.Each], fn may write; later batches may include rows that it added. The
// struct must have the key.
func (r *Reader[T]) Batches(tx Tx, n int, where []Cond, fn func(rows []T) error) error {
	var list []T
	return batches(tx, r.projection, n, where, func(row []Value) {
		if list == nil {
			list = make([]T, 0, n)
		}
		list = append(list, *new(T))
		r.load(&list[len(list)-1], row)
	}, func() error {
		rows := list
		list = nil // fn may keep the rows
		return fn(rows)
	})
}

// Count counts the rows that match all conditions.
func (r *Reader[T]) Count(tx Tx, where ...Cond) (int64, error) {
	return tx.Count(r.projection.Schema, where)
}

// Insert adds a row. A key of 0 becomes the next key, set in t. It returns a
// [*ConflictError], a [*TextError] or a [*RowError].
func (t *Table[T]) Insert(tx Tx, v *T) error {
	return insertRow(tx, t.schema, t.fields, &t.rows, unsafe.Pointer(v))
}

// Update replaces the row that has v's key. It returns [ErrNotFound], a
// [*ConflictError], a [*TextError] or a [*RowError].
func (t *Table[T]) Update(tx Tx, v *T) error {
	return updateRow(tx, t.schema, t.fields, &t.rows, unsafe.Pointer(v))
}

// Delete removes the rows that match all conditions and says how many.
func (t *Table[T]) Delete(tx Tx, where ...Cond) (int64, error) {
	return tx.Delete(t.schema, where)
}

// DeleteKey removes the row with the key. It returns [ErrNotFound].
func (t *Table[T]) DeleteKey(tx Tx, key int64) error { return deleteKey(tx, t.schema, key) }

func (r *Reader[T]) load(v *T, row []Value) {
	loadRow(r.projection, r.fields, unsafe.Pointer(v), row)
}
