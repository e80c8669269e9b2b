package discussions

import (
	"context"
	"net/http"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/internal/scope"
)

// An entity answers for the discussions over the wire (specification, Endpoints,
// discussions).
type entity struct{ discussions *Discussions }

var (
	_ shopapi.Lister     = (*entity)(nil)
	_ shopapi.Getter     = (*entity)(nil)
	_ shopapi.Creator    = (*entity)(nil)
	_ shopapi.Updater    = (*entity)(nil)
	_ shopapi.Deleter    = (*entity)(nil)
	_ shopapi.Authorizer = (*entity)(nil)
)

func (e *entity) Describe() shopapi.Description {
	return shopapi.Description{
		Name:       "discussions",
		IDField:    "post_id",
		Parents:    []string{"products", "categories", "pages", "orders", "stores", "vendors"},
		Privileges: shopapi.Privileges{View: "view_discussions", Manage: "manage_discussions"},
		Cacheable:  true,
	}
}

// Authorize keeps sellers to the discussions of products (decisions §10).
func (e *entity) Authorize(user *shopapi.User, _ shopapi.Operation, parents []string) error {
	if user.IsVendor() && (len(parents) == 0 || parents[len(parents)-1] != entities[Product]) {
		return shopapi.Errorf(http.StatusForbidden, "Sellers reach discussions only under a product, as in products/<product_id>/discussions.")
	}
	return nil
}

// objectOf is the object that a nested address leads through, which must be the
// user's own. Under a storefront or a vendor the context is confined already
// (decisions §11).
func objectOf(ctx context.Context, r *shopapi.Request) (object, error) {
	parent, nested := r.Parent()
	if !nested || parent.Entity == "stores" || parent.Entity == "vendors" {
		return anywhere, nil
	}
	for kind, entity := range entities {
		if entity != parent.Entity {
			continue
		}
		if !scope.Owns(ctx, parent.Data) {
			return anywhere, shopapi.NotFound("object of "+entity, parent.ID)
		}
		id, err := shopapi.ParseID("object of "+entity, parent.ID)
		return object{kind, id}, err
	}
	return anywhere, shopapi.Errorf(http.StatusNotFound, "There are no discussions about objects of %s.", parent.Entity)
}

// target is objectOf together with the id of the post.
func target(ctx context.Context, r *shopapi.Request, id string) (object, int64, error) {
	o, err := objectOf(ctx, r)
	if err != nil {
		return o, 0, err
	}
	n, err := shopapi.ParseID("post", id)
	return o, n, err
}

func (e *entity) List(ctx context.Context, r *shopapi.Request) (any, error) {
	o, err := objectOf(ctx, r)
	if err != nil {
		return nil, err
	}
	var f Filter
	page, err := r.BindList(&f, true, Sorts()...)
	if err != nil {
		return nil, err
	}
	f.SortBy, f.Ascending = page.SortBy, !page.Descending
	f.Limit, f.Offset = page.Limit(), page.Offset()
	list, total, err := e.discussions.find(ctx, o, f)
	return shopapi.List{Name: "discussions", Items: list, Params: page.Params(total)}, err
}

func (e *entity) Get(ctx context.Context, r *shopapi.Request, id string) (any, error) {
	o, n, err := target(ctx, r, id)
	if err != nil {
		return nil, err
	}
	return e.discussions.get(ctx, o, n)
}

func (e *entity) Create(ctx context.Context, r *shopapi.Request) (shopapi.Reply, error) {
	o, err := objectOf(ctx, r)
	if err != nil {
		return shopapi.Reply{}, err
	}
	created, err := e.discussions.create(ctx, o, func(p *Post) error {
		if r.Remote.IsValid() {
			p.IPAddress = r.Remote.String()
		}
		return r.Bind(p)
	})
	return shopapi.Reply{ID: shopapi.FormatID(created.PostID)}, err
}

func (e *entity) Update(ctx context.Context, r *shopapi.Request, id string) (shopapi.Reply, error) {
	o, n, err := target(ctx, r, id)
	if err != nil {
		return shopapi.Reply{}, err
	}
	err = e.discussions.update(ctx, o, n, func(p *Post) error { return r.Bind(p) })
	return shopapi.Reply{ID: id}, err
}

func (e *entity) Delete(ctx context.Context, r *shopapi.Request, id string) error {
	o, n, err := target(ctx, r, id)
	if err != nil {
		return err
	}
	return e.discussions.delete(ctx, o, n)
}
