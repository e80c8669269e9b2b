package shopapi

import (
	"context"
	"log/slog"
	"sync"

	"github.com/shopapi/shopapi/store"
)

// An Event is one committed change: an object of an entity was created, updated
// or deleted.
type Event struct {
	Entity    string
	ID        string
	Operation Operation // OpCreate, OpUpdate or OpDelete
	User      *User     // nil when the host's own Go code made the change
}

// Changed reports a change that the transaction of ctx makes: the observer is
// told of it after the commit, and not at all if that does not come. Entities
// call it in the function that makes the change; outside a transaction the
// observer is told at once. A change that a request makes through an entity
// which does not report it is reported for it.
func (a *API) Changed(ctx context.Context, entity string, op Operation, id string) {
	if a == nil || a.opts.Observer == nil {
		return
	}
	event := Event{Entity: entity, ID: id, Operation: op, User: UserFrom(ctx)}
	reported, _ := ctx.Value(reportedKey{}).(*bool)
	store.AfterCommit(ctx, func() {
		if reported != nil {
			*reported = true
		}
		a.events.push(event)
	})
}

// Deliver tells the observer of the changes that were committed and that it has
// not been told of. The API does so before it answers a request; a host that
// changes objects from Go calls it when it wants the observer to know now.
func (a *API) Deliver(ctx context.Context) {
	if a == nil || a.opts.Observer == nil {
		return
	}
	ctx = context.WithoutCancel(ctx)
	a.events.drain(func(e Event) {
		defer func() {
			if p := recover(); p != nil {
				a.opts.Logger.LogAttrs(ctx, slog.LevelError, "the observer panicked", slog.Any("panic", p), slog.String("entity", e.Entity), slog.String("id", e.ID))
			}
		}()
		a.opts.Observer(WithUser(ctx, e.User), e)
	})
}

// withReport returns a context in which changes note that they were reported.
func withReport(ctx context.Context) (context.Context, *bool) {
	reported := new(bool)
	return context.WithValue(ctx, reportedKey{}, reported), reported
}

type reportedKey struct{}

// Events wait here in the order of their commits.
type events struct {
	mu       sync.Mutex
	waiting  []Event
	draining bool
}

func (q *events) push(e Event) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.waiting = append(q.waiting, e)
}

// drain hands out what waits, and what comes meanwhile. When another goroutine
// is at it already, that one hands out ours too, so that the order holds.
func (q *events) drain(tell func(Event)) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.draining {
		return
	}
	q.draining = true
	defer func() { q.draining = false }()
	for len(q.waiting) > 0 {
		e := q.waiting[0]
		q.waiting = q.waiting[1:]
		func() {
			q.mu.Unlock()
			defer q.mu.Lock()
			tell(e)
		}()
	}
}
