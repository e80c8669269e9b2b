package shopapi

import (
	"context"
	"log/slog"
	"slices"
	"sync"

	"github.com/shopapi/shopapi/store"
)

// An Event is one committed change: an object of an entity was created, updated
// or deleted.
type Event struct {
	Entity    string
	ID        string
	Operation Operation // OpCreate, OpUpdate, OpDelete, or OpLost
	User      *User     // nil when the host's own Go code made the change

	// Detail is what the entity tells of the change beside, such as the statuses of
	// an order before and after: the package of the entity has the type. It is nil
	// for most, and in an event that stands for several changes of one object.
	Detail any

	// Lost is the number of changes that an event with the operation [OpLost]
	// stands for. It names no entity: what the observer holds of any may be old.
	Lost int
}

// OpLost is the operation of the event that an observer gets in place of changes
// for which there was no room in the queue; see [Options.Observer].
const OpLost Operation = "lost"

// Changed reports a change that the transaction of ctx makes: the observer is
// told of it after the commit, and not at all if that does not come. Entities
// whose description says Transactional call it in the function that makes the
// change; outside a transaction the change counts as committed. Of other entities
// the API reports what a request changed, unless they did.
func (a *API) Changed(ctx context.Context, entity string, op Operation, id string) {
	a.ChangedWith(ctx, entity, op, id, nil)
}

// ChangedWith is [API.Changed] with the Detail of the event.
func (a *API) ChangedWith(ctx context.Context, entity string, op Operation, id string, detail any) {
	if slices.Contains(usersEntities, entity) {
		store.AfterCommit(ctx, func() { a.cache.UsersChanged() })
	}
	if a.opts.Observer == nil {
		return
	}
	event := Event{Entity: entity, ID: id, Operation: op, User: UserFrom(ctx), Detail: detail}
	reported, _ := ctx.Value(reportedKey{}).(*bool)
	store.AfterCommit(ctx, func() {
		if reported != nil {
			*reported = true
		}
		a.events.push(event)
	})
}

// Flush waits until the observer has been told of all changes committed before the
// call, or until ctx ends, whose error it then returns. Tests of observers need
// it; [API.Shutdown] does it too.
func (a *API) Flush(ctx context.Context) error { return a.events.flush(ctx) }

// changedByRequest reports what a request changed where the entity did not. What an
// action did is an update of its object.
func (a *API) changedByRequest(ctx context.Context, t *target, reply Reply) {
	if t.op == OpAction {
		a.Changed(ctx, t.entry.Name, OpUpdate, t.id)
		return
	}
	a.Changed(ctx, t.entry.Name, t.op, reply.ID)
}

// withReport returns a context in which changes note that they were reported.
func withReport(ctx context.Context) (context.Context, *bool) {
	reported := new(bool)
	return context.WithValue(ctx, reportedKey{}, reported), reported
}

type reportedKey struct{}

// An eventQueue holds the committed changes that the observer has not been told
// of, in the order of their commits. One goroutine delivers them; it runs only
// while there are any.
//
// The queue has a byte limit. Beyond it waiting events of one object become one,
// and when that is not enough one [OpLost] event stands for all of them.
type eventQueue struct {
	observe func(context.Context, Event)
	logger  *slog.Logger
	limit   int64 // bytes

	mu        sync.Mutex
	waiting   []queuedEvent
	bytes     int64
	pushed    int64 // number of the newest event
	delivered int64 // number of the event up to which all have been delivered
	running   bool
	flushes   []flush
}

// A queuedEvent is an event with its number.
type queuedEvent struct {
	Event
	number int64
}

// A flush waits for the delivery of the events up to a number.
type flush struct {
	number int64
	done   chan struct{}
}

// eventOverhead is what an event takes beside its texts, in bytes.
const eventOverhead = 96

func (e *queuedEvent) size() int64 { return int64(eventOverhead + len(e.Entity) + len(e.ID)) }

// push adds an event, and starts the delivery when nothing was waiting.
func (q *eventQueue) push(e Event) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.pushed++
	queued := queuedEvent{e, q.pushed}
	q.waiting = append(q.waiting, queued)
	if q.bytes += queued.size(); q.bytes > q.limit {
		q.shrink()
	}
	if !q.running {
		q.running = true
		go q.deliver()
	}
}

// shrink makes one event of those of one object, and one of all when that frees
// less than half of the limit: so no event is looked at again and again.
func (q *eventQueue) shrink() {
	q.waiting = coalesce(q.waiting)
	q.bytes = 0
	lost := 0
	for i := range q.waiting {
		q.bytes += q.waiting[i].size()
		lost += max(1, q.waiting[i].Lost)
	}
	if q.bytes > q.limit/2 {
		q.waiting = []queuedEvent{{Event{Operation: OpLost, Lost: lost}, q.pushed}}
		q.bytes = q.waiting[0].size()
	}
}

// coalesce returns the events with those of one object made one, which stands
// where the last of them stood, without its detail. An object that was created and
// then updated counts as created.
func coalesce(events []queuedEvent) []queuedEvent {
	type object struct{ entity, id string }
	last, created, times := map[object]int{}, map[object]bool{}, map[object]int{}
	for i, e := range events {
		o := object{e.Entity, e.ID}
		last[o] = i
		times[o]++
		created[o] = created[o] || e.Operation == OpCreate
	}
	var merged []queuedEvent
	for i, e := range events {
		o := object{e.Entity, e.ID}
		if e.Operation != OpLost && last[o] != i {
			continue
		}
		if created[o] && e.Operation == OpUpdate {
			e.Operation = OpCreate
		}
		if times[o] > 1 {
			e.Detail = nil
		}
		merged = append(merged, e)
	}
	return merged
}

// deliver tells the observer of the events, one after another, until none waits.
func (q *eventQueue) deliver() {
	for {
		e, ok := q.next()
		if !ok {
			return
		}
		q.tell(e)
	}
}

// next takes the first event; the one before it has been delivered.
func (q *eventQueue) next() (Event, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.waiting) == 0 {
		q.waiting, q.running = nil, false
		q.reach(q.pushed)
		return Event{}, false
	}
	e := q.waiting[0]
	q.waiting[0] = queuedEvent{} // the array outlives it
	q.waiting = q.waiting[1:]
	q.bytes -= e.size()
	q.reach(e.number - 1)
	return e.Event, true
}

// reach notes that all events up to a number have been delivered.
func (q *eventQueue) reach(number int64) {
	q.delivered = number
	q.flushes = slices.DeleteFunc(q.flushes, func(f flush) bool {
		if f.number > number {
			return false
		}
		close(f.done)
		return true
	})
}

// tell calls the observer, whose panic goes to the log.
func (q *eventQueue) tell(e Event) {
	ctx := WithUser(context.Background(), e.User)
	defer func() {
		if p := recover(); p != nil {
			q.logger.LogAttrs(ctx, slog.LevelError, "the observer panicked",
				slog.Any("panic", p), slog.String("entity", e.Entity), slog.String("id", e.ID))
		}
	}()
	q.observe(ctx, e)
}

// flush waits until what has been pushed is delivered, or until ctx ends.
func (q *eventQueue) flush(ctx context.Context) error {
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
