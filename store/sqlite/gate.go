package sqlite

import "sync"

// A gate counts the transactions that run, so that Close can wait for them.
type gate struct {
	mu      sync.Mutex
	running int
	closed  bool
	empty   chan struct{} // closed when the last one leaves a closed gate
}

// enter reports whether the gate is open, and if so counts one in.
func (g *gate) enter() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return false
	}
	g.running++
	return true
}

func (g *gate) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.running--
	if g.closed && g.running == 0 {
		close(g.empty)
	}
}

// close lets nobody in any more and waits for who is inside. It reports
// whether this call was the first.
func (g *gate) close() bool {
	g.mu.Lock()
	first := !g.closed
	if first {
		g.closed = true
		g.empty = make(chan struct{})
		if g.running == 0 {
			close(g.empty)
		}
	}
	g.mu.Unlock()
	<-g.empty
	return first
}
