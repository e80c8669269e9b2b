//go:build !linux

package main

import "time"

func cpuTime() time.Duration { return 0 }

func peakMemory() int64 { return 0 }

func resetPeak() {}
