package shopapi

import (
	"context"
	"errors"
	"net/http"
	"net/url"

	"github.com/shopapi/shopapi/internal/conditional"
	"github.com/shopapi/shopapi/internal/response"
	"github.com/shopapi/shopapi/store"
)

// A call is what the operation of a request needs of its pipeline, which must not escape
// to the heap.
type call struct {
	format    format
	url       *url.URL
	condition *precondition // nil when there is none
}

// operate carries out the request, below its parents.
func (a *API) operate(ctx context.Context, c call, t *target, r *Request) (*response.Response, error) {
	ctx, err := t.readParents(ctx, r)
	if err != nil {
		return nil, err
	}
	if err := a.applySettings(ctx, t, r); err != nil {
		return nil, err
	}
	return a.run(ctx, c, t, r)
}

// run carries out the entity's operation and encodes its result. Committed changes are
// reported, also if the operation then failed.
func (a *API) run(ctx context.Context, c call, t *target, r *Request) (*response.Response, error) {
	if t.op == OpList || t.op == OpGet {
		return a.read(ctx, c.format, c.url, t, r)
	}
	if c.condition != nil {
		ctx = a.withPrecondition(ctx, c, t, r)
	}
	ctx, reported := withReport(ctx)
	reply, err := t.write(ctx, r)
	if err != nil {
		return nil, err
	}
	if !*reported && !t.entry.Transactional {
		a.changedByRequest(context.WithoutCancel(ctx), t, reply)
	}
	switch t.op {
	case OpCreate, OpAction:
		if reply.Answer != nil {
			return c.format.respond(http.StatusOK, reply.Answer)
		}
		status := http.StatusCreated
		if reply.Existing {
			status = http.StatusOK
		}
		return c.format.respond(status, a.replyBody(t, reply))
	case OpUpdate:
		resp, err := c.format.respond(http.StatusOK, a.replyBody(t, reply))
		if err == nil && c.condition != nil && c.condition.after != "" {
			resp.Add("Etag", c.condition.after)
		}
		return resp, err
	}
	return response.NoContent, nil
}

// read carries out a List or Get and encodes its result in a format, for the
// address u.
func (a *API) read(ctx context.Context, f format, u *url.URL, t *target, r *Request) (*response.Response, error) {
	var result any
	var err error
	if t.op == OpList {
		result, err = t.entry.list(ctx, r)
	} else {
		result, err = t.entry.get(ctx, r, t.id)
	}
	if err != nil {
		return nil, err
	}
	result = r.choice.apply(result)
	list, isList := result.(List)
	if isList {
		result = list.encodable()
	}
	resp, err := a.respondRead(ctx, f, t.op == OpList, result)
	if err != nil {
		return nil, err
	}
	if isList {
		t.entry.addDeprecation(resp, r.Filter)
	}
	if isList && list.Bare && list.Params != nil {
		list.Params.addHeaders(resp, u)
	}
	resp.Tag()
	return resp, nil
}

// write runs a changing operation.
func (t *target) write(ctx context.Context, r *Request) (Reply, error) {
	reply := Reply{ID: t.id}
	change := func() (err error) {
		switch t.op {
		case OpCreate:
			reply, err = t.entry.create(ctx, r)
		case OpUpdate:
			reply, err = t.entry.update(ctx, r, t.id)
		case OpAction:
			reply, err = t.entry.act(ctx, r, t.action, t.id)
		default:
			if err = t.beforeDelete(ctx, r); err == nil {
				err = t.entry.delete(ctx, r, t.id)
			}
		}
		return err
	}
	if t.entry.Transactional {
		err := change()
		return reply, err
	}
	err := whenPreconditionsHold(ctx, false, change)
	return reply, err
}

// A Coded is an entity whose objects addresses also name by a code in place of the id, as
// in products/code:MUG-41 (E2). Its description names the field ([Description.CodeField]).
type Coded interface {
	// IDsByCode returns the ids of the objects with exactly this code that the user of
	// ctx may see, in ascending order. It may leave out ids beyond the first
	// [MaxSameCode]+1.
	IDsByCode(ctx context.Context, code string) ([]string, error)

	// Store is the store of the objects.
	Store() store.Store
}

// MaxSameCode is how many ids the 409 names where several objects have a code.
const MaxSameCode = 10

// A Preparer is an entity whose POST and PUT do something slow before their transaction,
// such as storing images. The API asks it where it begins the transaction itself.
type Preparer interface {
	// Preparation returns the function that does so, nil where there is nothing to do. Its
	// result is [Request.Prepared] in the operation. id is "" for POST.
	Preparation() func(ctx context.Context, r *Request, id string) (any, error)
}

// errMoved says that a code got another object while a request was prepared for it.
var errMoved = Errorf(http.StatusConflict, "The code got another object meanwhile. Send the request again.")

// operateByCode is operate in one transaction with the search for the codes in the
// address, so that another object cannot get a code in between.
func (a *API) operateByCode(ctx context.Context, c call, st store.Store, t *target, r *Request) (resp *response.Response, err error) {
	if t.op == OpList || t.op == OpGet {
		err = st.View(ctx, func(ctx context.Context, _ store.Tx) error {
			at, err := t.resolved(ctx)
			if err == nil {
				read := *r
				resp, err = a.operate(ctx, c, at, &read)
			}
			return err
		})
		return resp, err
	}
	for range 3 {
		resp, err = a.changeByCode(ctx, c, st, t, r)
		if !errors.Is(err, errMoved) {
			break
		}
	}
	return resp, err
}

func (a *API) changeByCode(ctx context.Context, c call, st store.Store, t *target, r *Request) (resp *response.Response, err error) {
	prepared, id, err := a.prepare(ctx, st, t, r)
	if err != nil {
		return nil, err
	}
	err = st.Update(ctx, func(ctx context.Context, _ store.Tx) error {
		at, err := t.resolved(ctx)
		if err != nil {
			return err
		}
		if prepared != nil && at.id != id {
			return errMoved
		}
		change := *r
		change.prepared = prepared
		if change.idempotencyKey != "" {
			change.setFingerprint(at.address())
		}
		resp, err = a.operate(ctx, c, at, &change)
		return err
	})
	if err != nil {
		return nil, err
	}
	return resp, nil
}

// prepare does what the entity does before the transaction of a POST or PUT, and returns
// its result and the id of the object.
func (a *API) prepare(ctx context.Context, st store.Store, t *target, r *Request) (prepared any, id string, err error) {
	if t.entry.prepare == nil || t.op != OpCreate && t.op != OpUpdate {
		return nil, "", nil
	}
	at := t
	err = store.ShortView(ctx, st, func(ctx context.Context, _ store.Tx) (err error) {
		at, err = t.resolved(ctx)
		return err
	})
	if err != nil {
		return nil, "", err
	}
	read := *r
	if ctx, err = at.readParents(ctx, &read); err != nil {
		return nil, "", err
	}
	prepared, err = t.entry.prepare(ctx, &read, at.id)
	return prepared, at.id, err
}

// A precondition is a condition on the state of the object that a PUT, DELETE or action
// changes, by If-Match and If-None-Match (§25, RFC 9110 §13.1).
type precondition struct {
	conditional.Precondition
	etag  func(context.Context) (string, error) // of the response to GET now
	after string                                // the ETag of the changed object
}

type preconditionKey struct{}

// preconditionOf returns the precondition of a request, nil when it has none.
func preconditionOf(h http.Header, op Operation) *precondition {
	c := conditional.Precondition{Match: h["If-Match"], NoneMatch: h["If-None-Match"]}
	if op != OpUpdate && op != OpDelete && op != OpAction || c.IsZero() {
		return nil
	}
	return &precondition{Precondition: c}
}

// CheckPreconditions runs the change of a PUT, DELETE or action if the preconditions of
// its request are met, and returns a 412 [*Error] otherwise. An entity whose description
// has Transactional calls it in the transaction of an update, a deletion or an action,
// after it has found the object: the response to GET on the same address is computed in
// that transaction, and the new ETag of a PUT too. Without preconditions, and for Go
// code, it just runs the change. A PUT may create its object: while the object does not
// exist, If-Match fails with 412 and If-None-Match succeeds.
func CheckPreconditions(ctx context.Context, change func() error) error {
	return whenPreconditionsHold(ctx, true, change)
}

// whenPreconditionsHold is CheckPreconditions. Unless the change may create the object, it returns
// [ErrNotFound] for an object that does not exist.
func whenPreconditionsHold(ctx context.Context, makes bool, change func() error) error {
	p, _ := ctx.Value(preconditionKey{}).(*precondition)
	if p == nil {
		return change()
	}
	// The preconditions do not apply to other objects that the change changes.
	ctx = context.WithValue(ctx, preconditionKey{}, (*precondition)(nil))
	current, err := p.etag(ctx)
	isNew := errors.Is(err, ErrNotFound)
	if err != nil && (!isNew || !makes) {
		return err
	}
	if p.FailsMatch(current, !isNew) {
		return Errorf(http.StatusPreconditionFailed, "The object is not the one that If-Match names. Read it again before changing it.")
	}
	if p.FailsNoneMatch(current, !isNew) {
		return Errorf(http.StatusPreconditionFailed, "The object is one that If-None-Match excludes.")
	}
	if err := change(); err != nil {
		return err
	}
	p.after, err = p.etag(ctx)
	if errors.Is(err, ErrNotFound) { // it was deleted or hidden
		p.after, err = "", nil
	}
	return err
}

// withPrecondition returns a context whose change is subject to the precondition of c.
func (a *API) withPrecondition(ctx context.Context, c call, t *target, r *Request) context.Context {
	read := *r
	read.Payload = nil
	get := *t
	get.op = OpGet
	c.condition.etag = func(ctx context.Context) (string, error) {
		if get.entry.get == nil {
			return "", nil
		}
		ctx = WithLanguage(ctx, read.language) // the body may name another
		resp, err := a.read(ctx, c.format, c.url, &get, &read)
		if err != nil {
			return "", err
		}
		return resp.ETag, nil
	}
	return context.WithValue(ctx, preconditionKey{}, c.condition)
}
