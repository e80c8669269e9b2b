package categories

import (
	"cmp"
	"context"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/images"
	"github.com/shopapi/shopapi/internal/tree"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// Categories are the tree of categories in a store. The methods act for the user of ctx:
// a user confined to a company sees only its categories; without a user, as in the
// host's own code, all are visible.
//
// Create puts a category last among its siblings. Update with a new parent or position
// also moves the descendants; their paths are written after the hooks of BeforeSave.
// Delete also deletes the descendants, and returns a 400 if one of them belongs to a
// company that the user may not see. Hooks of BeforeDelete run for each of them.
//
// Find returns categories in the order of the tree: each before its descendants, siblings
// by position, then by id.
type Categories struct {
	resource.Objects[Category]      // Get, Create, CreateAll, Update, Delete, Defaults, Under, BeforeSave, AfterSave, BeforeDelete
	resource.Lists[Filter, Summary] // Find, All

	api *shopapi.API
}

// Register creates the missing table in st and adds the entity to the API.
func Register(ctx context.Context, api *shopapi.API, st store.Store) (*Categories, error) {
	c := &Categories{api: api}
	rows, err := resource.Register(ctx, api, st, definition(c))
	if err != nil {
		return nil, err
	}
	c.Objects, c.Lists = rows, resource.ListsOf[Filter](rows)
	api.BeforeDelete("usergroups", resource.DropUsergroups(api, st, "categories", table, func(v *Category) *shopapi.IDList { return &v.UsergroupIDs }))
	return c, nil
}

func definition(c *Categories) resource.Definition[Category, Summary] {
	return resource.Definition[Category, Summary]{
		Name:       "categories",
		Object:     "category",
		Summary:    "The tree of categories that contain the products.",
		Privileges: shopapi.Privileges{View: "view_catalog", Manage: "manage_catalog"},
		Display:    shopapi.Display{Relations: map[string]string{"parent_id": "categories"}},
		Table:      table,
		Filter:     func() resource.Filter { return new(Filter) },
		Sorts:      []resource.Sort{{Key: "position", Column: "tree_order"}, {Key: "updated_at", Column: "updated_at"}},
		Rows: resource.Rows[Category, Summary]{
			Tables:      []*store.Schema{images.Schema(), images.UploadSchema()},
			Conversions: []store.Conversion{resource.FillStamps(c.api, table, "timestamp")},
			LoadDetails: showImages,
			Write:       c.write,
			Subtree:     paths.Subtree,
			Remove:      paths.Remove,
		},
		List: resource.List[Category, Summary]{
			Items:  summaries,
			Item:   func(c *Category) *Summary { return &c.Summary },
			Select: selectPage,
			Shape:  resource.BareDocumented,
		},
		Wire: resource.Wire[Category, Summary]{
			Bind: bind,
			BeforeTx: images.Storing(c.api, "categories", func(sent *shopapi.Payload) images.Pairs {
				return images.Sent(sent, "main_pair")
			}, func(c *Category) []*images.Pair { return []*images.Pair{&c.MainPair} }),
		},
		Scope: resource.Scope[Category]{
			Company:     func(c *Category) *int64 { return &c.CompanyID },
			NameCompany: true,
			Parents:     resource.Companies[Category](),
		},
		Rules: resource.Rules[Category]{
			Defaults:         func(_ context.Context, c *Category) { c.Position = cmp.Or(c.Position, Last) },
			RestoreImmutable: keep,
			Normalize:        normalize,
			Derive:           derive,
			Check:            c.check,
		},
	}
}

// showImages sets the id of the category on its image.
func showImages(_ context.Context, _ store.Tx, list ...*Category) error {
	for _, c := range list {
		c.MainPair.ShownOn(images.Object{Type: "category", ID: c.CategoryID})
	}
	return nil
}

// write stores a category, an id for a new image, and the paths of the descendants.
func (c *Categories) write(ctx context.Context, tx store.Tx, before, after *Category) error {
	if err := images.AssignIDs(tx, &after.MainPair, nil); err != nil {
		return err
	}
	return paths.Write(ctx, tx, c.api, before, after)
}

// bind applies a payload to a category. A payload cannot set the position [Last].
func bind(_ context.Context, r *shopapi.Request, c *Category) error {
	var problems shopapi.Problems
	problems.Merge(r.Bind(c))
	if c.Position == Last && r.Payload.Has("position") {
		problems.Range("position", c.Position, 0, tree.MaxPosition)
	}
	return problems.Err()
}
