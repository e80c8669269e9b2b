package memory

import "github.com/shopapi/shopapi/store"

// positions returns where the columns of a projection lie in the table.
func positions(tb *table, p *store.Projection) ([]int, error) {
	return positionsOf(tb, p.Schema, p.Columns)
}

// positionsOf returns where columns of a schema lie in its table, which may be older.
func positionsOf(tb *table, s *store.Schema, columns []int) ([]int, error) {
	if s == tb.schema {
		return columns, nil
	}
	list := make([]int, len(columns))
	for i, c := range columns {
		at, err := tb.column(s.Columns[c].Name)
		if err != nil {
			return nil, err
		}
		list[i] = at
	}
	return list, nil
}

// project sets the first of into to columns of the row, and returns the others.
func (r *row) project(columns []int, into []store.Value) []store.Value {
	for i, c := range columns {
		into[i] = r.values[c]
	}
	return into[len(columns):]
}

// A join finds the row that a row refers to.
type join struct {
	reference int // the column of the row
	to        *table
	columns   []int // of to
}

type joins []join

// joins returns the joins of a projection.
func (t *tx) joins(tb *table, p *store.Projection) (joins, error) {
	list := make(joins, len(p.Joined))
	for i := range p.Joined {
		j := &p.Joined[i]
		to, err := t.table(j.Schema)
		if err != nil {
			return nil, err
		}
		reference, err := tb.column(j.Via.Column)
		if err != nil {
			return nil, err
		}
		columns, err := positionsOf(to, j.Schema, j.Columns)
		if err != nil {
			return nil, err
		}
		list[i] = join{reference, to, columns}
	}
	return list, nil
}

// project sets into to the columns of the rows that a row refers to, or to null.
func (js joins) project(r *row, into []store.Value) {
	for i := range js {
		j := &js[i]
		var other *row
		if v := r.values[j.reference]; !v.IsNull() {
			other = j.to.get(v.Int())
		}
		if other != nil {
			into = other.project(j.columns, into)
			continue
		}
		clear(into[:len(j.columns)])
		into = into[len(j.columns):]
	}
}
