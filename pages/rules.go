package pages

import (
	"cmp"
	"context"
	"math"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/internal/tree"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// bind applies a payload to a page. A payload cannot set the position [Last]. The
// timestamp is the creation time unless an update sets it.
func bind(_ context.Context, r *shopapi.Request, p *Page) error {
	var problems shopapi.Problems
	created := p.Timestamp
	problems.Merge(r.Bind(p))
	if p.PageID == 0 {
		problems.Range("timestamp", p.Timestamp, 0, math.MaxInt64)
		p.Timestamp = created
	}
	if p.Position == Last && r.Payload.Has("position") {
		problems.Range("position", p.Position, 0, tree.MaxPosition)
	}
	return problems.Err()
}

// keep restores the fields that no update changes.
func keep(after, before *Page, problems *shopapi.Problems) {
	after.IDPath, after.TreeOrder = before.IDPath, before.TreeOrder
	if before.PageID != 0 {
		if after.Type != before.Type {
			problems.OneOf("page_type", after.Type, Text, Link, Form, Post)
		}
		after.Type = before.Type
	}
}

// normalize brings a list of ids into the form that is read, and clears link and
// new_window of pages that are not links. Wrong values are refused there too.
func normalize(p *Page, problems *shopapi.Problems) {
	resource.NormalizeIDs(problems, "usergroup_ids", &p.UsergroupIDs)
	p.UsergroupIDs = cmp.Or(p.UsergroupIDs, "0")
	if p.Type != Link {
		problems.Bytes("link", p.Link, maxLink)
		problems.Range("new_window", p.NewWindow, 0, 1)
		p.Link, p.NewWindow = "", 0
	}
}

// derive gives a new object its position among its siblings.
func derive(_ context.Context, tx store.Tx, before, after *Page, _ *shopapi.Problems) error {
	if before.PageID != 0 {
		return nil
	}
	return paths.Place(tx, after)
}

// check adds a problem for everything that is wrong with an object.
func (p *Pages) check(ctx context.Context, tx store.Tx, before, after *Page, problems *shopapi.Problems) error {
	if err := resource.CheckUsergroups(ctx, p.api, problems, after.UsergroupIDs); err != nil {
		return err
	}
	return paths.Check(ctx, tx, before, after, problems)
}
