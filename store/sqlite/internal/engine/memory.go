package engine

import (
	"unsafe"

	"modernc.org/libc"
	"modernc.org/libc/sys/types"
)

// alloc returns memory of the engine. Like Go's own it never fails: without
// memory the program cannot go on.
func (c *Conn) alloc(size int) uintptr {
	p := libc.Xmalloc(c.tls, types.Size_t(size))
	if p == 0 {
		panic("sqlite: out of memory")
	}
	return p
}

// at returns what lies at an address of the engine's memory. The collector
// does not move or free that memory, so the address stays good.
func at[T any](p uintptr) *T {
	return *(**T)(unsafe.Pointer(&p))
}

func bytesAt(p uintptr, size int) []byte {
	return unsafe.Slice(at[byte](p), size)
}

// functionPointer returns what the engine takes for the address of a C
// function: that of the descriptor of a Go function, which for a declared
// function is constant data.
func functionPointer[F any](f F) uintptr {
	return *(*uintptr)(unsafe.Pointer(&f))
}

// function returns the Go function at an address of the engine's: the inverse of
// functionPointer.
func function[F any](p uintptr) F {
	return *(*F)(unsafe.Pointer(&struct{ uintptr }{p}))
}
