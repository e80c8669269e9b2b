package memory

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver/eval"
)

// A row never changes once it is in a table.
type row struct {
	values []store.Value // as they were written
	folded []store.Value // the same, columns marked fold in their folded form
}

func (r *row) key() int64 { return r.values[0].Int() }

// A table is the rows of a schema by their keys, and by its indexes. Only the
// writer that cloned it changes it, until it commits.
type table struct {
	schema  *store.Schema
	last    int64  // the greatest key that the table ever had
	changed uint64 // the version of the state in which it last changed
	rows    tree
	indexes []index
}

func newTable(schema *store.Schema) *table {
	t := &table{schema: schema, rows: newTree(nil)}
	for _, x := range schema.Indexes {
		t.indexes = append(t.indexes, newIndex(schema, x))
	}
	return t
}

func (t *table) clone() *table {
	c := *t
	c.rows = t.rows.Clone()
	c.indexes = slices.Clone(t.indexes)
	for i := range c.indexes {
		c.indexes[i].tree = c.indexes[i].tree.Clone()
	}
	return &c
}

// migrate returns the table with what schema adds to it, without the former indexes of
// schema. Columns and other indexes that schema lacks stay, so that an older program can go
// on. t may be nil.
func (t *table) migrate(schema *store.Schema) (*table, error) {
	if t == nil {
		return newTable(schema), nil
	}
	if t.schema == schema {
		return t, nil
	}
	if t.schema.Key() != schema.Key() {
		return nil, fmt.Errorf("the key is %s, not %s", t.schema.Key(), schema.Key())
	}
	columns, indexes := slices.Clone(schema.Columns), slices.Clone(schema.Indexes)
	for _, c := range t.schema.Columns {
		if schema.Index(c.Name) < 0 {
			columns = append(columns, c)
		}
	}
	for _, x := range t.schema.Indexes {
		if !slices.ContainsFunc(indexes, x.IsSame) && !slices.ContainsFunc(schema.Former, x.IsSame) {
			indexes = append(indexes, x)
		}
	}
	merged := schema
	var err error
	if len(columns) > len(schema.Columns) || len(indexes) > len(schema.Indexes) {
		if merged, err = store.NewSchema(schema.Name, columns, indexes...); err != nil {
			return nil, err
		}
	}
	next := newTable(merged)
	next.last = t.last
	t.rows.Scan(func(r *row) bool {
		_, err = next.insert(t.schema, r.values)
		return err == nil
	})
	return next, err
}

// get returns the row with the key, nil when there is none.
func (t *table) get(key int64) *row {
	r, _ := t.rows.Get(&row{values: []store.Value{store.Int(key)}})
	return r
}

// insert adds a row with the columns of schema and returns its key.
func (t *table) insert(schema *store.Schema, values []store.Value) (int64, error) {
	r, err := t.rowOf(schema, values, nil)
	if err != nil {
		return 0, err
	}
	switch key := r.key(); {
	case key == 0 && t.last == math.MaxInt64:
		return 0, errors.New("memory: the table has no keys left")
	case key == 0:
		r.values[0] = store.Int(t.last + 1)
		r.folded[0] = r.values[0]
	case t.get(key) != nil:
		return 0, &store.ConflictError{Table: schema.Name, Columns: []string{schema.Key()}}
	}
	if err := t.conflict(r); err != nil {
		return 0, err
	}
	t.last = max(t.last, r.key())
	t.add(r)
	return r.key(), nil
}

// update replaces the columns of schema in the row that has the key.
func (t *table) update(schema *store.Schema, values []store.Value) error {
	old := t.get(values[0].Int())
	if old == nil {
		return store.ErrNotFound
	}
	r, err := t.rowOf(schema, values, old)
	if err != nil {
		return err
	}
	if err := t.conflict(r); err != nil {
		return err
	}
	t.remove(old)
	t.add(r)
	return nil
}

// rowOf returns a row with the values of schema's columns. The others are as in
// old, or zero.
func (t *table) rowOf(schema *store.Schema, values []store.Value, old *row) (*row, error) {
	r := &row{values: make([]store.Value, len(t.schema.Columns))}
	if schema == t.schema {
		copy(r.values, values)
	} else {
		for i := range t.schema.Columns {
			if old != nil {
				r.values[i] = old.values[i]
			} else {
				r.values[i] = t.schema.Columns[i].Zero()
			}
		}
		for i, c := range schema.Columns {
			at, err := t.column(c.Name)
			if err != nil {
				return nil, err
			}
			r.values[at] = values[i]
		}
	}
	r.folded = slices.Clone(r.values)
	for i, c := range t.schema.Columns {
		if c.Fold {
			r.folded[i] = eval.Fold(r.values[i])
		}
	}
	return r, nil
}

func (t *table) conflict(r *row) error {
	for _, x := range t.indexes {
		if x.conflicts(r) {
			return &store.ConflictError{Table: t.schema.Name, Columns: slices.Clone(x.names)}
		}
	}
	return nil
}

func (t *table) add(r *row) {
	t.rows.Set(r)
	for _, x := range t.indexes {
		x.tree.Set(r)
	}
}

func (t *table) remove(r *row) {
	t.rows.Delete(r)
	for _, x := range t.indexes {
		x.tree.Delete(r)
	}
}

// column returns the position of a column.
func (t *table) column(name string) (int, error) {
	if i := t.schema.Index(name); i >= 0 {
		return i, nil
	}
	return 0, fmt.Errorf("memory: table %s has no column %s", t.schema.Name, name)
}
