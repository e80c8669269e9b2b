package callrequests

import (
	"context"
	"errors"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/internal/scope"
	"github.com/shopapi/shopapi/store"
)

// CallRequests keeps call requests in a store. Its methods act for the user of
// their context: a seller finds only those of his company, and the host's own
// code, which has no user, all.
type CallRequests struct {
	st  store.Store
	api *shopapi.API
}

// New returns the call requests kept in st, whose table must exist: see
// [Register]. The api gives clock and edition and finds linked objects, and may be
// nil.
func New(st store.Store, api *shopapi.API) *CallRequests {
	return &CallRequests{st: st, api: api}
}

// Register creates the table that is missing in st and adds the entity to the
// API, which may be nil for Go code that serves none.
func Register(ctx context.Context, api *shopapi.API, st store.Store) (*CallRequests, error) {
	if err := st.Migrate(ctx, table.Schema()); err != nil {
		return nil, err
	}
	c := New(st, api)
	if err := api.Register(&entity{c}); err != nil {
		return nil, err
	}
	return c, nil
}

// Get returns one call request. It returns a 404 [*shopapi.Error] when there is
// none that the user may see.
func (c *CallRequests) Get(ctx context.Context, id int64) (request CallRequest, err error) {
	err = c.st.View(ctx, func(ctx context.Context, tx store.Tx) error {
		if request, err = get(ctx, tx, id); err != nil {
			return err
		}
		return linksOf(c.api).fill(ctx, &request)
	})
	return request, err
}

func get(ctx context.Context, tx store.Tx, id int64) (CallRequest, error) {
	request, err := table.Get(tx, id)
	if errors.Is(err, store.ErrNotFound) || err == nil && !scope.Sees(ctx, request.CompanyID) {
		return CallRequest{}, shopapi.NotFound("call request", shopapi.FormatID(id))
	}
	return request, err
}

// Create files a call request and returns it as stored. Fields at their zero
// value get their defaults: new, now, of the default company. It returns a 400
// [*shopapi.Error] that names the fields at fault: neither phone nor email, or a
// linked object that does not exist.
func (c *CallRequests) Create(ctx context.Context, request CallRequest) (CallRequest, error) {
	return c.create(ctx, func(created *CallRequest) error {
		*created = request
		created.setDefaults(c.api.Now(ctx).Unix())
		return nil
	})
}

// create files the call request that fill makes of an empty one.
func (c *CallRequests) create(ctx context.Context, fill func(*CallRequest) error) (created CallRequest, err error) {
	err = c.st.Update(ctx, func(ctx context.Context, tx store.Tx) error {
		created = CallRequest{}
		var problems shopapi.Problems
		problems.Merge(fill(&created))
		created.RequestID = 0
		l := linksOf(c.api)
		if err := check(ctx, l, &CallRequest{}, &created, &problems); err != nil {
			return err
		}
		if err := table.Insert(tx, &created); err != nil {
			return err
		}
		c.api.Changed(ctx, "call_requests", shopapi.OpCreate, shopapi.FormatID(created.RequestID))
		return l.fill(ctx, &created)
	})
	return created, err
}

// Update has change alter the call request with the id, and stores it. It returns
// a 404 or, as [CallRequests.Create] does, a 400 [*shopapi.Error], or the error of
// change; then nothing is changed.
func (c *CallRequests) Update(ctx context.Context, id int64, change func(*CallRequest) error) error {
	return c.st.Update(ctx, func(ctx context.Context, tx store.Tx) error {
		before, err := get(ctx, tx, id)
		if err != nil {
			return err
		}
		l := linksOf(c.api)
		if err := l.fill(ctx, &before); err != nil {
			return err
		}
		after := before
		var problems shopapi.Problems
		problems.Merge(change(&after))
		after.RequestID = id
		if err := check(ctx, l, &before, &after, &problems); err != nil {
			return err
		}
		c.api.Changed(ctx, "call_requests", shopapi.OpUpdate, shopapi.FormatID(id))
		return table.Update(tx, &after)
	})
}

// check settles the company of a request, and returns a 400 that names what is
// wrong with it, the problems noted already among it. References that it had
// before may have lost their object since.
func check(ctx context.Context, l *links, before, after *CallRequest, problems *shopapi.Problems) error {
	if err := scope.Settle(ctx, l.api, problems, before.CompanyID, &after.CompanyID); err != nil {
		return err
	}
	after.validate(problems)
	for _, r := range []struct {
		field    string
		kind     *kind
		had, has int64
	}{
		{"user_id", anOfficer, before.UserID, after.UserID},
		{"order_id", anOrder, before.OrderID, after.OrderID},
		{"product_id", aProduct, before.ProductID, after.ProductID},
	} {
		if r.has == r.had {
			continue
		}
		if err := l.check(ctx, problems, r.field, r.kind, r.has); err != nil {
			return err
		}
	}
	return problems.Err()
}

// Delete removes a call request. It returns a 404 [*shopapi.Error] when there is
// none that the user may see.
func (c *CallRequests) Delete(ctx context.Context, id int64) error {
	return c.st.Update(ctx, func(ctx context.Context, tx store.Tx) error {
		if _, err := get(ctx, tx, id); err != nil {
			return err
		}
		c.api.Changed(ctx, "call_requests", shopapi.OpDelete, shopapi.FormatID(id))
		return table.DeleteKey(tx, id)
	})
}
