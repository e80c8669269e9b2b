package engine

import (
	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// Files are the files that a connection has open: the database and its WAL.
type Files []openFile

// file returns the engine's handle of a file of the main database, 0 when it has none
// open.
func (c *Conn) file(op int32) uintptr {
	const main = "main\x00"
	memory := c.alloc(len(main) + 16)
	defer libc.Xfree(c.tls, memory)
	result, name := memory, memory+16
	copy(bytesAt(name, len(main)), main)
	*at[uintptr](result) = 0
	rc := sqlite3.Xsqlite3_file_control(c.tls, c.db, name, op, result)
	file := *at[uintptr](result)
	if rc != sqlite3.SQLITE_OK || file == 0 || at[sqlite3.Tsqlite3_file](file).FpMethods == 0 {
		return 0
	}
	return file
}

// NoCheckpointOnClose has Close neither checkpoint the WAL nor delete it.
func (c *Conn) NoCheckpointOnClose() error {
	return c.set(sqlite3.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE)
}

// set turns an option of the connection on.
func (c *Conn) set(option int32) error {
	list := c.alloc(2 * 8) // two arguments of a variadic call
	defer libc.Xfree(c.tls, list)
	if rc := sqlite3.Xsqlite3_db_config(c.tls, c.db, option, libc.VaList(list, int32(1), uintptr(0))); rc != sqlite3.SQLITE_OK {
		return c.failure(rc)
	}
	return nil
}
