package categories

import (
	"context"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/internal/scope"
)

// An entity answers for the categories over the wire (specification, Endpoints,
// categories).
type entity struct{ categories *Categories }

var (
	_ shopapi.Lister  = (*entity)(nil)
	_ shopapi.Getter  = (*entity)(nil)
	_ shopapi.Creator = (*entity)(nil)
	_ shopapi.Updater = (*entity)(nil)
	_ shopapi.Deleter = (*entity)(nil)
)

func (e *entity) Describe() shopapi.Description {
	return shopapi.Description{
		Name:       "categories",
		IDField:    "category_id",
		Parents:    []string{"stores", "vendors"},
		Privileges: shopapi.Privileges{View: "view_catalog", Manage: "manage_catalog"},
		Cacheable:  true,
	}
}

// List answers all categories as a bare array, cut only when a page is asked for;
// in the live dialect it is paged and has an envelope (decisions §4, §7).
func (e *entity) List(ctx context.Context, r *shopapi.Request) (any, error) {
	var f Filter
	page, err := r.BindList(&f, false, "position")
	if err != nil {
		return nil, err
	}
	live := r.API().Dialect() == shopapi.Live
	f.Descending = page.Descending
	if !live && !r.Filter.Has("page") && !r.Filter.Has("items_per_page") {
		list, _, err := e.categories.Find(ctx, f)
		return shopapi.List{Items: list, Bare: true}, err
	}
	f.Limit, f.Offset = page.Limit(), page.Offset()
	list, total, err := e.categories.Find(ctx, f)
	return shopapi.List{Name: "categories", Items: list, Params: page.Params(total), Bare: !live}, err
}

func (e *entity) Get(ctx context.Context, r *shopapi.Request, id string) (any, error) {
	n, err := shopapi.ParseID("category", id)
	if err != nil {
		return nil, err
	}
	return e.categories.Get(ctx, n)
}

func (e *entity) Create(ctx context.Context, r *shopapi.Request) (shopapi.Reply, error) {
	created, err := e.categories.create(ctx, !r.Payload.Has("position"), func(c *Category) error {
		var problems shopapi.Problems
		c.setDefaults(r.API().Now(ctx).Unix())
		scope.Required(ctx, r, &problems)
		problems.Merge(r.Bind(c))
		return problems.Err()
	})
	return shopapi.Reply{ID: shopapi.FormatID(created.CategoryID)}, err
}

func (e *entity) Update(ctx context.Context, r *shopapi.Request, id string) (shopapi.Reply, error) {
	n, err := shopapi.ParseID("category", id)
	if err != nil {
		return shopapi.Reply{}, err
	}
	err = e.categories.Update(ctx, n, func(c *Category) error { return r.Bind(c) })
	return shopapi.Reply{ID: id}, err
}

func (e *entity) Delete(ctx context.Context, r *shopapi.Request, id string) error {
	n, err := shopapi.ParseID("category", id)
	if err != nil {
		return err
	}
	return e.categories.Delete(ctx, n)
}
