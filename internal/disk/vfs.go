package disk

import (
	"path/filepath"
	"sync"
	"unsafe"

	"modernc.org/libc"
	"modernc.org/libc/sys/types"
	sqlite3 "modernc.org/sqlite/lib"
)

// The layer is the engine's own VFS with some functions replaced. An open file keeps the
// memory of the engine's VFS, so that functions that are not replaced, and package engine,
// see the file that they know.
var layer struct {
	once  sync.Once
	mu    sync.Mutex
	disks map[string]*Disk    // by folder
	files map[uintptr]*opened // by the engine's address of the file
	vfs   sqlite3.Tsqlite3_vfs
	io    map[uintptr]*methods // by the address of the engine's methods
}

// An opened file is open in a connection.
type opened struct {
	disk *Disk
	name string
	io   *methods
}

// methods are the functions of a kind of file: the engine's, and where the replaced ones are.
type methods struct {
	engine   sqlite3.Tsqlite3_io_methods
	replaced uintptr
}

// install makes the layer the default VFS of the process.
func install() {
	layer.disks, layer.files, layer.io = make(map[string]*Disk), make(map[uintptr]*opened), make(map[uintptr]*methods)
	tls := libc.NewTLS() // as long as the process
	sqlite3.Xsqlite3_initialize(tls)
	layer.vfs = *at[sqlite3.Tsqlite3_vfs](sqlite3.Xsqlite3_vfs_find(tls, 0))
	vfs := alloc[sqlite3.Tsqlite3_vfs](tls)
	name, err := libc.CString("disk")
	if err != nil {
		panic(err)
	}
	replaced := at[sqlite3.Tsqlite3_vfs](vfs)
	*replaced = layer.vfs
	replaced.FzName, replaced.FpNext = name, 0
	replaced.FxOpen, replaced.FxDelete = pointer(open), pointer(remove)
	if rc := sqlite3.Xsqlite3_vfs_register(tls, vfs, 1); rc != sqlite3.SQLITE_OK {
		panic("disk: the engine does not take the layer")
	}
}

func open(tls *libc.TLS, vfs, name, file uintptr, flags int32, outFlags uintptr) int32 {
	rc := call[func(*libc.TLS, uintptr, uintptr, uintptr, int32, uintptr) int32](layer.vfs.FxOpen)(tls, vfs, name, file, flags, outFlags)
	if rc != sqlite3.SQLITE_OK || name == 0 {
		return rc
	}
	layer.mu.Lock()
	defer layer.mu.Unlock()
	path := libc.GoString(name)
	d := layer.disks[filepath.Dir(path)]
	if d == nil {
		return rc
	}
	of := at[sqlite3.Tsqlite3_file](file)
	m := layer.io[of.FpMethods]
	if m == nil {
		m = &methods{engine: *at[sqlite3.Tsqlite3_io_methods](of.FpMethods), replaced: alloc[sqlite3.Tsqlite3_io_methods](tls)}
		layer.io[of.FpMethods] = m
		r := at[sqlite3.Tsqlite3_io_methods](m.replaced)
		*r = m.engine
		r.FxClose, r.FxWrite, r.FxTruncate, r.FxSync = pointer(closeFile), pointer(write), pointer(truncate), pointer(syncFile)
	}
	of.FpMethods = m.replaced
	layer.files[file] = &opened{d, filepath.Base(path), m}
	return rc
}

func find(file uintptr) *opened {
	layer.mu.Lock()
	defer layer.mu.Unlock()
	return layer.files[file]
}

func closeFile(tls *libc.TLS, file uintptr) int32 {
	layer.mu.Lock()
	f := layer.files[file]
	delete(layer.files, file)
	layer.mu.Unlock()
	return call[func(*libc.TLS, uintptr) int32](f.io.engine.FxClose)(tls, file)
}

func write(tls *libc.TLS, file, data uintptr, n int32, offset int64) int32 {
	f := find(file)
	op := Op{Kind: Write, File: f.name, Offset: offset, Data: append([]byte(nil), unsafe.Slice(at[byte](data), n)...)}
	return f.disk.do(op, sqlite3.SQLITE_IOERR_WRITE, func() int32 {
		return call[func(*libc.TLS, uintptr, uintptr, int32, int64) int32](f.io.engine.FxWrite)(tls, file, data, n, offset)
	})
}

func truncate(tls *libc.TLS, file uintptr, size int64) int32 {
	f := find(file)
	return f.disk.do(Op{Kind: Truncate, File: f.name, Offset: size}, sqlite3.SQLITE_IOERR_TRUNCATE, func() int32 {
		return call[func(*libc.TLS, uintptr, int64) int32](f.io.engine.FxTruncate)(tls, file, size)
	})
}

func syncFile(tls *libc.TLS, file uintptr, flags int32) int32 {
	f := find(file)
	return f.disk.do(Op{Kind: Sync, File: f.name}, sqlite3.SQLITE_IOERR_FSYNC, func() int32 {
		return sqlite3.SQLITE_OK // the tests keep what a sync would have kept
	})
}

func remove(tls *libc.TLS, vfs, name uintptr, syncFolder int32) int32 {
	engine := func() int32 {
		return call[func(*libc.TLS, uintptr, uintptr, int32) int32](layer.vfs.FxDelete)(tls, vfs, name, 0)
	}
	path := libc.GoString(name)
	layer.mu.Lock()
	d := layer.disks[filepath.Dir(path)]
	layer.mu.Unlock()
	if d == nil {
		return engine()
	}
	return d.do(Op{Kind: Remove, File: filepath.Base(path), Synced: syncFolder != 0}, sqlite3.SQLITE_IOERR_DELETE, engine)
}

// at returns what lies at an address of the engine's memory.
func at[T any](p uintptr) *T { return *(**T)(unsafe.Pointer(&p)) }

// alloc returns memory of the engine, which is never freed.
func alloc[T any](tls *libc.TLS) uintptr {
	var t T
	p := libc.Xmalloc(tls, types.Size_t(unsafe.Sizeof(t)))
	if p == 0 {
		panic("disk: out of memory")
	}
	return p
}

// pointer returns what the engine takes for the address of a C function, for a declared
// function.
func pointer[F any](f F) uintptr { return *(*uintptr)(unsafe.Pointer(&f)) }

// call is the reverse of pointer.
func call[F any](p uintptr) F { return *(*F)(unsafe.Pointer(&p)) }
