package resource

import (
	"context"
	"slices"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/extensions/bulk"
	"github.com/shopapi/shopapi/store"
)

// Entity implements [Collection].
func (c *collection[T, S]) Entity() Entity { return &entity[T, S]{c} }

// An Entity answers for the objects of a [Collection] over HTTP. A type that answers some
// operations in a way of its own embeds it.
type Entity interface {
	shopapi.Entity
	shopapi.Lister
	shopapi.Getter
	shopapi.Creator
	shopapi.Updater
	shopapi.Deleter
	shopapi.Actor
	shopapi.Authorizer
	shopapi.Owner
	shopapi.Coded
	bulk.Matcher
	bulk.RowMatcher
	bulk.TextRemover
	shopapi.Preparer

	// New returns an object with the values that fields have where a POST leaves them out.
	New(ctx context.Context) any

	// Ready does what precedes the transaction of a POST or, with an id, of a PUT: what the entity
	// prepares, and the check of large payloads. Types around the entity that carry out r in a
	// transaction of their own call it before. Within a transaction it does nothing.
	Ready(ctx context.Context, r *shopapi.Request, id string) error

	// Idempotent runs what carries out a POST, in a transaction: for all requests with the same
	// Idempotency-Key once (decisions §25). Types around the entity have it for actions of
	// their own. As the transaction may run again, so may do.
	Idempotent(ctx context.Context, r *shopapi.Request, do func(ctx context.Context, tx store.Tx) (shopapi.Reply, error)) (shopapi.Reply, error)
}

type entity[T, S any] struct{ c *collection[T, S] }

// New implements [Entity].
func (e *entity[T, S]) New(ctx context.Context) any { return e.c.Defaults(ctx) }

// Describe implements [shopapi.Entity].
func (e *entity[T, S]) Describe() shopapi.Description { return e.c.describe() }

// Authorize implements [shopapi.Authorizer].
func (e *entity[T, S]) Authorize(user *shopapi.User, op shopapi.Operation, parents []string) error {
	if e.c.def.Scope.AuthorizeRequest == nil {
		return nil
	}
	return e.c.def.Scope.AuthorizeRequest(user, op, parents)
}

// List implements [shopapi.Lister].
func (e *entity[T, S]) List(ctx context.Context, r *shopapi.Request) (any, error) {
	at, err := e.c.placeOf(ctx, r)
	if err != nil {
		return nil, err
	}
	d := &e.c.def
	f, page, err := e.c.bindList(ctx, r, &at)
	if err != nil {
		return nil, err
	}
	if b := r.Batch(); b != nil {
		return e.listBatch(ctx, r, f, at, b)
	}
	o := f.list()
	o.SortBy, o.Order = page.SortBy, Ascending
	if page.Descending {
		o.Order = Descending
	}
	shape := d.List.Shape.in(r.API().Dialect())
	paged := shape.isEnveloped() || r.Filter.Has("page") || r.Filter.Has("items_per_page")
	if paged {
		o.Limit, o.Offset = page.Limit(), page.Offset()
	}
	var list []S
	var total int64
	var items any
	if choice := r.Choice(); choice != nil {
		list, items, total, err = e.c.listChosen(ctx, f, at, choice, shape.isKeyed())
	} else {
		list, total, err = e.c.find(withChoice(ctx, nil), f, at)
		items = e.c.answers(ctx, list)
	}
	if err != nil {
		return nil, err
	}
	result := shopapi.List{Name: d.List.Name, Items: items, Bare: !shape.isEnveloped()}
	if shape.isKeyed() {
		result.Items = keyed(d.List.Key, list, result.Items)
	}
	if paged {
		result.Params = page.Params(total)
		if d.List.Params != nil {
			result.ParamsBody = d.List.Params(ctx, f, result.Params)
		}
	}
	return result, nil
}

// bindList reads the parameters of a list; at gets the conditions on custom fields. It
// returns a 400 that names whatever is wrong with them.
func (c *collection[T, S]) bindList(ctx context.Context, r *shopapi.Request, at *place[T]) (f Filter, page shopapi.Page, err error) {
	d := &c.def
	f = d.Filter()
	var problems shopapi.Problems
	if d.Wire.BindFilter == nil {
		problems.Merge(r.BindFilter(f))
	} else {
		problems.Merge(d.Wire.BindFilter(r, f))
	}
	at.custom, err = c.custom.conds(ctx, r)
	problems.Merge(err)
	page, err = r.Page(d.List.Descending, slices.Concat(keysOf(d.Sorts), c.custom.sorts(r.User))...)
	problems.Merge(err)
	return f, page, problems.Err()
}

func (c *collection[T, S]) answers(ctx context.Context, list []S) any {
	if c.def.Wire.EncodeList == nil {
		return list
	}
	return c.def.Wire.EncodeList(ctx, list)
}

func (c *collection[T, S]) answer(ctx context.Context, v *T) any {
	if c.def.Wire.EncodeOne == nil {
		return *v
	}
	return c.def.Wire.EncodeOne(ctx, v)
}

// Get implements [shopapi.Getter].
func (e *entity[T, S]) Get(ctx context.Context, r *shopapi.Request, id string) (any, error) {
	at, n, err := e.locate(ctx, r, id)
	if err != nil {
		return nil, err
	}
	choice := r.Choice()
	if at.parent != nil {
		choice = nil // a parent's objects are found by any of their fields
	}
	ctx = withChoice(ctx, choice)
	reading, err := e.c.readContext(ctx)
	if err != nil {
		return nil, err
	}
	var v *T
	err = e.c.short(reading, func(ctx context.Context, tx store.Tx) (err error) {
		v, err = e.c.read(ctx, tx, n, at)
		return err
	})
	if err != nil {
		return nil, err
	}
	return e.c.answer(ctx, v), nil
}

// Create implements [shopapi.Creator].
func (e *entity[T, S]) Create(ctx context.Context, r *shopapi.Request) (shopapi.Reply, error) {
	at, err := e.c.placeOf(ctx, r)
	if err != nil {
		return shopapi.Reply{}, err
	}
	ctx, wrong := e.c.payloadLanguage(ctx, r)
	within, _ := ctx.Value(onceKey{}).(string)
	once := r.IdempotencyKey() != "" && (within == "" || within != r.Fingerprint())
	if _, done := prepared[T](r); once && !done && e.c.def.Wire.BeforeTx != nil {
		if reply, known, err := answered(ctx, e.c.api, e.c.st, r); known || err != nil {
			return reply, err
		}
	}
	bind, err := e.binding(ctx, r, nil, wrong)
	if err != nil {
		return shopapi.Reply{}, err
	}
	created := new(T)
	fill, refused := e.c.prefilled(ctx, created, bind)
	add := e.c.adding(created, fill, at, false)
	if !once {
		if refused != nil || r.Payload.Size() >= rehearsed {
			if err := e.c.rehearseNew(ctx, bind, at); err != nil {
				return shopapi.Reply{}, err
			}
		}
		if err := e.c.st.Update(e.c.api.Confine(ctx), add); err != nil {
			return shopapi.Reply{}, err
		}
		return e.reply(created), nil
	}
	return idempotent(ctx, e.c.api, e.c.st, r, func(ctx context.Context, tx store.Tx) (shopapi.Reply, error) {
		err := add(ctx, tx)
		return e.reply(created), err
	})
}

// Update implements [shopapi.Updater].
func (e *entity[T, S]) Update(ctx context.Context, r *shopapi.Request, id string) (shopapi.Reply, error) {
	at, n, err := e.locate(ctx, r, id)
	if err != nil {
		return shopapi.Reply{}, err
	}
	ctx, wrong := e.c.payloadLanguage(ctx, r)
	var before *T
	if _, done := prepared[T](r); !done && e.c.def.Wire.BeforeTx != nil {
		if before, err = e.c.changeable(ctx, n, at); err != nil {
			return shopapi.Reply{}, err
		}
	}
	bind, err := e.binding(ctx, r, before, wrong)
	if err != nil {
		return shopapi.Reply{}, err
	}
	if r.Payload.Size() >= rehearsed {
		if err := e.c.rehearse(ctx, n, bind, at); err != nil {
			return shopapi.Reply{}, err
		}
	}
	after, err := e.c.update(ctx, n, bind, at, false)
	if err != nil {
		return shopapi.Reply{}, err
	}
	return e.reply(after), nil
}

// Delete implements [shopapi.Deleter].
func (e *entity[T, S]) Delete(ctx context.Context, r *shopapi.Request, id string) error {
	at, n, err := e.locate(ctx, r, id)
	if err != nil {
		return err
	}
	return e.c.remove(ctx, n, at)
}

// locate reads the id and the parents in an address.
func (e *entity[T, S]) locate(ctx context.Context, r *shopapi.Request, id string) (place[T], int64, error) {
	at, err := e.c.placeOf(ctx, r)
	if err != nil {
		return at, 0, err
	}
	n, err := e.c.IDOf(ctx, id)
	return at, n, err
}

// binding returns the function that applies the payload of a request to an object, and
// the problems found in the payload. What it reads belongs to the transaction of its context:
// a second one would wait for a connection while it has one.
func (e *entity[T, S]) binding(ctx context.Context, r *shopapi.Request, before *T, wrong error) (func(context.Context, *T) error, error) {
	d := &e.c.def
	payload := plain(func(v *T) error { return r.Bind(v) })
	if d.Wire.Bind != nil {
		payload = func(ctx context.Context, v *T) error { return d.Wire.Bind(ctx, r, v) }
	}
	bind := func(ctx context.Context, v *T) error {
		var problems shopapi.Problems
		problems.Merge(wrong)
		if d.Scope.NameCompany && e.c.id(v) == 0 {
			requireCompany(ctx, r, &problems)
		}
		e.c.checkDecimals(&problems, r.Payload)
		problems.Merge(payload(ctx, v))
		problems.Merge(e.c.BindCustom(r, v))
		return problems.Err()
	}
	if d.Wire.BeforeTx == nil {
		return bind, nil
	}
	change, done := prepared[T](r)
	if !done {
		var err error
		if change, err = d.Wire.BeforeTx(ctx, r, before); err != nil {
			return nil, err
		}
	}
	if change == nil {
		return bind, nil
	}
	return func(ctx context.Context, v *T) error {
		var problems shopapi.Problems
		problems.Merge(bind(ctx, v))
		problems.Merge(change(v))
		return problems.Err()
	}, nil
}

func (e *entity[T, S]) reply(v *T) shopapi.Reply {
	reply := shopapi.Reply{ID: e.c.code(v)}
	if e.c.def.Wire.Reply != nil {
		reply.More = e.c.def.Wire.Reply(v)
	}
	return reply
}
