package sqlite

import (
	"regexp"
	"slices"
	"strings"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver/sqltext"
)

// constraint finds a constraint of the host's in the statement that created a table or an index.
var constraint = regexp.MustCompile(`\b(CHECK|UNIQUE)\b`)

// isPlain reports whether a table contains exactly the written values, and compares as
// package store does. A table that the host made may convert values, replace rows on
// conflict, compare case-insensitively, lack indexes, or have triggers. free reports whether the
// table is plain, and has no constraints that the schema does not have.
func isPlain(c *conn, s *store.Schema) (plain, free bool, err error) {
	name := []store.Value{store.String(s.Name)}
	plain, free = true, true
	columns := 0
	var indexes []string
	var own map[string]string
	if isSearched(s) {
		_, own = searchObjects(s)
	}
	err = c.db.Query("SELECT type, name, sql FROM sqlite_schema WHERE tbl_name = ? COLLATE NOCASE", name, func(row []store.Value) error {
		sql := strings.ToUpper(row[2].Text())
		switch row[0].Text() {
		case "table":
			plain = plain && strings.HasSuffix(sql, "STRICT") && !strings.Contains(sql, "COLLATE") && !strings.Contains(sql, "CONFLICT")
			free = free && !constraint.MatchString(sql)
		case "index":
			indexes = append(indexes, row[1].Text())
			free = free && (!constraint.MatchString(sql) || isIndex(s, row[1].Text()))
		default:
			plain = plain && own[row[1].Text()] == row[2].Text() && row[2].Text() != ""
		}
		return nil
	})
	for i := range s.Indexes {
		plain = plain && slices.Contains(indexes, sqltext.SQLite.IndexName(s, &s.Indexes[i]))
	}
	if err != nil || !plain {
		return false, false, err
	}
	err = c.db.Query(`SELECT name, type, "notnull", pk, hidden FROM pragma_table_xinfo(?)`, name, func(row []store.Value) error {
		at := s.Index(row[0].Text())
		if at < 0 {
			return nil
		}
		columns++
		column := &s.Columns[at]
		kind := "INTEGER"
		if column.Kind == store.Text || column.Kind == store.JSON {
			kind = "TEXT"
		}
		never := row[2].Int() == 1 || row[3].Int() == 1
		plain = plain && row[1].Text() == kind && (never || column.Null) && row[4].Int() == 0
		return nil
	})
	plain = plain && columns == len(s.Columns)
	return plain, plain && free, err
}

// isIndex reports whether an index with a name is of the schema.
func isIndex(s *store.Schema, name string) bool {
	return slices.ContainsFunc(s.Indexes, func(x store.Index) bool { return sqltext.SQLite.IndexName(s, &x) == name })
}
