// Package fasttest makes the tests that import it faster, by two settings for their process
// and for the programs that it starts. It is imported for this effect alone.
//
//   - Garbage is collected rarely, since tests open and drop many small shops.
//   - Temporary files are in memory, where a sync takes no time, if Linux has enough of it.
//
// A variable of the environment, GOGC or TMPDIR, has precedence. A test that measures the memory
// of its own process must not import the package.
package fasttest

import (
	"os"
	"runtime/debug"
)

func init() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(300)
		os.Setenv("GOGC", "300")
	}
	if dir, ok := memoryDir(); ok && os.Getenv("TMPDIR") == "" {
		os.Setenv("TMPDIR", dir)
	}
}
