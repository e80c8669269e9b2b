//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package respcache

// isMapped says that chunks are outside of Go's heap.
const isMapped = false

// newMemory returns memory of so many bytes.
func newMemory(bytes int) []byte { return make([]byte, bytes) }

// freeMemory leaves memory to the garbage collector.
func freeMemory([]byte) {}
