package engine

import (
	"errors"
	"fmt"
	"strings"
	"unsafe"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

var (
	// ErrNone says that a text holds no statement.
	ErrNone = errors.New("sqlite: the text holds no statement")

	// ErrSeveral says that a text holds more than one statement.
	ErrSeveral = errors.New("sqlite: the text holds more than one statement")
)

// Prepare prepares the one statement of a text, to be run often. It returns
// [ErrNone] or [ErrSeveral] where there is not one.
func (c *Conn) Prepare(sql string) (*Stmt, error) {
	s, rest, err := c.PrepareFirst(sql)
	if err != nil {
		return nil, err
	}
	if s == nil {
		return nil, ErrNone
	}
	if strings.TrimSpace(rest) == "" {
		return s, nil
	}
	next, _, err := c.PrepareFirst(rest)
	if err == nil && next == nil {
		return s, nil // the rest is a comment
	}
	s.Finalize()
	if next != nil {
		next.Finalize()
	}
	return nil, ErrSeveral
}

// PrepareFirst prepares the first statement of a text and returns the rest of the text.
// The statement is nil if the text has none.
func (c *Conn) PrepareFirst(sql string) (s *Stmt, rest string, err error) {
	const word = int(unsafe.Sizeof(uintptr(0)))
	memory := c.alloc(2*word + len(sql) + 1)
	defer libc.Xfree(c.tls, memory)
	handle, tail, text := memory, memory+uintptr(word), memory+uintptr(2*word)
	copy(bytesAt(text, len(sql)), sql)
	bytesAt(text, len(sql)+1)[len(sql)] = 0

	rc := sqlite3.Xsqlite3_prepare_v3(c.tls, c.db, text, int32(len(sql)+1), sqlite3.SQLITE_PREPARE_PERSISTENT, handle, tail)
	if rc != sqlite3.SQLITE_OK {
		return nil, "", fmt.Errorf("%w, in %s", c.failure(rc), sql)
	}
	rest = sql[*at[uintptr](tail)-text:]
	p := *at[uintptr](handle)
	if p == 0 {
		return nil, "", nil
	}
	s = &Stmt{conn: c, p: p}
	s.readOnly = sqlite3.Xsqlite3_stmt_readonly(c.tls, s.p) != 0
	return s, rest, nil
}
