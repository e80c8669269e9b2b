package callrequests

import (
	"context"
	"slices"
	"strings"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// CallRequests are the call requests of a store. The methods act for the user of ctx: a
// user confined to a company sees only its requests; without a user, as in the host's
// own code, all are visible.
//
// Create needs a phone number or an e-mail address. By default, a call request is new,
// from now, and of the default company.
//
// Lists sort texts without regard to case; requests without the sorted text come first.
type CallRequests struct {
	resource.Objects[CallRequest]       // Get, Create, CreateAll, Update, Delete, Defaults, Under, BeforeSave, AfterSave, BeforeDelete
	resource.Lists[Filter, CallRequest] // Find, All

	api *shopapi.API
}

// Register creates the missing tables in st and adds the entity to the API.
func Register(ctx context.Context, api *shopapi.API, st store.Store) (_ *CallRequests, err error) {
	c := &CallRequests{api: api}
	rows, err := resource.Register(ctx, api, st, definition(c))
	c.Objects, c.Lists = rows, resource.ListsOf[Filter](rows)
	api.OnErase(eraser(api, st))
	return c, err
}

func definition(c *CallRequests) resource.Definition[CallRequest, CallRequest] {
	return resource.Definition[CallRequest, CallRequest]{
		Name:       "call_requests",
		Object:     "call request",
		Summary:    "Customers who ask to be called back.",
		Privileges: shopapi.Privileges{View: "view_call_requests", Manage: "manage_call_requests"},
		Table:      table,
		Filter:     func() resource.Filter { return new(Filter) },
		Sorts:      sorts,
		Rows:       resource.Rows[CallRequest, CallRequest]{LoadDetails: c.load},
		List: resource.List[CallRequest, CallRequest]{
			Descending: true,
			Select:     c.selectRows,
		},
		Wire: resource.Wire[CallRequest, CallRequest]{Bind: bind},
		Scope: resource.Scope[CallRequest]{
			Company: func(r *CallRequest) *int64 { return &r.CompanyID },
			Parents: resource.Companies[CallRequest](),
		},
		Rules: resource.Rules[CallRequest]{
			Fields: []shopapi.Rule{
				{Field: "phone", Note: "is required, unless email is given"},
				{Field: "email", Note: "is required, unless phone is given"},
			},
			Check: c.check,
		},
	}
}

// bind applies a payload to a call request. In the live dialect an unknown status
// becomes the default on POST (decisions §4). An empty text leaves notes null where they are: a
// form has the same for both, and a PUT of what GET answered changes nothing (decisions §5).
func bind(_ context.Context, r *shopapi.Request, request *CallRequest) error {
	noNotes := request.RequestID != 0 && request.Notes == nil
	err := r.Bind(request)
	if noNotes && request.Notes != nil && *request.Notes == "" {
		request.Notes = nil
	}
	if request.RequestID == 0 && r.API().Dialect() == shopapi.DialectLive && !slices.Contains(statuses, request.Status) {
		request.Status = StatusNew
	}
	return err
}

// check adds the problems of a request. Unchanged links may refer to deleted objects.
func (c *CallRequests) check(ctx context.Context, _ store.Tx, before, after *CallRequest, problems *shopapi.Problems) error {
	after.Email = strings.TrimSpace(after.Email)
	after.validate(problems)
	l := linksOf(c.api)
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
	return nil
}

// load reads the product and the order that one request shows.
func (c *CallRequests) load(ctx context.Context, _ store.Tx, requests ...*CallRequest) error {
	l := linksOf(c.api)
	for _, request := range requests {
		if err := l.fill(ctx, request); err != nil {
			return err
		}
	}
	return nil
}
