// Package fasttest makes the tests that import it faster, by two settings for their process
// and for the programs that it starts. Most packages import it for this effect alone.
//
//   - Garbage is collected rarely, since tests open and drop many small shops: when the heap has
//     grown to ten times of its size, or nears 1 GiB.
//   - Temporary files are in memory, where a sync takes no time, if Linux has enough of it.
//
// A variable of the environment, GOGC or TMPDIR, has precedence. A test that measures the memory
// of its own process must not import the package.
package fasttest

import (
	"flag"
	"os"
	"runtime/debug"
)

func init() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(900)
		os.Setenv("GOGC", "900")
		if os.Getenv("GOMEMLIMIT") == "" {
			debug.SetMemoryLimit(1 << 30)
			os.Setenv("GOMEMLIMIT", "1GiB")
		}
	}
	if dir, ok := memoryDir(); ok && os.Getenv("TMPDIR") == "" {
		os.Setenv("TMPDIR", dir)
	}
}

// Waiting has eight parallel tests run at once, instead of one for each processor. Call it in
// TestMain, before the tests run, if the tests of a package wait more than they compute. The flag
// -parallel has precedence.
func Waiting() {
	if err := flag.Set("test.parallel", "8"); err != nil {
		panic(err)
	}
}
