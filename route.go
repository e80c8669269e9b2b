package shopapi

import (
	"context"
	"net/http"
)

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
}

// Match tells the route of a request, in any of the three address forms, before
// it is served and without looking at credentials: for the name of a tracing span,
// say. The request is one that ServeHTTP could be given, so below a prefix
// [http.StripPrefix] comes first. It is false where the response can only be 404 or
// is no entity's.
func (a *API) Match(req *http.Request) (Route, bool) {
	t, err := a.locate(req.URL, req.URL.Query())
	if err != nil {
		return Route{}, false
	}
	if op, ok := t.operation(req.Method); ok && t.entry.has(op) {
		t.op = op
	}
	return t.route(), true
}

// Authorize checks privileges as a request would: whether the user of ctx may
// carry out the operation on the entity, reached through the parents, which are
// entity names, outermost first (§3). Go code calls it before it acts for a user;
// without a user in ctx, see [WithUser], everything is allowed.
//
// The error is the 403 that a request would be answered, that of the entity's own
// [Authorizer] included, the 405 where the entity lacks the operation, and
// [ErrNotRegistered] where there is no such entity under these parents.
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
