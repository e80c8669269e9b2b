// Package events delivers what changed, in its order and one event at a time, from a queue
// with a byte limit, so that nobody waits for a slow observer.
package events

import (
	"context"
	"slices"
	"sync"
)

// An Event is a change of an object. O is the type of operations, which are create, update,
// delete and lost, and U is what is known of the user.
type Event[O ~string, U any] struct {
	Entity    string
	ID        string
	Operation O
	User      U
	Detail    any
	Lost      int // number of events that an event with the operation lost replaces
}

// A Queue contains the events that were not delivered yet. One goroutine delivers them; it
// runs only while the queue is not empty.
//
// Beyond the byte limit, waiting events of one object are combined; if that is not enough,
// one event with the operation lost replaces all of them. Make a Queue with [New].
type Queue[O ~string, U any] struct {
	deliver func(Event[O, U])
	limit   int64 // bytes

	mu        sync.Mutex
	waiting   []queued[O, U]
	bytes     int64
	pushed    int64 // number of the newest event
	delivered int64 // number of the event up to which all have been delivered
	running   bool
	flushes   []flush
}

// New returns a queue that passes events to deliver, which must not panic.
func New[O ~string, U any](limit int64, deliver func(Event[O, U])) *Queue[O, U] {
	return &Queue[O, U]{deliver: deliver, limit: limit}
}

// A queued is an event with its number.
type queued[O ~string, U any] struct {
	Event[O, U]
	number int64
}

// A flush waits for the delivery of the events up to a number.
type flush struct {
	number int64
	done   chan struct{}
}

// overhead is the size of an event without its texts, in bytes.
const overhead = 96

func (e *queued[O, U]) size() int64 { return int64(overhead + len(e.Entity) + len(e.ID)) }

// Push adds an event, and starts the delivery when nothing was waiting.
func (q *Queue[O, U]) Push(e Event[O, U]) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.pushed++
	n := queued[O, U]{e, q.pushed}
	q.waiting = append(q.waiting, n)
	if q.bytes += n.size(); q.bytes > q.limit {
		q.shrink()
	}
	if !q.running {
		q.running = true
		go q.run()
	}
}

// shrink combines the events of each object, and replaces all events by one if combining
// frees less than half of the limit. So the queue is not shrunk again for every few
// events.
func (q *Queue[O, U]) shrink() {
	q.waiting = coalesce(q.waiting)
	q.bytes = 0
	lost := 0
	for i := range q.waiting {
		q.bytes += q.waiting[i].size()
		lost += max(1, q.waiting[i].Lost)
	}
	if q.bytes > q.limit/2 {
		q.waiting = []queued[O, U]{{Event[O, U]{Operation: "lost", Lost: lost}, q.pushed}}
		q.bytes = q.waiting[0].size()
	}
}

// coalesce combines the events of each object into one, at the position of the last of
// them and without its detail. An object that was created and then updated counts as
// created.
func coalesce[O ~string, U any](events []queued[O, U]) []queued[O, U] {
	type object struct{ entity, id string }
	last, created, times := map[object]int{}, map[object]bool{}, map[object]int{}
	for i, e := range events {
		o := object{e.Entity, e.ID}
		last[o] = i
		times[o]++
		created[o] = created[o] || e.Operation == "create"
	}
	var merged []queued[O, U]
	for i, e := range events {
		o := object{e.Entity, e.ID}
		if e.Operation != "lost" && last[o] != i {
			continue
		}
		if created[o] && e.Operation == "update" {
			e.Operation = "create"
		}
		if times[o] > 1 {
			e.Detail = nil
		}
		merged = append(merged, e)
	}
	return merged
}

// run delivers events, one after another, until the queue is empty.
func (q *Queue[O, U]) run() {
	for {
		e, ok := q.next()
		if !ok {
			return
		}
		q.deliver(e)
	}
}

// next takes the first event; the one before it has been delivered.
func (q *Queue[O, U]) next() (e Event[O, U], ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.waiting) == 0 {
		q.waiting, q.running = nil, false
		q.reach(q.pushed)
		return e, false
	}
	n := q.waiting[0]
	q.waiting[0] = queued[O, U]{} // the array outlives it
	q.waiting = q.waiting[1:]
	q.bytes -= n.size()
	q.reach(n.number - 1)
	return n.Event, true
}

// reach notes that all events up to a number have been delivered.
func (q *Queue[O, U]) reach(number int64) {
	q.delivered = number
	q.flushes = slices.DeleteFunc(q.flushes, func(f flush) bool {
		if f.number > number {
			return false
		}
		close(f.done)
		return true
	})
}

// Flush waits until all events that are waiting now are delivered, or until ctx ends.
func (q *Queue[O, U]) Flush(ctx context.Context) error {
	q.mu.Lock()
	f := flush{q.pushed, make(chan struct{})}
	delivered := f.number <= q.delivered
	if !delivered {
		q.flushes = append(q.flushes, f)
	}
	q.mu.Unlock()
	if delivered {
		return nil
	}
	select {
	case <-f.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
