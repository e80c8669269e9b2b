//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package respcache

import "syscall"

// isMapped says that chunks are outside of Go's heap.
const isMapped = true

// newMemory returns memory of so many bytes. It takes RAM as it is written to.
func newMemory(bytes int) []byte {
	memory, err := syscall.Mmap(-1, 0, bytes, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil { // the process has reached a limit of the system
		return make([]byte, bytes)
	}
	return memory
}

// freeMemory frees memory. It does nothing to memory of Go's heap.
func freeMemory(memory []byte) { _ = syscall.Munmap(memory) }
