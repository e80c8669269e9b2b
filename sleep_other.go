//go:build !linux

package shopapi

import "time"

func sleep(d time.Duration) { time.Sleep(d) }
