package callrequests

import (
	"context"
	"slices"

	"github.com/shopapi/shopapi"
)

// An entity answers for the call requests over the wire (specification,
// Endpoints, call_requests).
type entity struct{ requests *CallRequests }

var (
	_ shopapi.Lister  = (*entity)(nil)
	_ shopapi.Getter  = (*entity)(nil)
	_ shopapi.Creator = (*entity)(nil)
	_ shopapi.Updater = (*entity)(nil)
	_ shopapi.Deleter = (*entity)(nil)
)

func (e *entity) Describe() shopapi.Description {
	return shopapi.Description{
		Name:       "call_requests",
		IDField:    "request_id",
		Privileges: shopapi.Privileges{View: "view_call_requests", Manage: "manage_call_requests"},
		Cacheable:  true,
	}
}

// List answers a page, newest first unless the client says otherwise.
func (e *entity) List(ctx context.Context, r *shopapi.Request) (any, error) {
	var f Filter
	page, err := r.BindList(&f, true, Sorts()...)
	if err != nil {
		return nil, err
	}
	f.SortBy, f.Ascending = page.SortBy, !page.Descending
	f.Limit, f.Offset = page.Limit(), page.Offset()
	list, total, err := e.requests.Find(ctx, f)
	return shopapi.List{Name: "call_requests", Items: list, Params: page.Params(total)}, err
}

func (e *entity) Get(ctx context.Context, r *shopapi.Request, id string) (any, error) {
	n, err := shopapi.ParseID("call request", id)
	if err != nil {
		return nil, err
	}
	return e.requests.Get(ctx, n)
}

// Create files a call request. In the live dialect a status outside the set
// becomes the default (decisions §4).
func (e *entity) Create(ctx context.Context, r *shopapi.Request) (shopapi.Reply, error) {
	created, err := e.requests.create(ctx, func(c *CallRequest) error {
		c.setDefaults(r.API().Now(ctx).Unix())
		err := r.Bind(c)
		if r.API().Dialect() == shopapi.Live && !slices.Contains(statuses, c.Status) {
			c.Status = StatusNew
		}
		return err
	})
	return shopapi.Reply{ID: shopapi.FormatID(created.RequestID)}, err
}

func (e *entity) Update(ctx context.Context, r *shopapi.Request, id string) (shopapi.Reply, error) {
	n, err := shopapi.ParseID("call request", id)
	if err != nil {
		return shopapi.Reply{}, err
	}
	err = e.requests.Update(ctx, n, func(c *CallRequest) error { return r.Bind(c) })
	return shopapi.Reply{ID: id}, err
}

func (e *entity) Delete(ctx context.Context, _ *shopapi.Request, id string) error {
	n, err := shopapi.ParseID("call request", id)
	if err != nil {
		return err
	}
	return e.requests.Delete(ctx, n)
}
