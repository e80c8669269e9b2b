package engine

import (
	"fmt"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// An Error is a failure that the engine reports.
type Error struct {
	Code    int    // the extended result code, see https://www.sqlite.org/rescode.html
	Message string // in English, for logs
}

func (e *Error) Error() string { return fmt.Sprintf("sqlite: %s (%d)", e.Message, e.Code) }

// Primary is the result code without its extension.
func (e *Error) Primary() int { return e.Code & 0xff }

// failure makes the error of a call that returned rc.
func (c *Conn) failure(rc int32) error {
	e := &Error{Code: int(rc), Message: libc.GoString(sqlite3.Xsqlite3_errstr(c.tls, rc))}
	if c.db != 0 && sqlite3.Xsqlite3_extended_errcode(c.tls, c.db) == rc {
		e.Message = libc.GoString(sqlite3.Xsqlite3_errmsg(c.tls, c.db))
	}
	return e
}

// Result codes that the store distinguishes.
const (
	Generic              = sqlite3.SQLITE_ERROR
	Busy                 = sqlite3.SQLITE_BUSY
	Locked               = sqlite3.SQLITE_LOCKED
	NoMemory             = sqlite3.SQLITE_NOMEM
	ReadOnly             = sqlite3.SQLITE_READONLY
	Interrupt            = sqlite3.SQLITE_INTERRUPT
	IOError              = sqlite3.SQLITE_IOERR
	Full                 = sqlite3.SQLITE_FULL
	CannotOpen           = sqlite3.SQLITE_CANTOPEN
	Protocol             = sqlite3.SQLITE_PROTOCOL
	ConstraintUnique     = sqlite3.SQLITE_CONSTRAINT_UNIQUE
	ConstraintPrimaryKey = sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY
	ConstraintRowID      = sqlite3.SQLITE_CONSTRAINT_ROWID
)
