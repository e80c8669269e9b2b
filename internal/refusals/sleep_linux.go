package refusals

import (
	"syscall"
	"time"
)

// sleep is time.Sleep by the clock of the kernel. The clock of the Go runtime rounds to
// a millisecond from the time at which the wait begins, so that the duration of the
// lookup before it would show.
func sleep(d time.Duration) {
	left := syscall.NsecToTimespec(max(0, d.Nanoseconds()))
	for syscall.Nanosleep(&left, &left) == syscall.EINTR { // left is the rest
	}
}
