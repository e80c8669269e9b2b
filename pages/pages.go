package pages

import (
	"cmp"
	"context"
	"iter"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// Pages are the pages of a store. The methods act for the user of ctx: a user confined
// to a company sees only its pages; without a user, as in the host's own code, all are
// visible.
//
// Update with a new parent or position also moves the descendants. Delete also deletes
// them, and returns a 400 if one of them belongs to a company that the user may not see.
type Pages struct {
	resource.Objects[Page] // Get, Create, CreateAll, Update, Delete, Defaults, Under, BeforeSave, AfterSave, BeforeDelete

	api  *shopapi.API
	rows resource.Collection[Page, Item]
}

// Register creates the missing table in st and adds the entity to the API.
func Register(ctx context.Context, api *shopapi.API, st store.Store) (_ *Pages, err error) {
	p := &Pages{api: api}
	p.rows, err = resource.Register(ctx, api, st, definition(p))
	if err != nil {
		return nil, err
	}
	p.Objects = p.rows
	api.BeforeDelete("usergroups", resource.DropUsergroups(api, st, "pages", table, func(v *Page) *shopapi.IDList { return &v.UsergroupIDs }))
	return p, nil
}

// Find returns the matching pages, and their number without limit and offset. It returns
// a 400 [*shopapi.Error] for an unknown status, type or sort key.
func (p *Pages) Find(ctx context.Context, f Filter) ([]Item, int64, error) {
	return p.rows.Find(ctx, &f)
}

// All iterates over the matching pages, by id, in constant memory: see
// [resource.Collection.All].
func (p *Pages) All(ctx context.Context, f Filter) iter.Seq2[Item, error] {
	f.Tree = ""
	return p.rows.All(ctx, &f)
}

func definition(p *Pages) resource.Definition[Page, Item] {
	return resource.Definition[Page, Item]{
		Name:       "pages",
		Object:     "page",
		Summary:    "The texts of a shop, such as terms of delivery, and links, in a tree.",
		Privileges: shopapi.Privileges{View: "view_pages", Manage: "manage_pages"},
		Display:    shopapi.Display{Relations: map[string]string{"parent_id": "pages"}},
		Table:      table,
		Filter:     func() resource.Filter { return new(Filter) },
		Sorts: []resource.Sort{
			{Key: "position", Column: "position"},
			{Key: "name", Column: "page"},
			{Key: "timestamp", Column: "timestamp"},
			{Key: "updated_at", Column: "updated_at"},
			{Key: "type", Column: "page_type"},
			{Key: "multi_level", Column: "tree_order"},
			{Key: "id", Column: "page_id"},
		},
		Rows: resource.Rows[Page, Item]{
			Conversions: []store.Conversion{resource.FillStamps(p.api, table, "timestamp")},
			Write: func(ctx context.Context, tx store.Tx, before, after *Page) error {
				return paths.Write(ctx, tx, p.api, before, after)
			},
			Subtree: paths.Subtree,
			Remove:  paths.Remove,
		},
		List: resource.List[Page, Item]{
			Items:     items,
			Item:      func(p *Page) *Item { return &Item{Page: *p} },
			Select:    selectItems,
			BuildTree: arrange,
		},
		Wire: resource.Wire[Page, Item]{Bind: bind},
		Scope: resource.Scope[Page]{
			Company:        func(p *Page) *int64 { return &p.CompanyID },
			VendorReadable: true,
			Parents:        resource.Companies[Page](),
		},
		Rules: resource.Rules[Page]{
			Defaults:         func(_ context.Context, v *Page) { v.Position = cmp.Or(v.Position, Last) },
			RestoreImmutable: keep,
			Normalize:        normalize,
			Derive:           derive,
			Check:            p.check,
		},
	}
}
