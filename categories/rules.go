package categories

import (
	"cmp"
	"context"
	"encoding/json"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// keep restores the fields that no update changes.
func keep(after, before *Category, _ *shopapi.Problems) {
	after.ProductCount, after.IDPath, after.TreeOrder = before.ProductCount, before.IDPath, before.TreeOrder
	after.MainPair.Keep(before.MainPair)
}

// normalize brings lists of ids into the form that is read. [Categories.check] refuses invalid
// ones.
func normalize(c *Category, _ *shopapi.Problems) {
	ids := c.UsergroupIDs
	if ids.UnmarshalText([]byte(ids)) == nil {
		c.UsergroupIDs = cmp.Or(ids, "0")
	}
	if len(c.SelectedViews) == 0 {
		c.SelectedViews = shopapi.JSON("[]")
	}
	c.MainPair.Normalize()
}

// derive gives a new object its position among its siblings.
func derive(_ context.Context, tx store.Tx, before, after *Category, _ *shopapi.Problems) error {
	if before.CategoryID != 0 {
		return nil
	}
	return paths.Place(tx, after)
}

// check adds a problem for everything that is wrong with an object.
func (c *Categories) check(ctx context.Context, tx store.Tx, before, after *Category, problems *shopapi.Problems) error {
	after.validate(problems)
	if err := resource.CheckUsergroups(ctx, c.api, problems, after.UsergroupIDs); err != nil {
		return err
	}
	return paths.Check(ctx, tx, before, after, problems)
}

// validate checks the documents and the image of a category.
func (c *Category) validate(problems *shopapi.Problems) {
	ids := c.UsergroupIDs
	if err := ids.UnmarshalText([]byte(ids)); err != nil && !problems.Skips("usergroup_ids") {
		problems.Add("usergroup_ids", "%s", err)
	}
	if !problems.Skips("selected_views") && !problems.Has("selected_views") && !json.Valid(c.SelectedViews) {
		problems.Add("selected_views", "must be JSON")
	}
	c.MainPair.Check(problems, "main_pair")
}
