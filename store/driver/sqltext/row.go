package sqltext

import (
	"fmt"

	"github.com/shopapi/shopapi/store"
)

// Get returns the statement that reads the row with a key, its one parameter.
func (d *Dialect) Get(p *store.Projection) string {
	b := append([]byte(d.Select(p)), d.Join(p)...)
	b = append(b, " WHERE "...)
	b = d.appendName(b, p.Schema.Key())
	b = append(b, " = "...)
	return string(d.appendParameter(b, 1))
}

// Select returns the beginning of a statement that reads rows. The caller appends
// [Dialect.Join] and then [Builder.Query].
func (d *Dialect) Select(p *store.Projection) string {
	b := []byte("SELECT ")
	for i, c := range p.Columns {
		b = append(b, separator(i, "", ", ")...)
		b = d.appendName(b, p.Schema.Columns[c].Name)
	}
	if len(p.Columns) == 0 {
		b = append(b, '1')
	}
	for i := range p.Joined {
		for j := range p.Joined[i].Columns {
			b = d.appendJoined(append(b, ", "...), i, j)
		}
	}
	b = append(b, " FROM "...)
	return string(d.appendName(b, p.Schema.Name))
}

// Join returns the joins with the rows that the rows of a projection refer to, or "" if
// the projection has no columns of other tables. Joined tables get aliases, so that the
// names of the projection's own columns stay unambiguous.
func (d *Dialect) Join(p *store.Projection) string {
	var b []byte
	for i := range p.Joined {
		joined := &p.Joined[i]
		b = d.appendName(append(b, " LEFT JOIN (SELECT "...), joined.Schema.Key())
		b = d.appendJoined(append(b, " AS "...), i, -1)
		for j, c := range joined.Columns {
			b = d.appendName(append(b, ", "...), joined.Schema.Columns[c].Name)
			b = d.appendJoined(append(b, " AS "...), i, j)
		}
		b = d.appendName(append(b, " FROM "...), joined.Schema.Name)
		b = append(b, ") AS "...)
		b = d.appendName(b, fmt.Sprintf("%d.", i))
		b = d.appendJoined(append(b, " ON "...), i, -1)
		b = d.appendName(append(b, " = "...), joined.Via.Column)
	}
	return string(b)
}

// appendJoined appends the name of a column that is joined, or of the key for -1. No
// table has a name like it.
func (d *Dialect) appendJoined(b []byte, join, column int) []byte {
	if column < 0 {
		return d.appendName(b, fmt.Sprintf("%d.key", join))
	}
	return d.appendName(b, fmt.Sprintf("%d.%d", join, column))
}

// Count returns the beginning of a statement that counts rows. The caller appends
// [Builder.Where].
func (d *Dialect) Count(s *store.Schema) string {
	return string(d.appendName([]byte("SELECT count(*) FROM "), s.Name))
}

// Delete returns the beginning of a statement that deletes rows. The caller appends
// [Builder.Where].
func (d *Dialect) Delete(s *store.Schema) string {
	return string(d.appendName([]byte("DELETE FROM "), s.Name))
}

// Insert returns the statement that adds a row. Its parameters are the values of
// [AppendRow], without the key if the database assigns it.
func (d *Dialect) Insert(s *store.Schema, withKey bool) string {
	names := storedColumns(s)
	if !withKey {
		names = names[1:]
	}
	b := d.appendName([]byte("INSERT INTO "), s.Name)
	if len(names) == 0 {
		return string(append(b, d.EmptyInsert...))
	}
	for i, name := range names {
		b = append(b, separator(i, " (", ", ")...)
		b = d.appendName(b, name)
	}
	for i := range names {
		b = append(b, separator(i, ") VALUES (", ", ")...)
		b = d.appendParameter(b, i+1)
	}
	return string(append(b, ')'))
}

// AppendFurtherRow appends the row with an index, from 1, to the statement of [Dialect.Insert]
// without keys, of a table with further columns.
func (d *Dialect) AppendFurtherRow(b []byte, s *store.Schema, index int) []byte {
	return d.appendFurtherRow(b, s, index, len(s.Columns)-1)
}

// AppendFurtherKeyRow is [Dialect.AppendFurtherRow] for a statement with keys.
func (d *Dialect) AppendFurtherKeyRow(b []byte, s *store.Schema, index int) []byte {
	return d.appendFurtherRow(b, s, index, len(s.Columns))
}

func (d *Dialect) appendFurtherRow(b []byte, s *store.Schema, index, n int) []byte {
	for i := range s.Columns {
		if s.Columns[i].Fold {
			n++
		}
	}
	for i := range n {
		b = append(b, separator(i, ", (", ", ")...)
		b = d.appendParameter(b, index*n+i+1)
	}
	return append(b, ')')
}

// Update returns the statement that replaces a row. Its parameters are the values of
// [AppendRow] without the key, then the key.
func (d *Dialect) Update(s *store.Schema) string {
	names := storedColumns(s)[1:]
	b := d.appendName([]byte("UPDATE "), s.Name)
	if len(names) == 0 { // nothing to set, but the row may be missing
		b = d.appendName(append(b, " SET "...), s.Key())
		b = d.appendName(append(b, " = "...), s.Key())
	}
	for i, name := range names {
		b = append(b, separator(i, " SET ", ", ")...)
		b = d.appendName(b, name)
		b = append(b, " = "...)
		b = d.appendParameter(b, i+1)
	}
	b = append(b, " WHERE "...)
	b = d.appendName(b, s.Key())
	b = append(b, " = "...)
	return string(d.appendParameter(b, len(names)+1))
}

// AppendUpdate appends the statement that gives a row the values in which it
// differs from before, at least one of them and not the key, and the statement's
// parameters: those values and their folded forms, then the key. What stays is not
// named, for the sake of the indexes over it.
func (d *Dialect) AppendUpdate(text []byte, values []store.Value, s *store.Schema, before, row []store.Value) ([]byte, []store.Value) {
	text = d.appendName(append(text, "UPDATE "...), s.Name)
	set := func(name, suffix string, v store.Value) {
		text = append(text, separator(len(values), " SET ", ", ")...)
		text = d.appendName(text, name+suffix)
		text = append(text, " = "...)
		values = append(values, v)
		text = d.appendParameter(text, len(values))
	}
	for i := 1; i < len(row); i++ {
		if row[i].Equal(before[i]) {
			continue
		}
		c := &s.Columns[i]
		set(c.Name, "", row[i])
		if c.Fold {
			set(c.Name, FoldSuffix, Fold(row[i]))
		}
	}
	text = d.appendName(append(text, " WHERE "...), s.Key())
	values = append(values, row[0])
	return d.appendParameter(append(text, " = "...), len(values)), values
}

// AppendRow appends the values of a row as the table holds them: row itself,
// then the folded forms.
func AppendRow(values []store.Value, s *store.Schema, row []store.Value) []store.Value {
	values = append(values, row...)
	for i := range s.Columns {
		if s.Columns[i].Fold {
			values = append(values, Fold(row[i]))
		}
	}
	return values
}

// Fold returns the folded form of a text, null of null.
func Fold(v store.Value) store.Value {
	if v.IsNull() {
		return v
	}
	return store.String(store.Fold(v.Text()))
}

// storedColumns names the table's columns in the order of [AppendRow].
func storedColumns(s *store.Schema) []string {
	names := make([]string, 0, len(s.Columns))
	for _, c := range s.Columns {
		names = append(names, c.Name)
	}
	for _, c := range s.Columns {
		if c.Fold {
			names = append(names, c.Name+FoldSuffix)
		}
	}
	return names
}
