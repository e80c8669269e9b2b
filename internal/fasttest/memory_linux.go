package fasttest

import "syscall"

// memoryDir returns the file system in memory. ok is false if it is absent, cannot be
// written to, or is too small for the tests of several packages at once.
func memoryDir() (dir string, ok bool) {
	const (
		shm      = "/dev/shm"
		space    = 4 << 30 // bytes
		writable = 2       // W_OK of access(2)
	)
	var at syscall.Statfs_t
	if syscall.Access(shm, writable) != nil || syscall.Statfs(shm, &at) != nil {
		return "", false
	}
	return shm, at.Bavail*uint64(at.Bsize) >= space
}
