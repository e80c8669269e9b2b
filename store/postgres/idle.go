package postgres

import (
	"context"
	"sync"
	"time"
)

// idle contains connections whose View is over and whose transaction has not ended. The
// next transaction ends it in its own first round trip, so that a View of one read costs
// one. A connection that is not used for a moment is ended and returned to the pool.
type idle struct {
	mu    sync.Mutex
	conns []*conn // the one used last is the last
	armed bool    // a sweep is to come

	ending sync.WaitGroup // connections that a sweep gives back
}

const (
	// linger is how long a snapshot may outlive its View.
	linger = 5 * time.Millisecond

	// rotation is how long a connection may stay away from the pool, which limits
	// its age.
	rotation = time.Second

	// endTimeout is how long the end of a View's transaction may take, which
	// no call waits for, before the connection is closed.
	endTimeout = 5 * time.Second
)

// push adds a connection. Nothing may be queued on it.
func (i *idle) push(c *conn) {
	c.since = time.Now()
	i.mu.Lock()
	defer i.mu.Unlock()
	i.conns = append(i.conns, c)
	if !i.armed {
		i.armed = true
		time.AfterFunc(linger, i.sweep)
	}
}

// pop returns the connection used last, nil when there is none.
func (i *idle) pop() *conn {
	i.mu.Lock()
	defer i.mu.Unlock()
	n := len(i.conns)
	if n == 0 {
		return nil
	}
	c := i.conns[n-1]
	i.conns[n-1] = nil
	i.conns = i.conns[:n-1]
	return c
}

// sweep ends the transactions that were not taken over.
func (i *idle) sweep() {
	before := time.Now().Add(-linger)
	i.mu.Lock()
	n := 0
	for n < len(i.conns) && !i.conns[n].since.After(before) {
		i.ending.Go(i.conns[n].finish)
		n++
	}
	left := copy(i.conns, i.conns[n:])
	clear(i.conns[left:])
	i.conns = i.conns[:left]
	i.armed = left > 0
	if i.armed {
		time.AfterFunc(linger, i.sweep)
	}
	i.mu.Unlock()
}

// close ends all of them, and returns when they are back in the pool.
func (i *idle) close() {
	for c := i.pop(); c != nil; c = i.pop() {
		c.finish()
	}
	i.ending.Wait()
}

// finish ends the transaction of a View and gives the connection back.
func (c *conn) finish() {
	ctx, cancel := context.WithTimeout(context.Background(), endTimeout)
	defer cancel()
	c.open(ctx)
	c.send("COMMIT", nil, request{})
	_ = c.roundTrip() // where it fails, the pool closes the connection
	c.shut()
	c.release()
}
