package engine

import (
	"database/sql/driver"
	"fmt"
	"slices"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// ReadOnly reports whether the statement leaves the database as it is.
func (s *Stmt) ReadOnly() bool { return s.readOnly }

// Parameters is the number of parameters.
func (s *Stmt) Parameters() int {
	return int(sqlite3.Xsqlite3_bind_parameter_count(s.conn.tls, s.p))
}

// ParameterName returns the name of a parameter with its first character, such as
// ":name", or "" if it has none. The first parameter is 1.
func (s *Stmt) ParameterName(i int) string {
	return libc.GoString(sqlite3.Xsqlite3_bind_parameter_name(s.conn.tls, s.p, int32(i)))
}

// BindValue sets a parameter, of which the first is 1, to nil, an int64, a
// float64, a bool, a string or a []byte. It copies the value.
func (s *Stmt) BindValue(i int, v driver.Value) error {
	tls, n := s.conn.tls, int32(i)
	var rc int32
	switch v := v.(type) {
	case nil:
		rc = sqlite3.Xsqlite3_bind_null(tls, s.p, n)
	case int64:
		rc = sqlite3.Xsqlite3_bind_int64(tls, s.p, n, v)
	case float64:
		rc = sqlite3.Xsqlite3_bind_double(tls, s.p, n, v)
	case bool:
		rc = sqlite3.Xsqlite3_bind_int64(tls, s.p, n, int64(libc.Bool32(v)))
	case string:
		memory := s.conn.alloc(max(len(v), 1)) // a nil address would bind null
		copy(bytesAt(memory, len(v)), v)
		rc = sqlite3.Xsqlite3_bind_text(tls, s.p, n, memory, int32(len(v)), sqlite3.SQLITE_TRANSIENT)
		libc.Xfree(tls, memory)
	case []byte:
		if v == nil {
			rc = sqlite3.Xsqlite3_bind_null(tls, s.p, n)
			break
		}
		memory := s.conn.alloc(max(len(v), 1))
		copy(bytesAt(memory, len(v)), v)
		rc = sqlite3.Xsqlite3_bind_blob(tls, s.p, n, memory, int32(len(v)), sqlite3.SQLITE_TRANSIENT)
		libc.Xfree(tls, memory)
	default:
		return fmt.Errorf("sqlite: a %T cannot be bound", v)
	}
	if rc != sqlite3.SQLITE_OK {
		return s.conn.failure(rc)
	}
	return nil
}

// ClearBindings sets all parameters to null, and releases the bound values.
func (s *Stmt) ClearBindings() { sqlite3.Xsqlite3_clear_bindings(s.conn.tls, s.p) }

// ColumnName is the name of a column, of which the first is 0.
func (s *Stmt) ColumnName(i int) string {
	return libc.GoString(sqlite3.Xsqlite3_column_name(s.conn.tls, s.p, int32(i)))
}

// ColumnType is the type that the table declares for a column, "" for an
// expression.
func (s *Stmt) ColumnType(i int) string {
	return libc.GoString(sqlite3.Xsqlite3_column_decltype(s.conn.tls, s.p, int32(i)))
}

// ColumnValue copies a column of the current row: nil, an int64, a float64, a
// string or a []byte.
func (s *Stmt) ColumnValue(i int) driver.Value {
	tls, n := s.conn.tls, int32(i)
	switch sqlite3.Xsqlite3_column_type(tls, s.p, n) {
	case sqlite3.SQLITE_NULL:
		return nil
	case sqlite3.SQLITE_INTEGER:
		return sqlite3.Xsqlite3_column_int64(tls, s.p, n)
	case sqlite3.SQLITE_FLOAT:
		return sqlite3.Xsqlite3_column_double(tls, s.p, n)
	case sqlite3.SQLITE_TEXT:
		return string(s.columnBytes(n))
	default:
		return slices.Clone(s.columnBytes(n))
	}
}

// columnBytes is a column's text or blob in the engine's memory, not nil.
func (s *Stmt) columnBytes(i int32) []byte {
	p := sqlite3.Xsqlite3_column_blob(s.conn.tls, s.p, i)
	n := int(sqlite3.Xsqlite3_column_bytes(s.conn.tls, s.p, i))
	if n == 0 {
		return []byte{}
	}
	return bytesAt(p, n)
}
