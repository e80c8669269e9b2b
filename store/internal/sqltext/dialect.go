package sqltext

import (
	"fmt"
	"strconv"

	"github.com/shopapi/shopapi/store"
)

// A Dialect is how one kind of database writes what the others write otherwise.
type Dialect struct {
	Numbered bool   // parameters are $1, $2, … instead of ?
	Key      string // type of the key column, with what makes it count up and never return
	Integer  string // type of integers, flags and amounts
	Text     string // type of texts and documents, compared by their bytes
	Table    string // what follows the columns of a new table
	Find     string // function (text, part) that gives a position, 0 for none

	// ListOpen and ListClose go around the parameter of "column is one of", to
	// which a list is bound.
	ListOpen, ListClose string
}

// SQLite is the dialect of SQLite 3.39 and later. A list is bound as a JSON
// array.
var SQLite = Dialect{
	Key:       "INTEGER PRIMARY KEY AUTOINCREMENT",
	Integer:   "INTEGER",
	Text:      "TEXT",
	Table:     " STRICT",
	Find:      "instr",
	ListOpen:  " IN (SELECT value FROM json_each(",
	ListClose: "))",
}

// FoldSuffix ends the name of the column that holds the folded form.
const FoldSuffix = "_fold"

// appendName appends a quoted name. Names are of a-z, 0-9 and _, but may be
// words of the language.
func appendName(b []byte, name string) []byte {
	b = append(b, '"')
	b = append(b, name...)
	return append(b, '"')
}

// appendFold appends the name of the column to search and order by.
func appendFold(b []byte, c *store.Column) []byte {
	b = append(b, '"')
	b = append(b, c.Name...)
	if c.Fold {
		b = append(b, FoldSuffix...)
	}
	return append(b, '"')
}

// appendParameter appends the n-th parameter, counted from 1.
func (d *Dialect) appendParameter(b []byte, n int) []byte {
	if !d.Numbered {
		return append(b, '?')
	}
	return strconv.AppendInt(append(b, '$'), int64(n), 10)
}

// Check reports what of a schema the database's columns cannot hold apart.
func Check(s *store.Schema) error {
	for _, c := range s.Columns {
		if c.Fold && s.Index(c.Name+FoldSuffix) >= 0 {
			return fmt.Errorf("store: table %s: the column %s%s takes the name of the folded form of %s", s.Name, c.Name, FoldSuffix, c.Name)
		}
	}
	return nil
}
