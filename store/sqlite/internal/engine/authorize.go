package engine

import (
	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// An Action is one operation of a statement, including the statement's triggers, for
// which the engine asks permission when it compiles the statement. The meaning of First
// and Second depends on the code: https://www.sqlite.org/c3ref/c_alter_table.html.
type Action struct {
	Code          int
	First, Second string
}

// Codes of the actions that the store distinguishes.
const (
	CreateTempIndex   = sqlite3.SQLITE_CREATE_TEMP_INDEX
	CreateTempTable   = sqlite3.SQLITE_CREATE_TEMP_TABLE
	CreateTempTrigger = sqlite3.SQLITE_CREATE_TEMP_TRIGGER
	CreateTempView    = sqlite3.SQLITE_CREATE_TEMP_VIEW
	Delete            = sqlite3.SQLITE_DELETE
	Insert            = sqlite3.SQLITE_INSERT
	Update            = sqlite3.SQLITE_UPDATE
	Pragma            = sqlite3.SQLITE_PRAGMA
	Read              = sqlite3.SQLITE_READ
	Select            = sqlite3.SQLITE_SELECT
	Function          = sqlite3.SQLITE_FUNCTION
	Recursive         = sqlite3.SQLITE_RECURSIVE
	Transaction       = sqlite3.SQLITE_TRANSACTION
	Savepoint         = sqlite3.SQLITE_SAVEPOINT
	Attach            = sqlite3.SQLITE_ATTACH
	Detach            = sqlite3.SQLITE_DETACH
)

// Authorize sets the function that allows or refuses the actions of statements that are
// compiled from now on, including statements recompiled at run time after a change of the
// schema. A refused statement fails with the code [Refused]. nil allows everything.
func (c *Conn) Authorize(allow func(*Action) bool) { c.authorize = allow }

// Refused is the primary code of the error of a statement that [Conn.Authorize]
// does not allow.
const Refused = sqlite3.SQLITE_AUTH

// onAuthorize is called by the engine while it compiles a statement.
func onAuthorize(_ *libc.TLS, conn uintptr, code int32, first, second, _, _ uintptr) int32 {
	c := at[Conn](conn)
	if c.authorize == nil {
		return sqlite3.SQLITE_OK
	}
	if c.authorize(&Action{Code: int(code), First: libc.GoString(first), Second: libc.GoString(second)}) {
		return sqlite3.SQLITE_OK
	}
	return sqlite3.SQLITE_DENY
}
