package resource

import (
	"context"
	"net/http"
	"reflect"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/store"
)

// An Action is a change of one object that has a name of its own, as in POST
// /product_variations/5/detach_product_variation ([shopapi.Action]). It needs the
// privilege Manage, and gets a 201.
type Action[T any] struct {
	Name    string // as in addresses
	Summary string // a sentence, for the OpenAPI document

	// Payload is the type that Run binds the payload to ([shopapi.Request.Bind]), nil
	// when it looks at none. The payload may be empty.
	Payload reflect.Type

	// Run carries out the action in a transaction on the current object, which the user
	// of ctx may see and [Scope.Authorize] allows to change ([shopapi.OpAction]). It
	// returns the response: More without the id, which is added unless WithoutID is set, and
	// Existing if it made nothing. Run stores and reports its changes itself, with a
	// collection or [shopapi.API.Changed]; an error rolls them back. As the transaction may
	// run again, so may Run.
	Run func(ctx context.Context, tx store.Tx, r *shopapi.Request, v *T) (shopapi.Reply, error)

	// WithoutID leaves the id out of the response.
	WithoutID bool

	// Answer is the type of the response, with the id, for the OpenAPI document. It is nil
	// when it is not known.
	Answer reflect.Type

	// MayExist is [shopapi.Action.MayExist].
	MayExist bool
}

// action returns the action of a name.
func (d *Definition[T, S]) action(name string) (*Action[T], bool) {
	for i := range d.Actions {
		if d.Actions[i].Name == name {
			return &d.Actions[i], true
		}
	}
	return nil, false
}

func (d *Definition[T, S]) describeActions() (list []shopapi.Action) {
	for _, a := range d.Actions {
		list = append(list, shopapi.Action{Name: a.Name, Summary: a.Summary, Payload: a.Payload, Answer: a.Answer, MayExist: a.MayExist})
	}
	return list
}

// Act implements [shopapi.Actor].
func (e *entity[T, S]) Act(ctx context.Context, r *shopapi.Request, action, id string) (reply shopapi.Reply, err error) {
	a, ok := e.c.def.action(action)
	if !ok { // an entity around this one describes more
		return reply, shopapi.Errorf(http.StatusNotFound, "There is no action named %s.", action)
	}
	at, n, err := e.locate(ctx, r, id)
	if err != nil {
		return reply, err
	}
	return e.Idempotent(ctx, r, func(ctx context.Context, tx store.Tx) (shopapi.Reply, error) {
		return e.c.act(ctx, tx, r, a, n, at)
	})
}

// Idempotent implements [Entity].
func (e *entity[T, S]) Idempotent(ctx context.Context, r *shopapi.Request, do func(ctx context.Context, tx store.Tx) (shopapi.Reply, error)) (reply shopapi.Reply, err error) {
	if r.IdempotencyKey() != "" {
		return idempotent(ctx, e.c.api, e.c.st, r, do)
	}
	err = e.c.st.Update(ctx, func(ctx context.Context, tx store.Tx) error {
		reply, err = do(ctx, tx)
		return err
	})
	return orNone(reply, err)
}

// act carries out an action on the object with the id, in a transaction.
func (c *collection[T, S]) act(ctx context.Context, tx store.Tx, r *shopapi.Request, a *Action[T], id int64, at place[T]) (reply shopapi.Reply, err error) {
	v, err := c.read(ctx, tx, id, at)
	if err != nil {
		return reply, err
	}
	if err := c.authorize(ctx, tx, shopapi.OpAction, v); err != nil {
		return reply, err
	}
	err = shopapi.CheckPreconditions(ctx, func() (err error) {
		reply, err = a.Run(ctx, tx, r, v)
		return err
	})
	if err != nil {
		return shopapi.Reply{}, err
	}
	if !a.WithoutID {
		reply.ID = shopapi.FormatID(id)
	}
	return reply, nil
}
