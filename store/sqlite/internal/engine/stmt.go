package engine

import (
	"unsafe"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/shopapi/shopapi/store"
)

// A Stmt is a prepared statement, run as often as wanted: Bind, Step until it
// reports no more rows, Reset.
type Stmt struct {
	conn     *Conn
	p        uintptr // *sqlite3_stmt
	readOnly bool

	arena     uintptr // memory of the engine that holds the bound texts
	arenaSize int
	texts     []text // scratch of Row
}

// A text is one of the row's texts as it lies in the engine's memory.
type text struct {
	column int
	at     uintptr
	size   int
}

// maxArena is how much memory for bound texts a statement holds between runs, in
// bytes.
const maxArena = 4 << 10

// Finalize releases the statement.
func (s *Stmt) Finalize() {
	sqlite3.Xsqlite3_finalize(s.conn.tls, s.p)
	s.freeArena()
}

// Columns is the number of columns of the rows that the statement returns.
func (s *Stmt) Columns() int { return int(sqlite3.Xsqlite3_column_count(s.conn.tls, s.p)) }

// Bind sets the parameters, in their order. It copies the texts.
func (s *Stmt) Bind(values []store.Value) error {
	tls := s.conn.tls
	size := 0
	for i := range values {
		size += len(values[i].Text())
	}
	at := s.textMemory(size)
	for i := range values {
		v := &values[i]
		var rc int32
		switch {
		case v.IsText():
			n := len(v.Text())
			copy(bytesAt(at, n), v.Text())
			rc = sqlite3.Xsqlite3_bind_text(tls, s.p, int32(i+1), at, int32(n), sqlite3.SQLITE_STATIC)
			at += uintptr(n)
		case v.IsNull():
			rc = sqlite3.Xsqlite3_bind_null(tls, s.p, int32(i+1))
		default:
			rc = sqlite3.Xsqlite3_bind_int64(tls, s.p, int32(i+1), v.Int())
		}
		if rc != sqlite3.SQLITE_OK {
			return s.conn.failure(rc)
		}
	}
	return nil
}

// textMemory returns memory for the bound texts. It is never nil, which would bind
// null for an empty text.
func (s *Stmt) textMemory(size int) uintptr {
	if s.arena == 0 || size > s.arenaSize {
		s.freeArena()
		s.arenaSize = max(size, 64)
		s.arena = s.conn.alloc(s.arenaSize)
	}
	return s.arena
}

func (s *Stmt) freeArena() {
	if s.arena != 0 {
		libc.Xfree(s.conn.tls, s.arena)
		s.arena, s.arenaSize = 0, 0
	}
}

// Step runs the statement up to its next row and reports whether there is one.
// After an error the statement must be Reset.
func (s *Stmt) Step() (row bool, err error) {
	s.conn.interruptible = s.readOnly || s.conn.stopsWrites
	switch rc := sqlite3.Xsqlite3_step(s.conn.tls, s.p); rc {
	case sqlite3.SQLITE_ROW:
		return true, nil
	case sqlite3.SQLITE_DONE:
		return false, nil
	default:
		return false, s.conn.failure(rc)
	}
}

// Steps is how many steps of its program the statement has run since it was
// asked last.
func (s *Stmt) Steps() int {
	return int(sqlite3.Xsqlite3_stmt_status(s.conn.tls, s.p, sqlite3.SQLITE_STMTSTATUS_VM_STEP, 1))
}

// Memory returns the memory of the engine that the statement takes, in bytes, without
// bound values.
func (s *Stmt) Memory() int {
	return int(sqlite3.Xsqlite3_stmt_status(s.conn.tls, s.p, sqlite3.SQLITE_STMTSTATUS_MEMUSED, 0))
}

// Reset ends the run of the statement.
func (s *Stmt) Reset() {
	sqlite3.Xsqlite3_reset(s.conn.tls, s.p) // its result repeats that of Step
	if s.arenaSize > maxArena {
		sqlite3.Xsqlite3_clear_bindings(s.conn.tls, s.p)
		s.freeArena()
	}
}

// Row copies the columns of the current row. The texts of a row are one piece
// of memory, cut into strings.
func (s *Stmt) Row(row []store.Value) {
	tls := s.conn.tls
	s.texts = s.texts[:0]
	total := 0
	for i := range row {
		v := sqlite3.Xsqlite3_column_value(tls, s.p, int32(i))
		switch sqlite3.Xsqlite3_value_type(tls, v) {
		case sqlite3.SQLITE_NULL:
			row[i] = store.Null
		case sqlite3.SQLITE_INTEGER, sqlite3.SQLITE_FLOAT:
			row[i] = store.Int(sqlite3.Xsqlite3_value_int64(tls, v))
		default:
			// As a blob the engine does not copy it to end it with a NUL.
			at := sqlite3.Xsqlite3_value_blob(tls, v)
			n := int(sqlite3.Xsqlite3_value_bytes(tls, v))
			if n == 0 {
				row[i] = store.String("")
				continue
			}
			s.texts = append(s.texts, text{i, at, n})
			total += n
		}
	}
	if total == 0 {
		return
	}
	all := make([]byte, 0, total)
	for _, t := range s.texts {
		all = append(all, bytesAt(t.at, t.size)...)
	}
	rest := unsafe.String(unsafe.SliceData(all), total) // all is not written again
	for _, t := range s.texts {
		row[t.column] = store.String(rest[:t.size])
		rest = rest[t.size:]
	}
}
