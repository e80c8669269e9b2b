package shopapi

import (
	"context"
	"slices"

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
	if slices.Contains(ofUsers, entity) {
		store.AfterCommit(ctx, func() { a.cache.changes.Add(1) })
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
