package engine

import (
	"encoding/binary"
	"unsafe"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// joinedSize is how many bytes of frames are joined into one write: as many as the engine can
// write at once, about, and 31 frames of pages of 2 KiB. See [maxJournal].
const joinedSize = 1 << 16

// A frameJoiner joins the frames that a COMMIT appends to the WAL into few writes. The engine
// writes each frame in two: a header of 24 bytes and a page.
//
// The frame that commits ends with a write of everything that waits, and that write returns
// the error, if any. After it, until the next COMMIT, each write goes to the file at once. So
// whatever the engine does next, a sync or the header of the WAL-index for other processes, it does
// after the frames are in the file. Every other operation on the file also writes what waits before.
type frameJoiner struct {
	memory  uintptr // of the engine: the methods of the file, the address of the Conn, and the frames that wait
	methods sqlite3.Tsqlite3_io_methods
	joins   bool  // a COMMIT runs, and has not written the frame that commits
	inFrame bool  // the last write was the header of a frame, so the next one is its page
	last    bool  // that frame commits
	offset  int64 // in the file, of the first byte that waits
	size    int   // of the bytes that wait
}

const (
	connOffset   = unsafe.Sizeof(sqlite3.Tsqlite3_io_methods{})
	framesOffset = connOffset + unsafe.Sizeof(uintptr(0))

	frameHeader = 24 // bytes
)

// JoinFrames has [Conn.Commit] join what it writes to the WAL. The connection must be in WAL mode.
// Where it fails, commits are as right and slower.
func (c *Conn) JoinFrames() {
	if c.Exec("PRAGMA schema_version") != nil { // the first read opens the WAL
		return
	}
	file := c.file(sqlite3.SQLITE_FCNTL_JOURNAL_POINTER)
	if file == 0 || c.frames.memory != 0 {
		return
	}
	f := at[sqlite3.Tsqlite3_file](file)
	c.frames.methods = *at[sqlite3.Tsqlite3_io_methods](f.FpMethods)
	c.frames.memory = c.alloc(int(framesOffset) + joinedSize)
	methods := at[sqlite3.Tsqlite3_io_methods](c.frames.memory)
	*methods = c.frames.methods
	methods.FxWrite = functionPointer(onWrite)
	methods.FxRead = functionPointer(onRead)
	methods.FxSync = functionPointer(onSync)
	methods.FxTruncate = functionPointer(onTruncate)
	methods.FxFileSize = functionPointer(onFileSize)
	*at[uintptr](c.frames.memory + connOffset) = uintptr(unsafe.Pointer(c))
	f.FpMethods = c.frames.memory
}

// Commit runs a COMMIT.
func (c *Conn) Commit(s *Stmt) error {
	j := &c.frames
	j.joins, j.inFrame, j.last, j.size = j.memory != 0, false, false, 0
	_, err := s.Step()
	j.joins, j.size = false, 0 // what a commit that failed has left is not part of the database
	s.Reset()
	return err
}

// joinerOf returns the joiner of a file.
func joinerOf(file uintptr) *frameJoiner {
	return &at[Conn](*at[uintptr](at[sqlite3.Tsqlite3_file](file).FpMethods + connOffset)).frames
}

// write appends to what waits, or writes at once.
func (j *frameJoiner) write(tls *libc.TLS, file, from uintptr, size int32, offset int64) int32 {
	n := int(size)
	if offset != j.offset+int64(j.size) || j.size+n > joinedSize {
		if rc := j.flush(tls, file); rc != sqlite3.SQLITE_OK {
			return rc
		}
	}
	isHeader := n == frameHeader
	if !j.joins || n > joinedSize || !isHeader && !j.inFrame {
		return j.writeNow(tls, file, from, size, offset)
	}
	if j.size == 0 {
		j.offset = offset
	}
	data := bytesAt(from, n)
	copy(bytesAt(j.memory+framesOffset+uintptr(j.size), n), data)
	j.size += n
	j.inFrame = isHeader
	switch {
	case isHeader:
		const databasePages = 4 // after a commit, 0 in other frames
		j.last = binary.BigEndian.Uint32(data[databasePages:]) != 0
	case j.last:
		j.joins = false
		return j.flush(tls, file)
	}
	return sqlite3.SQLITE_OK
}

// flush writes what waits. On failure the engine rolls the transaction back.
func (j *frameJoiner) flush(tls *libc.TLS, file uintptr) int32 {
	if j.size == 0 {
		return sqlite3.SQLITE_OK
	}
	n := j.size
	j.size = 0
	rc := j.writeNow(tls, file, j.memory+framesOffset, int32(n), j.offset)
	if rc != sqlite3.SQLITE_OK {
		j.joins = false
	}
	return rc
}

func (j *frameJoiner) writeNow(tls *libc.TLS, file, from uintptr, size int32, offset int64) int32 {
	return function[func(*libc.TLS, uintptr, uintptr, int32, int64) int32](j.methods.FxWrite)(tls, file, from, size, offset)
}

// The engine calls these for the file, as sqlite3_io_methods says.

func onWrite(tls *libc.TLS, file, from uintptr, size int32, offset int64) int32 {
	return joinerOf(file).write(tls, file, from, size, offset)
}

func onRead(tls *libc.TLS, file, into uintptr, size int32, offset int64) int32 {
	j := joinerOf(file)
	if rc := j.flush(tls, file); rc != sqlite3.SQLITE_OK {
		return rc
	}
	return function[func(*libc.TLS, uintptr, uintptr, int32, int64) int32](j.methods.FxRead)(tls, file, into, size, offset)
}

func onSync(tls *libc.TLS, file uintptr, flags int32) int32 {
	j := joinerOf(file)
	if rc := j.flush(tls, file); rc != sqlite3.SQLITE_OK {
		return rc
	}
	return function[func(*libc.TLS, uintptr, int32) int32](j.methods.FxSync)(tls, file, flags)
}

func onTruncate(tls *libc.TLS, file uintptr, size int64) int32 {
	j := joinerOf(file)
	if rc := j.flush(tls, file); rc != sqlite3.SQLITE_OK {
		return rc
	}
	return function[func(*libc.TLS, uintptr, int64) int32](j.methods.FxTruncate)(tls, file, size)
}

func onFileSize(tls *libc.TLS, file, size uintptr) int32 {
	j := joinerOf(file)
	if rc := j.flush(tls, file); rc != sqlite3.SQLITE_OK {
		return rc
	}
	return function[func(*libc.TLS, uintptr, uintptr) int32](j.methods.FxFileSize)(tls, file, size)
}
