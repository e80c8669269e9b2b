package sqltext

import (
	"cmp"
	"fmt"
	"hash/crc32"
	"slices"

	"github.com/shopapi/shopapi/store"
)

// CreateTable returns the statement that creates the table, without indexes.
func (d *Dialect) CreateTable(s *store.Schema) string {
	b := []byte("CREATE TABLE ")
	if d.IfMissing {
		b = append(b, "IF NOT EXISTS "...)
	}
	b = d.appendName(b, s.Name)
	b = append(b, " ("...)
	b = d.appendName(b, s.Key())
	b = append(b, ' ')
	b = append(b, d.Key...)
	if s.Columns[0].Contended {
		b = append(b, d.ContendedKey...)
	}
	for i := range s.Columns[1:] {
		b = append(b, ", "...)
		b = d.appendColumn(b, s, 1+i, "")
	}
	for i := range s.Columns {
		if s.Columns[i].Fold {
			b = append(b, ", "...)
			b = d.appendColumn(b, s, i, FoldSuffix)
		}
	}
	b = append(b, ')')
	return string(append(b, d.Table...))
}

// AddColumn returns the statement that adds a column to an existing table,
// whose rows get [store.Column.Zero] in it. suffix is "" or [FoldSuffix].
func (d *Dialect) AddColumn(s *store.Schema, column int, suffix string) string {
	b := d.appendName([]byte("ALTER TABLE "), s.Name)
	b = append(b, " ADD COLUMN "...)
	if d.IfMissing {
		b = append(b, "IF NOT EXISTS "...)
	}
	return string(d.appendColumn(b, s, column, suffix))
}

// appendColumn appends the definition of a column. The default is for rows that
// a host adds beside the store, and for those there before the column.
func (d *Dialect) appendColumn(b []byte, s *store.Schema, column int, suffix string) []byte {
	c := &s.Columns[column]
	b = d.appendName(b, c.Name+suffix)
	b = append(b, ' ')
	zero := c.Zero()
	switch c.Kind {
	case store.Text, store.JSON:
		b = append(b, d.textType(s, c, suffix)...)
		if !zero.IsNull() {
			b = append(b, " NOT NULL DEFAULT '"...)
			b = append(b, zero.Text()...)
			b = append(b, '\'')
		}
	case store.Boolean:
		b = append(b, cmp.Or(d.Boolean, d.Integer)...)
		if !zero.IsNull() && d.Boolean != "" {
			b = append(b, " NOT NULL DEFAULT FALSE"...)
		} else if !zero.IsNull() {
			b = append(b, " NOT NULL DEFAULT 0"...)
		}
	default:
		if c.Kind == store.Decimal && d.Decimal != "" {
			b = fmt.Appendf(b, d.Decimal, c.Scale)
		} else {
			b = append(b, d.Integer...)
		}
		if !zero.IsNull() {
			b = append(b, " NOT NULL DEFAULT 0"...)
		}
	}
	return b
}

// textType returns the type of a text column, or of its folded form.
func (d *Dialect) textType(s *store.Schema, c *store.Column, suffix string) string {
	indexed := func(x store.Index) bool { return slices.Contains(x.Columns, c.Name) }
	if c.Fold == (suffix != "") && slices.ContainsFunc(s.Indexes, indexed) {
		return cmp.Or(d.IndexedText, d.Text)
	}
	return d.Text
}

// IndexName is the name of an index: table, columns and kind, so that another
// index never has the same. Dots, which no name has, separate the parts.
func (d *Dialect) IndexName(s *store.Schema, x *store.Index) string {
	b := []byte(s.Name)
	for _, name := range x.Columns {
		b = append(b, '.')
		b = append(b, storedName(s, name)...)
	}
	kind := ".index"
	if x.Unique {
		kind = ".unique"
	}
	return d.shorten(string(append(b, kind...)))
}

// SearchName is the name of the index that searches the folded form of a column.
func (d *Dialect) SearchName(s *store.Schema, c *store.Column) string {
	return d.shorten(s.Name + "." + c.Name + FoldSuffix + ".search")
}

// shorten shortens a name to the limit of the database, with a checksum that
// distinguishes it from others with the same beginning.
func (d *Dialect) shorten(name string) string {
	if d.NameLimit == 0 || len(name) <= d.NameLimit {
		return name
	}
	sum := fmt.Sprintf(".%08x", crc32.ChecksumIEEE([]byte(name)))
	return name[:d.NameLimit-len(sum)] + sum
}

// CreateIndex returns the statement that creates the index if it is missing.
func (d *Dialect) CreateIndex(s *store.Schema, x *store.Index) string {
	b := []byte("CREATE INDEX IF NOT EXISTS ")
	if x.Unique {
		b = []byte("CREATE UNIQUE INDEX IF NOT EXISTS ")
	}
	b = d.appendName(b, d.IndexName(s, x))
	b = append(b, " ON "...)
	b = d.appendName(b, s.Name)
	columns := x.Columns
	if d.NullsLast && !x.Unique && !slices.Contains(columns, s.Key()) {
		columns = append(slices.Clip(columns), s.Key()) // every order ends with it
	}
	for i, name := range columns {
		b = append(b, separator(i, " (", ", ")...)
		b = d.appendName(b, storedName(s, name))
		if d.NullsLast && s.Columns[s.Index(name)].Null {
			b = append(b, " NULLS FIRST"...) // as orders have them
		}
	}
	b = append(b, ')')
	if x.Sparse && d.Partial {
		b = append(b, " WHERE "...)
		b = d.appendSet(b, s, &s.Columns[s.Index(x.Columns[0])])
	}
	return string(b)
}

// appendSet appends the condition that a column has another value than its zero.
func (d *Dialect) appendSet(b []byte, s *store.Schema, c *store.Column) []byte {
	b = d.appendName(b, storedName(s, c.Name))
	switch zero := c.Zero(); {
	case zero.IsNull():
		return append(b, " IS NOT NULL"...)
	case zero.IsText():
		return append(b, " <> ''"...)
	}
	return append(b, " <> 0"...)
}

// storedName is the name of the column that searches, orders and indexes use.
func storedName(s *store.Schema, name string) string {
	if s.Columns[s.Index(name)].Fold {
		return name + FoldSuffix
	}
	return name
}

func separator(i int, first, later string) string {
	if i == 0 {
		return first
	}
	return later
}
