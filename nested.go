package shopapi

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/shopapi/shopapi/internal/response"
	"github.com/shopapi/shopapi/internal/route"
	"github.com/shopapi/shopapi/store"
)

// A target is an operation on what a request's address names.
type target struct {
	route.Target[*entry]
	op Operation
}

// resolve finds what the segments of an address name.
func (a *API) resolve(segments []string) (*target, error) {
	t, err := a.registry.Resolve(segments)
	if err != nil {
		return nil, refused(err)
	}
	return &target{Target: t}, nil
}

// A Parent is an object that a nested request passes through, as its Get
// returned it.
type Parent struct {
	Entity string
	ID     string
	Data   any
}

// choose sets the operation that the method asks for, or fails with 405.
func (t *target) choose(method string) error {
	op, err := t.Choose(method)
	t.op = Operation(op)
	return refused(err)
}

// readParents runs the read operation of each parent, outermost first, and adds the
// results to the request. An error of a parent is the response. The returned context is
// confined to the storefront among the parents, if there is one.
func (t *target) readParents(ctx context.Context, r *Request) (context.Context, error) {
	for _, step := range t.Parents {
		read := *r
		read.Payload, read.Filter, read.choice, read.batch, read.lookup = nil, nil, nil, nil, true
		data, err := step.Entry.get.Get(ctx, &read, step.ID)
		if err != nil {
			return ctx, err
		}
		if ctx, err = r.api.enterCompany(ctx, step); err != nil {
			return ctx, err
		}
		r.Parents = append(slices.Clip(r.Parents), Parent{Entity: step.Entry.Name, ID: step.ID, Data: data})
	}
	return ctx, nil
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

// Match returns the route of a request, in any of the three address forms, before it is
// served and without checking credentials: for example, for the name of a tracing span.
// Pass the request as ServeHTTP would get it: below a prefix, apply [http.StripPrefix]
// first. Match returns false if the response can only be 404, or is not an entity's.
func (a *API) Match(req *http.Request) (Route, bool) {
	segments, err := segmentsOf(req.URL, req.URL.Query())
	if err != nil {
		return Route{}, false
	}
	if e, _, ok := a.endpoints.Find(segments); ok {
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

// Authorize checks privileges as a request does: whether the user of ctx may run the
// operation on the entity below the parents, which are entity names, outermost first
// (§3). Go code calls it before it acts for a user; without a user in ctx, see
// [WithUser], everything is allowed.
//
// The error is the 403 of such a request, including errors of the entity's own
// [Authorizer], the 405 if the entity lacks the operation, or [ErrNotRegistered] if there
// is no such entity under these parents.
func (a *API) Authorize(ctx context.Context, entity string, op Operation, parents ...string) error {
	const anyID = "1"
	var segments []string
	for _, parent := range parents {
		segments = append(segments, parent, anyID)
	}
	segments = append(segments, entity)
	if op != OpList && op != OpCreate {
		segments = append(segments, anyID) // an action's privilege is that of its entity
	}
	t, err := a.resolve(segments)
	if err != nil {
		return ErrNotRegistered
	}
	if !t.Entry.has(op) {
		return refused(t.NotAllowed("The entity " + entity + " does not have the operation " + string(op) + "."))
	}
	t.op = op
	user := UserFrom(a.Confine(ctx))
	if user == nil {
		return nil
	}
	return authorize(user, t)
}

// route is what the target is called.
func (t *target) route() Route {
	r := Route{Entity: t.Entry.Name, Operation: t.op, Parents: t.ParentNames()}
	if t.op == OpAction {
		r.Action = t.Action
	}
	return r
}

// byCode returns the store in which the codes of the address are looked up. ok is false
// for an address without codes.
func (t *target) byCode() (st store.Store, ok bool) {
	e, ok := t.ByCode()
	return e.st, ok
}

// resolved returns the target with the ids of the objects that have its codes. Parents do
// not narrow the search.
func (t *target) resolved(ctx context.Context) (*target, error) {
	found, err := t.Found(ctx)
	return &target{found, t.op}, refused(err)
}

// IDOfCode returns the id of the object with a code: the only one of ids. It returns a 404
// where there is none, and a 409 where several objects of the entity have the code.
func IDOfCode(entity, field, code string, ids []string) (string, error) {
	id, err := route.IDOfCode(entity, field, code, ids)
	return id, refused(err)
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
		if prepared != nil && at.ID != id {
			return errMoved
		}
		change := *r
		change.prepared = prepared
		if change.idempotencyKey != "" {
			change.setFingerprint(at.Address())
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
	if t.Entry.prepare == nil || t.op != OpCreate && t.op != OpUpdate {
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
	prepared, err = t.Entry.prepare(ctx, &read, at.ID)
	return prepared, at.ID, err
}

// cacheable reports whether the response of a target may be cached.
func (t *target) cacheable() bool {
	if t.op != OpGet && t.op != OpList || !t.Entry.Cacheable {
		return false
	}
	for _, step := range t.Parents {
		if !step.Entry.Cacheable {
			return false
		}
	}
	return true
}
