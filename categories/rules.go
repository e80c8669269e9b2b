package categories

import (
	"cmp"
	"context"
	"encoding/json"
	"math"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/internal/tree"
	"github.com/shopapi/shopapi/store"
)

// Limits of texts and documents.
const (
	MaxName        = 255       // characters of a name
	MaxCode        = 255       // bytes of a localization or the name of a view
	MaxMeta        = 4 << 10   // bytes of a title, a warning or a text for search engines
	MaxIDs         = 16 << 10  // bytes of a list of ids
	MaxDescription = 256 << 10 // bytes of a description
	MaxDocument    = 64 << 10  // bytes of selected_views
)

// setDefaults sets the defaults of fields at their zero value.
func (c *Categories) setDefaults(ctx context.Context, category *Category) {
	category.Position = cmp.Or(category.Position, Last)
	category.Status = cmp.Or(category.Status, Active)
	if category.Timestamp == 0 {
		category.Timestamp = c.api.Now(ctx).Unix()
	}
	category.DefaultView = cmp.Or(category.DefaultView, "default")
	category.ProductDetailsView = cmp.Or(category.ProductDetailsView, "default")
	category.ProductColumns = cmp.Or(category.ProductColumns, 1)
}

// keep restores the fields that no update changes.
func keep(after, before *Category, _ *shopapi.Problems) {
	after.ProductCount, after.IDPath, after.TreeOrder = before.ProductCount, before.IDPath, before.TreeOrder
	after.MainPair.Keep(before.MainPair)
}

// normalize brings lists of ids into the form that is read. [check] refuses invalid
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
func derive(_ context.Context, tx store.Tx, before, after *Category) error {
	if before.CategoryID != 0 {
		return nil
	}
	return paths.Place(tx, after)
}

// check adds a problem for everything that is wrong with an object.
func check(ctx context.Context, tx store.Tx, before, after *Category, problems *shopapi.Problems) error {
	after.validate(problems)
	return paths.Check(ctx, tx, before, after, problems)
}

// validate checks the fields of a category by themselves.
func (c *Category) validate(problems *shopapi.Problems) {
	problems.Required("category", c.Name, "the name of the category")
	problems.OneOf("status", c.Status, Active, Disabled, Hidden)
	problems.Range("parent_id", c.ParentID, 0, math.MaxInt64)
	problems.Range("position", c.Position, 0, tree.MaxPosition)
	problems.Range("timestamp", c.Timestamp, 0, math.MaxInt64)
	problems.Range("age_limit", c.AgeLimit, 0, math.MaxInt32)
	problems.Range("parent_age_limit", c.ParentAgeLimit, 0, math.MaxInt32)
	problems.Range("product_columns", c.ProductColumns, 0, math.MaxInt32)
	ids := c.UsergroupIDs
	if err := ids.UnmarshalText([]byte(ids)); err != nil && !problems.Skips("usergroup_ids") {
		problems.Add("usergroup_ids", "%s", err)
	}
	problems.Bytes("selected_views", string(c.SelectedViews), MaxDocument)
	if !problems.Skips("selected_views") && !problems.Has("selected_views") && !json.Valid(c.SelectedViews) {
		problems.Add("selected_views", "must be JSON")
	}
	c.MainPair.Check(problems, "main_pair")
	c.validateLengths(problems)
}

// validateLengths adds a problem for each text that is too long.
func (c *Category) validateLengths(problems *shopapi.Problems) {
	problems.Length("category", c.Name, MaxName)
	problems.Bytes("description", c.Description, MaxDescription)
	problems.Bytes("usergroup_ids", string(c.UsergroupIDs), MaxIDs)
	for _, text := range []struct {
		field, value string
		most         int
	}{
		{"localization", c.Localization, MaxCode},
		{"default_view", c.DefaultView, MaxCode},
		{"product_details_view", c.ProductDetailsView, MaxCode},
		{"meta_keywords", c.MetaKeywords, MaxMeta},
		{"meta_description", c.MetaDescription, MaxMeta},
		{"page_title", c.PageTitle, MaxMeta},
		{"age_warning_message", c.AgeWarningMessage, MaxMeta},
	} {
		problems.Bytes(text.field, text.value, text.most)
	}
}
