package sqlite

import "sync"

// inFlight counts the transactions that run, so that Close can wait for them.
type inFlight struct {
	mu     sync.Mutex
	n      int
	closed bool
	zero   chan struct{} // closed when n falls to 0 after close
}

// begin counts a transaction in. It reports false after close.
func (f *inFlight) begin() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return false
	}
	f.n++
	return true
}

func (f *inFlight) end() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.n--
	if f.closed && f.n == 0 {
		close(f.zero)
	}
}

// close rejects new transactions and waits for running ones. It reports whether this call
// was the first.
func (f *inFlight) close() bool {
	f.mu.Lock()
	first := !f.closed
	if first {
		f.closed = true
		f.zero = make(chan struct{})
		if f.n == 0 {
			close(f.zero)
		}
	}
	f.mu.Unlock()
	<-f.zero
	return first
}
