package engine

import (
	"encoding/binary"
	"sync/atomic"
	"unsafe"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// A WALHeader is the WAL-index header: the engine's record of the last commit, in
// memory that all connections of all processes share.
//
// Two headers are equal only if the database is the same. Each commit increments a
// counter in it and sets a checksum over the whole WAL, which begins with a random
// salt; a restarted WAL has another salt. Only recovery after a crash sets the counter
// back: it makes the header of the WAL found on the disk, and that is empty only
// where the header was whole before, because the WAL is truncated after the header is
// written.
type WALHeader [headWords]uint64

const (
	headWords = 6         // of one copy of the header, 48 bytes
	indexSize = 32 * 1024 // of the first region of the index, bytes
)

// Commits is the header's counter of commits, which wraps.
func (h *WALHeader) Commits() uint32 { return h.field(8) }

// Pages is the number of pages in the WAL.
func (h *WALHeader) Pages() int { return int(h.field(16)) }

// IsRestartOf reports whether h is the header that a transaction writes when it begins the WAL
// anew: the database is that of other, and all of it is in its file.
func (h *WALHeader) IsRestartOf(other *WALHeader) bool {
	const databasePages, salt = 20, 4
	return h.Commits() == other.Commits() && h.Pages() == 0 && h.field(databasePages) == other.field(databasePages) && h[salt] != other[salt]
}

// field is the 32-bit field at an offset, in the byte order of the machine.
func (h *WALHeader) field(offset int) uint32 {
	var word [8]byte
	binary.NativeEndian.PutUint64(word[:], h[offset/8])
	return binary.NativeEndian.Uint32(word[offset%8:])
}

// A WALIndex reads the index of a connection's WAL, as long as the connection is
// open. Many goroutines may use it at once, also while others use the connection.
//
// The memory is the mapping that the engine made. Opening the file a second time
// would, when it is closed, drop the locks of the process.
type WALIndex struct {
	copies *[2 * headWords]uint64 // the engine writes the second copy first
}

// WALIndex returns the index of the WAL. It reports false when the engine has none
// in shared memory.
func (c *Conn) WALIndex() (WALIndex, bool) {
	if err := c.Exec("PRAGMA schema_version"); err != nil { // the first read makes the index
		return WALIndex{}, false
	}
	file := c.file(sqlite3.SQLITE_FCNTL_FILE_POINTER)
	if file == 0 {
		return WALIndex{}, false
	}
	methods := at[sqlite3.Tsqlite3_file](file).FpMethods
	shmMap := at[sqlite3.Tsqlite3_io_methods](methods).FxShmMap
	if shmMap == 0 {
		return WALIndex{}, false
	}
	call := function[func(tls *libc.TLS, file uintptr, region, size, extend int32, at uintptr) int32](shmMap)
	result := c.alloc(int(unsafe.Sizeof(uintptr(0))))
	defer libc.Xfree(c.tls, result)
	*at[uintptr](result) = 0
	if rc := call(c.tls, file, 0, indexSize, 0, result); rc != sqlite3.SQLITE_OK || *at[uintptr](result) == 0 {
		return WALIndex{}, false
	}
	return WALIndex{at[[2 * headWords]uint64](*at[uintptr](result))}, true
}

// Is reports whether the header is h now. It never is the zero WALHeader.
func (x WALIndex) Is(h *WALHeader) bool {
	if h[0] == 0 { // a real one begins with the version of its form
		return false
	}
	for i := range h {
		if atomic.LoadUint64(&x.copies[i]) != h[i] || atomic.LoadUint64(&x.copies[headWords+i]) != h[i] {
			return false
		}
	}
	return true
}

// Header returns the header. It reports false while a commit is writing it, and
// after a crash during that, until it is recovered.
func (x WALIndex) Header() (h WALHeader, ok bool) {
	for i := range h {
		h[i] = atomic.LoadUint64(&x.copies[i])
	}
	const initialised = 12 // offset of a byte that is 0 before the first use
	return h, x.Is(&h) && h.field(initialised)&initialisedMask != 0
}

// initialisedMask picks the byte out of the field that begins with it.
var initialisedMask = binary.NativeEndian.Uint32([]byte{0xff, 0, 0, 0})
