//go:build unix

package main

import (
	"io"
	"os"
	"syscall"
)

// The bytes that SQLite locks in a database file: every connection of a database in WAL mode
// holds a shared lock on some of them (https://www.sqlite.org/src/file/src/os.h).
const (
	lockedFirst = 0x40000000
	lockedBytes = 512
)

// lockDatabase locks a database file until the file is closed. It returns an error if another
// process has the database open.
func lockDatabase(f *os.File) error {
	return syscall.FcntlFlock(f.Fd(), syscall.F_SETLK, &syscall.Flock_t{
		Type: syscall.F_WRLCK, Whence: io.SeekStart, Start: lockedFirst, Len: lockedBytes,
	})
}
