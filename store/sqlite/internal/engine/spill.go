package engine

import (
	"unsafe"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// maxJournal is how many bytes of the pages that a savepoint, or a statement, may have
// to put back are kept in memory before they go to a temporary file. A change of some
// rows with a dozen indexes writes some twenty pages: with the engine's own
// limit of 64 KiB, each change of a commit group would write them to a file. It is
// the most that the engine, which writes them at once then, can write at once.
const maxJournal = 1<<17 - 1

// The engine is configured before it opens its first file. Where another package has
// opened one in its init, the engine refuses, and its own limit stays.
func init() {
	tls := libc.NewTLS()
	defer tls.Close()
	args := tls.Alloc(int(unsafe.Sizeof(uintptr(0))))
	defer tls.Free(int(unsafe.Sizeof(uintptr(0))))
	_ = sqlite3.Xsqlite3_config(tls, sqlite3.SQLITE_CONFIG_STMTJRNL_SPILL, libc.VaList(args, int32(maxJournal)))
}
