package discussions

import (
	"context"
	"net/http"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// Discussions are the posts and threads of a store. The methods act for the user of ctx:
// a user confined to a company sees only the posts about its objects; without a user, as
// in the host's own code, all are visible.
//
// Create puts a post into the thread that it names, or into the thread of its object,
// which it creates if it does not exist. The user of a post is the user of ctx; without
// one, the host's own code may set UserID and IPAddress to the customer's. Update does not
// change the user, address and company, and refuses another object or thread. Delete
// leaves the thread. Hooks of BeforeDelete run when a post is deleted alone, without its
// object. Defaults leaves out the address of the client.
type Discussions struct {
	resource.Objects[Post]       // Get, Create, CreateAll, Update, Delete, Defaults, Under, BeforeSave, AfterSave, BeforeDelete
	resource.Lists[Filter, Post] // Find, All

	api  *shopapi.API
	st   store.Store
	rows resource.Collection[Post, Post]
}

// Register creates the missing tables in st and adds the entity to the API. The posts
// about a product, category, page or order are deleted with it, also if the host
// registered that entity, and move with it to another company.
func Register(ctx context.Context, api *shopapi.API, st store.Store) (_ *Discussions, err error) {
	d := &Discussions{api: api, st: st}
	if d.rows, err = resource.Register(ctx, api, st, definition(d)); err != nil {
		return nil, err
	}
	d.Objects = d.rows
	d.Lists = resource.ListsOf[Filter](d.rows)
	api.OnErase(d.erase)
	for kind, entity := range entities {
		api.BeforeDelete(entity, func(ctx context.Context, ids []int64) error {
			return d.deleteAbout(ctx, kind, ids)
		})
		api.AfterMove(entity, func(ctx context.Context, id, company int64) error {
			return d.moveAbout(ctx, object{kind, id}, company)
		})
	}
	return d, nil
}

func definition(d *Discussions) resource.Definition[Post, Post] {
	return resource.Definition[Post, Post]{
		Name:       "discussions",
		Object:     "post",
		Summary:    "Comments and reviews of products, categories, pages, orders and the home page.",
		Privileges: shopapi.Privileges{View: "view_discussions", Manage: "manage_discussions"},
		Display:    shopapi.Display{Label: "name", Columns: []string{"post_id", "name", "message", "rating_value", "status", "timestamp"}},
		Table:      posts,
		Filter:     func() resource.Filter { return new(Filter) },
		Sorts:      sorts,
		Rows: resource.Rows[Post, Post]{
			Tables:      []*store.Schema{threads.Schema()},
			Conversions: []store.Conversion{resource.FillStamps(d.api, posts, "timestamp")},
		},
		List: resource.List[Post, Post]{Descending: true},
		Wire: resource.Wire[Post, Post]{Bind: d.bind, Body: body{}, BindFilter: bindFilter},
		Scope: resource.Scope[Post]{
			Company:          func(p *Post) *int64 { return &p.CompanyID },
			Parents:          parents(),
			AuthorizeRequest: authorize,
			About: func(p *Post) (string, int64) {
				if entity := entities[p.ObjectType]; d.api.Registered(entity) {
					return entity, p.ObjectID
				}
				return "", 0
			},
		},
		Rules: resource.Rules[Post]{
			Fields: []shopapi.Rule{
				{Field: "object_type", Note: "is required, with object_id, where there is neither thread_id nor reply_to"},
				{Field: "reply_to", Note: "makes a new post the shop's reply to a post: in its thread, approved, without a rating, under the name of the company"},
			},
			Defaults:         d.setDefaults,
			RestoreImmutable: keep,
			Check:            d.check,
		},
	}
}

// authorize refuses vendors all discussions except below products, and the list of those of
// their products (decisions §10, extensions E12).
func authorize(user *shopapi.User, op shopapi.Operation, parents []string) error {
	if !user.IsVendor() || op == shopapi.OpList && len(parents) == 0 || len(parents) > 0 && parents[len(parents)-1] == entities[Product] {
		return nil
	}
	return errForVendors
}

var errForVendors = shopapi.Errorf(http.StatusForbidden,
	"Vendors reach discussions only under a product, as in products/<product_id>/discussions, and list them with object_type=P.")

// bindFilter reads the parameters of a list. A vendor has to ask for reviews of products.
func bindFilter(r *shopapi.Request, f resource.Filter) error {
	if err := r.BindFilter(f); err != nil {
		return err
	}
	if r.User.IsVendor() && len(r.Parents) == 0 && f.(*Filter).ObjectType != Product {
		return errForVendors
	}
	return nil
}

// A body has the members of payloads that are not fields of posts.
type body struct {
	ReplyTo int64 `json:"reply_to"` // the post that a new one replies to
}

// bind applies a payload to a post. A new post gets the address of the client, and
// fields sent empty get their defaults. In a change reply_to has no effect.
func (d *Discussions) bind(ctx context.Context, r *shopapi.Request, p *Post) error {
	var problems shopapi.Problems
	var reply body
	problems.Merge(r.Bind(&reply))
	problems.Merge(r.Bind(p))
	if p.PostID != 0 {
		return problems.Err()
	}
	p.ReplyTo = reply.ReplyTo
	if r.Remote.IsValid() {
		p.IPAddress = r.Remote.String()
	}
	d.setDefaults(ctx, p)
	return problems.Err()
}

// check adds the problems of a post, and adds a new one to its thread.
func (d *Discussions) check(ctx context.Context, tx store.Tx, before, after *Post, problems *shopapi.Problems) error {
	after.validate(problems)
	if before.PostID != 0 {
		return nil
	}
	if o := after.object(); o != (object{}) && !o.validate(problems) {
		return nil
	}
	if after.ReplyTo != 0 {
		if err := d.reply(ctx, tx, after, problems); err != nil || problems.Has("reply_to") {
			return err
		}
	}
	thread, err := d.threadFor(ctx, tx, after, problems)
	if err == nil && thread.ThreadID != 0 {
		after.join(&thread)
	}
	return err
}

// maxDeleted is how many posts go with the object that they are about.
const maxDeleted = 3_000

// deleteAbout removes the threads and posts of deleted objects. The observer gets events
// only for the objects.
func (d *Discussions) deleteAbout(ctx context.Context, kind string, ids []int64) error {
	return d.st.Update(ctx, func(ctx context.Context, tx store.Tx) error {
		about := []store.Cond{
			store.Equal("object_type", store.String(kind)),
			store.InInts("object_id", ids...),
		}
		n, err := posts.Count(tx, about...)
		if err == nil {
			err = resource.CheckDependents(ctx, n, maxDeleted, "discussions")
		}
		if err != nil {
			return err
		}
		if err := resource.RecordDeletes(ctx, tx, d.api, "discussions", posts, about...); err != nil {
			return err
		}
		if _, err := posts.Delete(tx, about...); err != nil {
			return err
		}
		_, err = threads.Delete(tx, about...)
		return err
	})
}

// moveAbout gives the thread and the posts of an object the company that the object moved to.
// The observer gets an event only for the object.
func (d *Discussions) moveAbout(ctx context.Context, o object, company int64) error {
	return d.st.Update(ctx, func(ctx context.Context, tx store.Tx) error {
		if err := threads.Set(tx, "company_id", company, o.conds()...); err != nil {
			return err
		}
		if err := posts.Set(tx, "updated_at", d.api.Now(ctx).Unix(), o.conds()...); err != nil {
			return err
		}
		return posts.Set(tx, "company_id", company, o.conds()...)
	})
}
