package shopapi

import (
	"syscall"
	"time"
)

// sleep is time.Sleep by the kernel's own clock. That of the runtime rounds to a
// millisecond from where it begins to wait, so that what went before still shows.
func sleep(d time.Duration) {
	left := syscall.NsecToTimespec(max(0, d.Nanoseconds()))
	for syscall.Nanosleep(&left, &left) == syscall.EINTR { // what is left stays to be slept
	}
}
