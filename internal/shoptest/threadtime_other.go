//go:build !linux

package shoptest

import "time"

var start = time.Now()

// threadTime returns the elapsed time: only Linux reports the CPU time of a thread.
func threadTime() time.Duration { return time.Since(start) }
