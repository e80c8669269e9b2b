package shopapi

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/shopapi/shopapi/field"
	"github.com/shopapi/shopapi/internal/apipath"
	"github.com/shopapi/shopapi/internal/query"
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
	t, err := partsOf(a).registry.Resolve(segments)
	if err != nil {
		return nil, refused(err)
	}
	return &target{Target: t}, nil
}

// segmentsOf returns the segments of an address below the entry point and the version.
func segmentsOf(u *url.URL, query url.Values) ([]string, error) {
	segments, ok := apipath.Segments(u, query)
	if !ok {
		return nil, Errorf(http.StatusNotFound, "There is nothing at this address.")
	}
	rest, ok := apipath.CutVersion(segments)
	if !ok {
		return nil, Errorf(http.StatusNotFound, "Version %s of the interface is not supported. The supported version is %s.", quoted(segments[0]), apipath.Version)
	}
	return rest, nil
}

// admit is the part of the pipeline that looks at address, method, Accept and
// privileges.
func (a *API) admit(p *pipeline, segments []string) (*target, error) {
	t, err := a.resolve(segments)
	if err != nil {
		return nil, cmp.Or(a.refuseID(segments), err)
	}
	if err := t.TakeCodes(apipath.IsParameter(p.Req.URL), p.member.literal()); err != nil {
		return nil, refused(err)
	}
	err = t.choose(p.Req.Method)
	p.done.Route = t.route()
	if err != nil {
		return nil, err
	}
	if p.exported, err = p.Choose(a.exportable(t)); err != nil {
		return nil, refused(err)
	}
	if err := authorize(p.user, t); err != nil {
		return nil, err
	}
	p.condition = preconditionOf(p.Req.Header, t.op)
	if view := t.Entry.Privileges.View; p.condition != nil && !p.user.Can(view) {
		return nil, Forbidden(view)
	}
	return t, nil
}

// choose sets the operation that the method asks for, or fails with 405.
func (t *target) choose(method string) error {
	op, err := t.Choose(method)
	t.op = Operation(op)
	return refused(err)
}

// refuseID returns the 404 for an address that has an id behind an endpoint or an action, such as
// orders/1/history/1. It returns nil for other addresses.
func (a *API) refuseID(segments []string) error {
	if len(segments) < 2 {
		return nil
	}
	before := segments[:len(segments)-1]
	if _, _, ok := partsOf(a).endpoints.Find(before); ok {
		if partsOf(a).endpoints.TakesSegment(before) {
			return nil
		}
	} else if t, err := a.resolve(before); err != nil || t.Action == "" {
		return nil
	}
	return Errorf(http.StatusNotFound, "The address %s takes no id.", quoted(strings.Join(before, "/")))
}

// An Authorizer is an [Entity] that not everyone with its privileges reaches at
// every address, as discussions are closed to vendors but under products (§10).
type Authorizer interface {
	// Authorize is asked at the privilege check, before body and parents are read.
	// It returns nil, or the 403 of the response. Parents are the names
	// of the entities that the address passes through, outermost first.
	Authorize(user *User, op Operation, parents []string) error
}

// authorize checks the privileges of the operation, of reading each parent, and what the
// entity itself asks for (§2, §3).
func authorize(user *User, t *target) error {
	for _, step := range t.Parents {
		if !user.Can(step.Entry.Privileges.View) {
			return Forbidden(step.Entry.Privileges.View)
		}
	}
	if needed := t.Entry.Privileges.privilege(t.op); !user.Can(needed) {
		return Forbidden(needed)
	}
	if t.Entry.authorize == nil {
		return nil
	}
	return t.Entry.authorize.Authorize(user, t.op, t.route().Parents)
}

// readInput reads the body of a write, or the filter of a read.
func (a *API) readInput(ctx context.Context, p *pipeline, t *target, r *Request) (err error) {
	if t.op.takesPayload() {
		if r.Payload, err = p.readPayload(ctx, t); err != nil {
			return err
		}
	}
	if err := checkQuery(p.Query, p.QueryErr); err != nil {
		return err
	}
	r.Filter = query.Filter(p.Query)
	if t.op != OpCreate && t.op != OpAction {
		r.choice = t.Entry.choose(field.ParseFields(r.Filter["fields"]), p.user)
	}
	if err := r.ReadLanguage(); err != nil {
		return err
	}
	if t.op == OpCreate || t.op == OpAction {
		return r.readIdempotencyKey(p.Req.Header, t.Address())
	}
	return nil
}

// A Parent is an object that a nested request passes through, as its Get
// returned it.
type Parent struct {
	Entity string
	ID     string
	Data   any
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

// enterCompany confines ctx to the company of the parent, if the parent is a store or a vendor. A
// vendor or an administrator of one storefront finds no other parent than its own company. In a shop
// with one store, addresses below it reach all objects (decisions §27).
func (a *API) enterCompany(ctx context.Context, parent route.Step[*entry]) (context.Context, error) {
	if parent.Entry.Name != "stores" && parent.Entry.Name != "vendors" {
		return ctx, nil
	}
	object := strings.TrimSuffix(parent.Entry.Name, "s")
	id, err := ParseID(object, parent.ID)
	if err != nil {
		return ctx, err
	}
	if u := UserFrom(ctx); u.IsConfined() && u.CompanyID != id {
		return ctx, NotFound(object, parent.ID)
	}
	if a.opts.Edition == SingleStore && id == a.DefaultCompany() {
		return ctx, nil
	}
	return context.WithValue(ctx, companyKey{}, id), nil
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
