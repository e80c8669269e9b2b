package shopapi

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"slices"
)

// An Action is a change of one object that has a name of its own. It is the last
// segment of an address: POST /product_variations/5/generate_product_variations. Like
// other changes it needs the privilege Manage; its payload may be empty (§4), and it
// is answered 201. Other methods at its address are 405.
//
// A child of the entity under the same name is found by [API.Check]: the address
// would mean both.
type Action struct {
	Name    string // as in addresses: a-z, 0-9 and _
	Summary string // a sentence, for the OpenAPI document

	// Payload is the type that the payload is bound to, nil when there is none or it
	// is not known.
	Payload reflect.Type
}

// An Actor carries out the [Description.Actions] of an entity.
type Actor interface {
	// Act carries out an action on the object with the id, and returns after it is
	// committed. The answer is the id of the reply, where it has one, and its further
	// fields. It returns [ErrNotFound] for an object that does not exist.
	Act(ctx context.Context, r *Request, action, id string) (Reply, error)
}

// OpAction is the operation of a request for an action; [Route.Action] says which
// one.
const OpAction Operation = "action"

// action returns the entity's action of that name.
func (e *entry) action(name string) (Action, bool) {
	i := slices.IndexFunc(e.Actions, func(a Action) bool { return a.Name == name })
	if i < 0 {
		return Action{}, false
	}
	return e.Actions[i], true
}

// checkActions finds what would only show at a request for an action.
func (e *entry) checkActions() error {
	if len(e.Actions) > 0 && e.act == nil {
		return fmt.Errorf("shopapi: entity %s describes actions but is no Actor", e.Name)
	}
	seen := map[string]bool{}
	for _, a := range e.Actions {
		if !isSegment(a.Name) || seen[a.Name] {
			return fmt.Errorf("shopapi: entity %s has the action %q, which is no name for an address or stands there twice", e.Name, a.Name)
		}
		seen[a.Name] = true
	}
	return nil
}

// checkActions finds actions and children of one name.
func (g *registry) checkActions() error {
	var errs []error
	check := func(e *entry) {
		for _, a := range e.Actions {
			if _, ok := g.child(e, a.Name); ok {
				errs = append(errs, fmt.Errorf("shopapi: %s under %s is both an action and an entity", a.Name, e.Name))
			}
		}
	}
	for _, e := range g.top {
		check(e)
	}
	for _, e := range g.under {
		check(e)
	}
	slices.SortFunc(errs, func(a, b error) int { return cmp.Compare(a.Error(), b.Error()) })
	return errors.Join(errs...)
}

// takesPayload reports whether requests for the operation have a body.
func (op Operation) takesPayload() bool {
	return op == OpCreate || op == OpUpdate || op == OpAction
}

// actionMethods are the HTTP methods at the address of an action.
var actionMethods = []string{http.MethodPost}
