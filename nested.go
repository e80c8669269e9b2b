package shopapi

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/shopapi/shopapi/internal/apipath"
	"github.com/shopapi/shopapi/internal/response"
	"github.com/shopapi/shopapi/store"
)

// A target is what a request's address and method name: an operation on an
// entity, possibly under parents.
type target struct {
	entry   *entry
	op      Operation
	id      string // "" for the entity's own address
	code    string // used instead of the id; may be ""
	action  string // of the object; "" for none
	parents []step // outermost first
}

// A step is one parent on the way to the target.
type step struct {
	entry *entry
	id    string
	code  string // used instead of the id; may be ""
}

// A Parent is an object that a nested request passes through, as its Get
// returned it.
type Parent struct {
	Entity string
	ID     string
	Data   any
}

// resolve finds the entity that the segments name. A parent needs an id, a child
// must be declared, and nothing is deeper than two levels below the top (§1, §2).
func (g *registry) resolve(segments []string) (*target, error) {
	if len(segments) == 0 {
		return nil, Errorf(http.StatusNotFound, "The address names no entity.")
	}
	if len(segments) > apipath.MaxSegments {
		return nil, Errorf(http.StatusNotFound, "The address is nested too deep: at most two levels of entities below the first.")
	}
	e, ok := g.top[segments[0]]
	if !ok {
		return nil, Errorf(http.StatusNotFound, "There is no entity named %s.", quoted(segments[0]))
	}
	t := &target{entry: e}
	for i := 1; i < len(segments); i += 2 {
		t.id = segments[i]
		if i+1 == len(segments) {
			break
		}
		child, ok := g.child(t.entry, segments[i+1])
		if !ok {
			if _, ok := t.entry.action(segments[i+1]); ok && i+2 == len(segments) {
				t.action = segments[i+1]
				break
			}
			return nil, Errorf(http.StatusNotFound, "There is no entity named %s under %s.", quoted(segments[i+1]), t.entry.Name)
		}
		t.parents = append(t.parents, step{entry: t.entry, id: t.id})
		t.entry, t.id = child, ""
	}
	return t, nil
}

// methods are the HTTP methods that the target's address has.
func (t *target) methods() []string {
	if t.action != "" {
		return actionMethods
	}
	var methods []string
	add := func(op Operation, names ...string) {
		if t.entry.has(op) {
			methods = append(methods, names...)
		}
	}
	if t.id == "" {
		add(OpList, http.MethodGet, http.MethodHead)
		add(OpCreate, http.MethodPost)
		return methods
	}
	add(OpGet, http.MethodGet, http.MethodHead)
	add(OpUpdate, http.MethodPut)
	add(OpDelete, http.MethodDelete)
	return methods
}

// choose sets the operation that the method asks for, or fails with 405.
func (t *target) choose(method string) error {
	op, ok := t.operation(method)
	if !ok || !t.entry.has(op) {
		return t.notAllowed(t.reason(method, t.methods()))
	}
	t.op = op
	return nil
}

// operation is what a method asks for at this kind of address.
func (t *target) operation(method string) (op Operation, ok bool) {
	switch onObject := t.id != ""; {
	case t.action != "":
		return OpAction, method == http.MethodPost
	case method == http.MethodGet || method == http.MethodHead:
		if onObject {
			return OpGet, true
		}
		return OpList, true
	case method == http.MethodPost && !onObject:
		return OpCreate, true
	case method == http.MethodPut && onObject:
		return OpUpdate, true
	case method == http.MethodDelete && onObject:
		return OpDelete, true
	}
	return "", false
}

func (t *target) reason(method string, methods []string) string {
	switch {
	case t.action != "":
		return "POST carries out the action " + t.action + ". No other method is allowed here."
	case method == http.MethodPost && t.id != "" && t.entry.has(OpCreate):
		return "POST creates an object and takes no id in the address."
	case method == http.MethodPut && t.id == "" && t.entry.has(OpUpdate):
		return "PUT needs the id of the object in the address."
	case method == http.MethodDelete && t.id == "" && t.entry.has(OpDelete):
		return "DELETE needs the id of the object in the address."
	case len(methods) == 0:
		return "No method is allowed here."
	}
	return "The method is not allowed here. Allowed: " + strings.Join(methods, ", ") + "."
}

func (t *target) notAllowed(message string) error {
	return &Error{Status: http.StatusMethodNotAllowed, Message: message, allow: t.methods()}
}

// readParents runs the read operation of each parent, outermost first, and adds the
// results to the request. An error of a parent is the response. The returned context is
// confined to the storefront among the parents, if there is one.
func (t *target) readParents(ctx context.Context, r *Request) (context.Context, error) {
	for _, step := range t.parents {
		read := *r
		read.Payload, read.Filter, read.choice, read.batch, read.lookup = nil, nil, nil, nil, true
		data, err := step.entry.get(ctx, &read, step.id)
		if err != nil {
			return ctx, err
		}
		if ctx, err = r.api.enterCompany(ctx, step); err != nil {
			return ctx, err
		}
		r.Parents = append(slices.Clip(r.Parents), Parent{Entity: step.entry.Name, ID: step.id, Data: data})
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
	if e, _ := a.endpoints.find(segments); e != nil {
		return Route{Endpoint: e.Address}, true
	}
	t, err := a.registry.resolve(segments)
	if err != nil {
		return Route{}, false
	}
	if op, ok := t.operation(req.Method); ok && t.entry.has(op) {
		t.op = op
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
	t, err := a.registry.resolve(segments)
	if err != nil {
		return ErrNotRegistered
	}
	if !t.entry.has(op) {
		return t.notAllowed("The entity " + entity + " does not have the operation " + string(op) + ".")
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
	r := Route{Entity: t.entry.Name, Operation: t.op}
	if t.op == OpAction {
		r.Action = t.action
	}
	if len(t.parents) > 0 {
		r.Parents = make([]string, 0, len(t.parents)) // no room, so that appending copies
	}
	for _, step := range t.parents {
		r.Parents = append(r.Parents, step.entry.Name)
	}
	return r
}

// codePrefix begins a segment of an address that is a code.
const codePrefix = "code:"

// takeCodes finds the codes in the address of t. escaped says that they are still
// percent-encoded, as within the parameter _d. Literal segments are never read as codes.
func (t *target) takeCodes(escaped bool, literal []bool) error {
	for i := range t.parents {
		if 2*i+1 < len(literal) && literal[2*i+1] {
			continue
		}
		if err := t.parents[i].takeCode(escaped); err != nil {
			return err
		}
	}
	if at := 2*len(t.parents) + 1; at < len(literal) && literal[at] {
		return nil
	}
	last := step{entry: t.entry, id: t.id}
	err := last.takeCode(escaped)
	t.id, t.code = last.id, last.code
	return err
}

func (s *step) takeCode(escaped bool) (err error) {
	code, ok := strings.CutPrefix(s.id, codePrefix)
	if !ok || s.entry.idsByCode == nil {
		return nil
	}
	if escaped {
		if code, err = url.PathUnescape(code); err != nil || !isText(code) {
			return s.noSuchCode(s.id)
		}
	}
	if code == "" {
		return s.noSuchCode(code)
	}
	s.code = code
	return nil
}

func (s *step) noSuchCode(code string) error {
	_, err := IDOfCode(s.entry.Name, s.entry.CodeField, code, nil)
	return err
}

// byCode returns the store in which the codes of the address are looked up. ok is false
// for an address without codes.
func (t *target) byCode() (st store.Store, ok bool) {
	for _, step := range t.parents {
		if step.code != "" {
			return step.entry.st, true
		}
	}
	return t.entry.st, t.code != ""
}

// resolved returns the target with the ids of the objects that have its codes. Parents do
// not narrow the search.
func (t *target) resolved(ctx context.Context) (*target, error) {
	r := *t
	r.parents = slices.Clone(t.parents)
	for i := range r.parents {
		if err := r.parents[i].resolve(ctx); err != nil {
			return nil, err
		}
	}
	last := step{t.entry, t.id, t.code}
	err := last.resolve(ctx)
	r.id, r.code = last.id, ""
	return &r, err
}

func (s *step) resolve(ctx context.Context) error {
	if s.code == "" {
		return nil
	}
	ids, err := s.entry.idsByCode(ctx, s.code)
	if err != nil {
		return err
	}
	if s.id, err = IDOfCode(s.entry.Name, s.entry.CodeField, s.code, ids); err != nil {
		return err
	}
	s.code = ""
	return nil
}

// IDOfCode returns the id of the object with a code: the only one of ids. It returns a 404
// where there is none, and a 409 where several objects of the entity have the code.
func IDOfCode(entity, field, code string, ids []string) (string, error) {
	switch len(ids) {
	case 0:
		return "", Errorf(http.StatusNotFound, "No object of %s has the %s %s.", entity, field, quoted(code))
	case 1:
		return ids[0], nil
	}
	more := ""
	if len(ids) > MaxSameCode {
		ids, more = ids[:MaxSameCode], " and others"
	}
	return "", Errorf(http.StatusConflict, "Several objects of %s have the %s %s: %s%s. Name one by its id.", entity, field, quoted(code), strings.Join(ids, ", "), more)
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

// cacheable reports whether the response of a target may be cached.
func (t *target) cacheable() bool {
	if t.op != OpGet && t.op != OpList || !t.entry.Cacheable {
		return false
	}
	for _, step := range t.parents {
		if !step.entry.Cacheable {
			return false
		}
	}
	return true
}
