//go:build unix

package engine

import (
	"syscall"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// An openFile is the name of a file and the file that it named when it was opened.
type openFile struct {
	path string
	stat syscall.Stat_t
}

// Files returns the files that the connection has open, after its first read.
func (c *Conn) Files() (Files, error) {
	var files Files
	for _, op := range []int32{sqlite3.SQLITE_FCNTL_FILE_POINTER, sqlite3.SQLITE_FCNTL_JOURNAL_POINTER} {
		p := c.file(op)
		if p == 0 {
			continue
		}
		file := at[sqlite3.TunixFile](p)
		f := openFile{path: libc.GoString(file.FzPath)}
		if err := syscall.Fstat(int(file.Fh), &f.stat); err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	return files, nil
}

// Moved returns the name of a file that was deleted or replaced since it was opened, or
// "".
func (f Files) Moved() string {
	for i := range f {
		var now syscall.Stat_t
		if err := stat(f[i].path, &now); err == syscall.ENOENT || err == nil && (now.Ino != f[i].stat.Ino || now.Dev != f[i].stat.Dev) {
			return f[i].path
		}
	}
	return ""
}

// stat is syscall.Stat, again when a signal cut it short.
func stat(path string, into *syscall.Stat_t) error {
	for {
		if err := syscall.Stat(path, into); err != syscall.EINTR {
			return err
		}
	}
}
