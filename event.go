package shopapi

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/shopapi/shopapi/internal/conditional"
	"github.com/shopapi/shopapi/internal/events"
	"github.com/shopapi/shopapi/store"
)

// An Event is one committed change: an object of an entity was created, updated
// or deleted.
type Event struct {
	Entity    string
	ID        string
	Operation Operation // OpCreate, OpUpdate, OpDelete, or OpLost
	User      *User     // nil when the host's own Go code made the change

	// Detail is further data about the change from the entity, such as the former and the
	// new status of an order, of a type in the entity's package. It is nil for most
	// entities, and in an event that combines several changes of one object.
	Detail any

	// Lost is the number of changes that an event with the operation [OpLost] replaces.
	// Such an event names no entity: all data of the observer may be outdated.
	Lost int
}

// OpLost is the operation of the event that an observer gets in place of changes
// for which there was no room in the queue; see [Options.Observer].
const OpLost Operation = "lost"

// A Change is one change of an object as the change log keeps it (E4).
type Change struct {
	Entity    string
	ID        string
	Operation Operation // OpCreate, OpUpdate or OpDelete

	// ParentEntity and ParentID name the parent of an object that has no address without
	// it, such as the user of a membership. They are "" for other objects.
	ParentEntity, ParentID string

	// Fields are the names on the wire of the stored fields that an update changed. nil
	// means that they are not known.
	Fields []string

	// Owner and Former are the owners of the object after and before the change. nil
	// means that the API asks the entity ([Owner]).
	Owner, Former *Ownership

	// Detail is [Event.Detail].
	Detail any
}

// A Recorder keeps changes, in the transactions that make them.
type Recorder interface {
	// Record keeps a change that the transaction of ctx makes. Outside a transaction
	// the change counts as committed.
	Record(ctx context.Context, c Change)
}

// A RecorderAhead is a [Recorder] that reads from its store in each transaction.
type RecorderAhead interface {
	Recorder

	// ReadAhead has it read together with the next read of the transaction of ctx: see
	// [store.ReadWithNext].
	ReadAhead(ctx context.Context, tx store.Tx)
}

// ReadRecorderAhead calls the recorder's ReadAhead, if it has one, in a transaction that is
// going to change something.
func (a *API) ReadRecorderAhead(ctx context.Context, tx store.Tx) {
	if r, ok := a.recorder.(RecorderAhead); ok {
		r.ReadAhead(ctx, tx)
	}
}

// Record has the recorder keep all changes from now on. It is called before the first
// request is served.
func (a *API) Record(r Recorder) { a.recorder = r }

// Records reports whether changes are kept.
func (a *API) Records() bool { return a.recorder != nil }

// RecordEach writes a change of each object to the change log, without events for the
// observer: for changes that follow from changes of other objects. fields are as in
// [API.Changed]. More than [MaxRecorded] objects are one change of all objects of the entity.
func (a *API) RecordEach(ctx context.Context, entity string, op Operation, ids []int64, fields ...string) {
	if a.recorder == nil {
		return
	}
	if len(ids) > MaxRecorded {
		a.recorder.Record(ctx, Change{Entity: entity, ID: "*", Operation: OpUpdate})
		return
	}
	for _, id := range ids {
		a.recorder.Record(ctx, Change{Entity: entity, ID: FormatID(id), Operation: op, Fields: fields})
	}
}

// RecordAll writes one change to the change log that covers all objects of an entity.
func (a *API) RecordAll(ctx context.Context, entity string) {
	if a.recorder != nil {
		a.recorder.Record(ctx, Change{Entity: entity, ID: "*", Operation: OpUpdate})
	}
}

// RecordBelow is [API.RecordEach] for one object without an address of its own, below
// the object with the id parentID.
func (a *API) RecordBelow(ctx context.Context, parent string, parentID int64, entity string, op Operation, id int64, fields ...string) {
	if a.recorder != nil {
		a.recorder.Record(ctx, Change{
			Entity: entity, ID: FormatID(id), ParentEntity: parent, ParentID: FormatID(parentID), Operation: op, Fields: fields,
		})
	}
}

// LogName returns the entity as which the change log has the changes of objects at the
// path (E4), "" if it has none.
func (p *EntityPath) LogName() string {
	reads := p.Offers(OpList) || p.Offers(OpGet)
	writes := p.Offers(OpCreate) || p.Offers(OpUpdate) || p.Offers(OpDelete)
	if !reads || p.OnlyHere && !writes {
		return ""
	}
	return cmp.Or(p.LoggedAs, p.Name)
}

// MaxRecorded is the number of objects of a set that the change log keeps changes of one
// by one: see [API.RecordEach].
const MaxRecorded = 1000

// Changed reports a change that the transaction of ctx makes: it is written to the change
// log, and sent to the observer after the commit, if the transaction commits. Entities
// whose description has Transactional call it in the function that makes the change,
// before they delete the row of a deleted object; outside a transaction the change counts
// as committed. For other entities the API reports the changes of a request, unless they
// did.
//
// fields are the wire names of the fields that an update changed; without any, they count
// as unknown.
func (a *API) Changed(ctx context.Context, entity string, op Operation, id string, fields ...string) {
	a.Report(ctx, Change{Entity: entity, ID: id, Operation: op, Fields: fields})
}

// Report is [API.Changed] with everything that is known of the change.
func (a *API) Report(ctx context.Context, c Change) {
	a.ReportAs(ctx, Event{Entity: c.Entity, ID: c.ID, Operation: c.Operation, Detail: c.Detail}, c)
}

// ReportAs reports an event to the observer, and to the change log the changes that
// made it: of other objects, or none.
func (a *API) ReportAs(ctx context.Context, event Event, changes ...Change) {
	if n, _ := ctx.Value(changesKey{}).(*int); n != nil {
		*n++
	}
	if slices.Contains(usersEntities, event.Entity) {
		store.AfterCommit(ctx, func() { partsOf(a).cache.UsersChanged() })
	}
	if a.recorder != nil {
		for _, c := range changes {
			a.recorder.Record(ctx, c)
		}
	}
	if a.opts.Observer == nil && a.recorder == nil {
		return
	}
	event.User = UserFrom(ctx)
	reported, _ := ctx.Value(reportedKey{}).(*bool)
	store.AfterCommit(ctx, func() {
		if reported != nil {
			*reported = true
		}
		if a.opts.Observer != nil {
			partsOf(a).events.Push(events.Event[Operation, *User](event))
		}
	})
}

// Flush waits until the observer has received all changes committed before the call. If ctx
// ends before that, Flush returns its error. It is for tests of observers; [API.Shutdown]
// does the same.
//
//go:noinline
func (a *API) Flush(ctx context.Context) error { return partsOf(a).events.Flush(ctx) }

// changedByRequest reports the changes of a request, unless the entity did. An action
// counts as an update of its object.
func (a *API) changedByRequest(ctx context.Context, t *target, reply Reply) {
	if t.op == OpAction {
		a.Changed(ctx, t.Entry.Name, OpUpdate, t.ID)
		return
	}
	a.Changed(ctx, t.Entry.Name, t.op, reply.ID)
}

// withReport returns a context in which changes note that they were reported.
func withReport(ctx context.Context) (context.Context, *bool) {
	reported := new(bool)
	return context.WithValue(ctx, reportedKey{}, reported), reported
}

type reportedKey struct{}

// CountChanges returns a context in which reported changes are counted.
func CountChanges(ctx context.Context) (context.Context, *int) {
	n := new(int)
	return context.WithValue(ctx, changesKey{}, n), n
}

type changesKey struct{}

// newEvents returns the queue of the events for the observer. Its panic is logged.
func newEvents(o *Options) *events.Queue[Operation, *User] {
	return events.New(o.Limits.Events, func(e events.Event[Operation, *User]) {
		ctx := WithUser(context.Background(), e.User)
		defer func() {
			if p := recover(); p != nil {
				o.Logger.LogAttrs(ctx, slog.LevelError, "the observer panicked",
					slog.Any("panic", p), slog.String("entity", e.Entity), slog.String("id", e.ID))
			}
		}()
		o.Observer(ctx, Event(e))
	})
}

// VisibleFields returns the names of changed fields that a user may know: without the
// custom fields that need a privilege of their own. It returns fields itself if that is
// all of them.
func (a *API) VisibleFields(user *User, entity string, fields []string) []string {
	hidden := func(name string) bool { // such as x_note@de
		name, _, _ = strings.Cut(name, "@")
		custom := a.customOf(entity)
		i := slices.IndexFunc(custom, func(f CustomField) bool { return f.Name == name })
		return i >= 0 && !canView(user, &custom[i])
	}
	if !slices.ContainsFunc(fields, hidden) {
		return fields
	}
	return slices.DeleteFunc(slices.Clone(fields), hidden)
}

// preconditionOf returns the precondition of a request (§25), nil when it has none.
func preconditionOf(h http.Header, op Operation) *conditional.Change {
	c := conditional.Precondition{Match: h["If-Match"], NoneMatch: h["If-None-Match"]}
	if op != OpUpdate && op != OpDelete && op != OpAction || c.IsZero() {
		return nil
	}
	return &conditional.Change{Precondition: c, Missing: func(err error) bool { return errors.Is(err, ErrNotFound) }}
}

// CheckPreconditions runs the change of a PUT, DELETE or action if the preconditions of
// its request are met, and returns a 412 [*Error] otherwise. An entity whose description
// has Transactional calls it in the transaction of an update, a deletion or an action,
// after it has found the object: the response to GET on the same address is computed in
// that transaction, and the new ETag of a PUT too. Without preconditions, and for Go
// code, it just runs the change. A PUT may create its object: while the object does not
// exist, If-Match fails with 412 and If-None-Match succeeds.
func CheckPreconditions(ctx context.Context, change func() error) error {
	return refused(conditional.Run(ctx, true, change))
}

// withPrecondition returns a context in which a change is subject to the precondition of c.
func (a *API) withPrecondition(ctx context.Context, c call, t *target, r *Request) context.Context {
	read := *r
	read.Payload = nil
	c.condition.ETag = func(ctx context.Context) (string, error) {
		if !t.Entry.has(OpGet) {
			return "", nil
		}
		ctx = WithLanguage(ctx, read.language) // the body may name another
		result, err := t.Entry.get.Get(ctx, &read, t.ID)
		if err != nil {
			return "", err
		}
		resp, err := a.respond(ctx, c, t, &read, result)
		if err != nil {
			return "", err
		}
		return resp.ETag, nil
	}
	return conditional.With(ctx, c.condition)
}

// A Completion is the result of a request, for [Options.Completed]. Fields that were not
// known when the request was refused are empty: a request with wrong credentials has
// no user and no route, a request for an unknown address has no route.
type Completion struct {
	Route

	// User made the request, nil when it was refused before that was known.
	User *User

	// Status is the status of the response, 0 when the connection was cut before
	// there was one.
	Status int

	// Bytes is the number of written bytes of the body.
	Bytes int64

	// Duration runs from the call of ServeHTTP until the response was written.
	Duration time.Duration

	// Cached says that the response came from the response cache.
	Cached bool
}

// complete calls [Options.Completed]. A panic of the callback is logged and not sent.
func (p *pipeline) complete() {
	told := p.api.opts.Completed
	if told == nil {
		return
	}
	p.done.Status, p.done.Bytes, p.done.Duration = p.Status, p.Bytes, time.Since(p.start)
	defer func() {
		if v := recover(); v != nil {
			p.api.opts.Logger.LogAttrs(context.WithoutCancel(p.Req.Context()), slog.LevelError, "Options.Completed panicked",
				slog.Any("panic", v), slog.String("path", short(p.Req.URL.Path)), slog.String("stack", string(debug.Stack())))
		}
	}()
	told(p.Req, p.done)
}

// A Route is what the address and the method of a request name.
type Route struct {
	// Entity is the name of the entity, such as "discussions".
	Entity string

	// Operation is empty when the method is not allowed at the address.
	Operation Operation

	// Action is the name of the action, where the operation is [OpAction].
	Action string

	// Parents are the names of the entities that a nested address passes through,
	// outermost first. They are shared: do not change them.
	Parents []string

	// Endpoint is the [Endpoint.Address] of a request for an endpoint. The other fields
	// are empty then.
	Endpoint string
}

// key returns a text that equal routes of reads have in common, and different ones have not.
func (r *Route) key() string {
	return strings.Join(append([]string{r.Entity, string(r.Operation), r.Endpoint}, r.Parents...), "/")
}

// route is what the target is called.
func (t *target) route() Route {
	r := Route{Entity: t.Entry.Name, Operation: t.op, Parents: t.ParentNames()}
	if t.op == OpAction {
		r.Action = t.Action
	}
	return r
}

// Match returns the route of a request, in any of the three address forms, before it is
// served and without checking credentials: for example, for the name of a tracing span.
// Pass the request as ServeHTTP would get it: below a prefix, apply [http.StripPrefix]
// first. Match returns false if the response can only be 404, or is not an entity's.
func (a *API) Match(req *http.Request) (Route, bool) {
	segments, err := segmentsOf(req.URL, req.URL.Query())
	if err != nil {
		return Route{}, false
	}
	if e, _, ok := partsOf(a).endpoints.Find(segments); ok {
		return Route{Endpoint: e.Address}, true
	}
	t, err := a.resolve(segments)
	if err != nil {
		return Route{}, false
	}
	if op, err := t.Choose(req.Method); err == nil {
		t.op = Operation(op)
	}
	return t.route(), true
}
