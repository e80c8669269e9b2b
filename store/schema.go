package store

import (
	"fmt"
	"slices"
	"strings"
)

// A Kind is the kind of a column's values, from which each store chooses a column type.
type Kind uint8

// The kinds of columns.
const (
	Integer Kind = iota + 1 // a whole number
	Text                    // text
	Boolean                 // a flag: the integers 0 and 1
	Decimal                 // an exact amount: an integer of units of 10^-Scale
	JSON                    // a JSON document, as text
)

// A Column of a table.
type Column struct {
	Name  string
	Kind  Kind
	Scale int  // decimals of a Decimal
	Null  bool // may be null
	Fold  bool // a Text that is searched and ordered without regard to case

	// Search has the store keep an index by which [Contains] finds parts of three
	// characters and more in a column marked Fold, where the database has such indexes. It
	// costs time with each write of the column: for short texts of tables that grow.
	Search bool

	// Contended marks the key of a table if many concurrent transactions read and change its
	// rows. PostgreSQL ends one of two transactions that use the same page of an index, so
	// its store keeps few keys in a page. Other stores ignore it.
	Contended bool

	// Translated marks a text column that contains the base language. The table
	// [Schema.Texts] contains the other languages. Stores ignore it.
	Translated bool
}

// Zero is what rows that were there before the column get: null, 0, "" or an
// empty JSON array.
func (c *Column) Zero() Value {
	switch {
	case c.Null:
		return Null
	case c.Kind == Text:
		return String("")
	case c.Kind == JSON:
		return String("[]")
	}
	return Int(0)
}

// readsAs reports whether values of c can be read into a field described as d.
func (c *Column) readsAs(d *Column) bool {
	return c.Kind == d.Kind && c.Scale == d.Scale && c.Null == d.Null
}

// MaxIndexedText is how many bytes of text every store takes in the columns of one index
// together, folded where they are marked fold. A store may refuse a row with more. Other
// columns take texts of any length.
const MaxIndexedText = 2048

// An Index over columns of a table. Where a column is marked fold, its folded
// form is indexed. See [MaxIndexedText].
type Index struct {
	Columns []string
	Unique  bool

	// Sparse leaves out the rows whose first column has its [Column.Zero], for a column that
	// few rows set: writing the others does not write the index. It finds rows by [Equal], [In],
	// [EqualFold] and [BeginsFold] with other values.
	Sparse bool

	// Volatile is for columns that change more often than lists ask for them, such as the stock
	// of a product. PostgreSQL does not get such an index: it writes all indexes of a row when an
	// indexed column changes, and transactions that write to the same page of an index conflict.
	// Other engines get it: they write no other index when its columns change.
	Volatile bool

	// Former is for an index that an older version of the program made, by these columns.
	// [NewSchema] moves it from the indexes of the schema to [Schema.Former].
	Former bool
}

// IsSame reports whether two indexes of a table are the same one, since they have the same columns
// and are both unique or not.
func (x Index) IsSame(y Index) bool {
	return x.Unique == y.Unique && slices.Equal(x.Columns, y.Columns)
}

// A Schema is a table: its name, its columns, the first of which is the key,
// and its indexes. It does not change after [NewSchema].
//
// The key is an integer. A store gives new rows keys greater than every key
// that the table ever had, so that the id of a removed object never returns.
type Schema struct {
	Name    string
	Columns []Column
	Indexes []Index
	Former  []Index // indexes of older versions, which Migrate drops

	byName map[string]int
	all    Projection
	texts  *Schema
}

// NewSchema returns the schema of a table. It fails if a name contains other characters
// than lower-case letters, digits and underscores, if two columns have the same name, if
// the key is not a plain integer, if an index has no columns or an unknown one, or if a former
// index has the columns of another one.
func NewSchema(name string, columns []Column, indexes ...Index) (*Schema, error) {
	s := &Schema{Name: name, Columns: columns, byName: make(map[string]int, len(columns))}
	if !isName(name) {
		return nil, fmt.Errorf("store: table name %q is not made of a-z, 0-9 and _", name)
	}
	if len(columns) == 0 || columns[0].Kind != Integer || columns[0].Null {
		return nil, fmt.Errorf("store: table %s: the first column must be the key, an integer", name)
	}
	for i, c := range columns {
		if !isName(c.Name) {
			return nil, fmt.Errorf("store: table %s: column name %q is not made of a-z, 0-9 and _", name, c.Name)
		}
		if _, twice := s.byName[c.Name]; twice {
			return nil, fmt.Errorf("store: table %s: column %s is declared twice", name, c.Name)
		}
		if c.Fold && c.Kind != Text {
			return nil, fmt.Errorf("store: table %s: column %s is folded but no text", name, c.Name)
		}
		if c.Search && !c.Fold {
			return nil, fmt.Errorf("store: table %s: column %s is searched but not folded", name, c.Name)
		}
		s.byName[c.Name] = i
		s.all.Columns = append(s.all.Columns, i)
	}
	for _, x := range indexes {
		if len(x.Columns) == 0 {
			return nil, fmt.Errorf("store: table %s: an index names no column", name)
		}
		for _, c := range x.Columns {
			if s.Index(c) < 0 {
				return nil, fmt.Errorf("store: table %s: an index names the column %s, which the table lacks", name, c)
			}
		}
		if kind := columns[s.Index(x.Columns[0])].Kind; x.Sparse && (x.Unique || kind != Integer && kind != Text) {
			return nil, fmt.Errorf("store: table %s: an index is sparse that is unique or does not begin with an integer or a text", name)
		}
		if x.Volatile && x.Unique {
			return nil, fmt.Errorf("store: table %s: an index is volatile that is unique", name)
		}
		if x.Former {
			s.Former = append(s.Former, x)
		} else {
			s.Indexes = append(s.Indexes, x)
		}
	}
	for _, x := range s.Former {
		if slices.ContainsFunc(s.Indexes, x.IsSame) {
			return nil, fmt.Errorf("store: table %s: the index over %s is a former one and a present one", name, strings.Join(x.Columns, ", "))
		}
	}
	s.all.Schema = s
	var err error
	s.texts, err = textsOf(s)
	return s, err
}

// Key is the name of the key column.
func (s *Schema) Key() string { return s.Columns[0].Name }

// Index returns the position of the named column, -1 when the table lacks it.
func (s *Schema) Index(column string) int {
	if i, ok := s.byName[column]; ok {
		return i
	}
	return -1
}

// All is the projection that reads every column.
func (s *Schema) All() *Projection { return &s.all }

// A Projection names the columns that a read returns, by their position in the
// schema. Stores cache statements by its address: make one per use, not per
// call.
type Projection struct {
	Schema  *Schema
	Columns []int
	Joined  []Joined // columns of rows that the rows refer to, after Columns
}

// Joined are columns of the rows that others refer to. They are null for rows that refer
// to none.
type Joined struct {
	Via
	Columns []int // of Via.Schema
}

// Width is how many columns a read returns.
func (p *Projection) Width() int {
	n := len(p.Columns)
	for i := range p.Joined {
		n += len(p.Joined[i].Columns)
	}
	return n
}

// Column is the i-th column that a read returns, and the table that has it.
func (p *Projection) Column(i int) (*Schema, *Column) {
	if i < len(p.Columns) {
		return p.Schema, &p.Schema.Columns[p.Columns[i]]
	}
	return p.joinedColumn(i - len(p.Columns))
}

func (p *Projection) joinedColumn(i int) (*Schema, *Column) {
	at := 0
	for i >= len(p.Joined[at].Columns) {
		i -= len(p.Joined[at].Columns)
		at++
	}
	j := &p.Joined[at]
	return j.Schema, &j.Schema.Columns[j.Columns[i]]
}

// Project returns a projection of the named columns. It fails when the table
// lacks one of them.
func (s *Schema) Project(columns ...string) (*Projection, error) {
	p := &Projection{Schema: s}
	for _, name := range columns {
		i := s.Index(name)
		if i < 0 {
			return nil, fmt.Errorf("store: table %s has no column %s", s.Name, name)
		}
		p.Columns = append(p.Columns, i)
	}
	return p, nil
}

func isName(s string) bool {
	return s != "" && (s[0] < '0' || s[0] > '9') &&
		strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789_") == ""
}
