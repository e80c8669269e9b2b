package discussions

import (
	"context"
	"iter"
	"net/http"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// Discussions are the posts and threads of a store. The methods act for the user of
// their context: one who is confined to a company finds only the posts about its
// objects, and the host's own code, which has no user, all.
type Discussions struct {
	api  *shopapi.API
	st   store.Store
	rows resource.Collection[Post, Post]
}

// Register creates the tables that are missing in st and adds the entity to the
// API. The posts about a product, category, page or order are deleted with it,
// whichever entity has that name.
func Register(ctx context.Context, api *shopapi.API, st store.Store) (_ *Discussions, err error) {
	d := &Discussions{api: api, st: st}
	if d.rows, err = resource.Register(ctx, api, st, d.definition()); err != nil {
		return nil, err
	}
	api.OnErase(d.erase)
	for kind, entity := range entities {
		api.BeforeDelete(entity, func(ctx context.Context, ids []int64) error {
			return d.deleteAbout(ctx, kind, ids)
		})
	}
	return d, nil
}

// Get returns one post. It returns a 404 [*shopapi.Error] when there is none that
// the user may see.
func (d *Discussions) Get(ctx context.Context, id int64) (Post, error) { return d.rows.Get(ctx, id) }

// Find returns the posts that match, and their number without limit and offset. It
// returns a 400 [*shopapi.Error] that names the parts of the filter at fault.
func (d *Discussions) Find(ctx context.Context, f Filter) ([]Post, int64, error) {
	return d.rows.Find(ctx, &f)
}

// All iterates over the posts that match, by id, in constant memory: see
// [resource.Collection.All].
func (d *Discussions) All(ctx context.Context, f Filter) iter.Seq2[Post, error] {
	return d.rows.All(ctx, &f)
}

// Create adds a post to the thread of its object, which it begins when there is none, or
// to the thread that it names, and returns the stored object. Fields at their zero value
// get their defaults: approved, now, the name of the user. UserID is that of the user;
// the host's own code, which has none, may give it, and the IPAddress, of the customer
// that it files the post for.
//
// Create returns a 400 [*shopapi.Error] that names the invalid fields.
func (d *Discussions) Create(ctx context.Context, post Post) (Post, error) {
	return d.rows.Create(ctx, post)
}

// CreateAll adds posts in one transaction, all or none: see
// [resource.Collection.CreateAll].
func (d *Discussions) CreateAll(ctx context.Context, list []Post) ([]Post, error) {
	return d.rows.CreateAll(ctx, list)
}

// Update has change alter the post with the id, and returns the stored object. Its id,
// user, address and company stay as they were. It returns a 404 or 400 [*shopapi.Error],
// the latter also when change gives another object or thread, or the error of change;
// then nothing is changed.
func (d *Discussions) Update(ctx context.Context, id int64, change func(*Post) error) (Post, error) {
	return d.rows.Update(ctx, id, change)
}

// Delete removes a post. Its thread stays. It returns a 404 [*shopapi.Error] when
// there is none that the user may see.
func (d *Discussions) Delete(ctx context.Context, id int64) error { return d.rows.Delete(ctx, id) }

// Defaults returns a post as one begins that is created over HTTP, but for the
// client's address.
func (d *Discussions) Defaults(ctx context.Context) Post { return d.rows.Defaults(ctx) }

// BeforeSave adds a hook to every create and update: see [resource.SaveHook].
func (d *Discussions) BeforeSave(hook resource.SaveHook[Post]) { d.rows.BeforeSave(hook) }

// BeforeDelete adds a hook to every deletion of a post alone, without its object:
// see [resource.DeleteHook].
func (d *Discussions) BeforeDelete(hook resource.DeleteHook[Post]) { d.rows.BeforeDelete(hook) }

// Under also serves posts under the objects of another entity.
func (d *Discussions) Under(p resource.Parent[Post]) error { return d.rows.Under(p) }

func (d *Discussions) definition() resource.Definition[Post, Post] {
	return resource.Definition[Post, Post]{
		Name:             "discussions",
		Object:           "post",
		Summary:          "Comments and reviews of products, categories, pages, orders and the home page.",
		Privileges:       shopapi.Privileges{View: "view_discussions", Manage: "manage_discussions"},
		Table:            posts,
		Tables:           []*store.Schema{threads.Schema()},
		Company:          func(p *Post) *int64 { return &p.CompanyID },
		Parents:          parents(),
		Filter:           func() resource.Filter { return new(Filter) },
		Sorts:            sorts,
		Descending:       true,
		Defaults:         d.setDefaults,
		Bind:             d.bind,
		Keep:             keep,
		AuthorizeRequest: authorize,
		Check:            d.check,
	}
}

// authorize keeps vendors to the discussions of products (decisions §10).
func authorize(user *shopapi.User, _ shopapi.Operation, parents []string) error {
	if user.IsVendor() && (len(parents) == 0 || parents[len(parents)-1] != entities[Product]) {
		return shopapi.Errorf(http.StatusForbidden, "Vendors reach discussions only under a product, as in products/<product_id>/discussions.")
	}
	return nil
}

// bind lays a payload over a post. A new one has the address of the client, and
// what the payload empties gets its default.
func (d *Discussions) bind(ctx context.Context, r *shopapi.Request, p *Post) error {
	if p.PostID != 0 {
		return r.Bind(p)
	}
	if r.Remote.IsValid() {
		p.IPAddress = r.Remote.String()
	}
	err := r.Bind(p)
	d.setDefaults(ctx, p)
	return err
}

// check notes what is wrong with a post, and has a new one join its thread.
func (d *Discussions) check(ctx context.Context, tx store.Tx, before, after *Post, problems *shopapi.Problems) error {
	after.validate(problems)
	if before.PostID != 0 {
		return nil
	}
	thread, err := d.threadFor(ctx, tx, after, problems)
	if err == nil && thread.ThreadID != 0 {
		after.join(&thread)
	}
	return err
}

// deleteAbout removes the threads of objects that are being deleted, with all their
// posts. The observer is told of the objects alone.
func (d *Discussions) deleteAbout(ctx context.Context, kind string, ids []int64) error {
	return d.st.Update(ctx, func(_ context.Context, tx store.Tx) error {
		about := []store.Cond{
			store.Equal("object_type", store.String(kind)),
			store.InInts("object_id", ids...),
		}
		if _, err := posts.Delete(tx, about...); err != nil {
			return err
		}
		_, err := threads.Delete(tx, about...)
		return err
	})
}
