//go:build !linux

package refusals

import "time"

func sleep(d time.Duration) { time.Sleep(d) }
