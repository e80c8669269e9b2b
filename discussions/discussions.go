package discussions

import (
	"context"
	"errors"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/internal/scope"
	"github.com/shopapi/shopapi/store"
)

// Discussions keeps posts and their threads in a store. Its methods act for the
// user of their context: a seller finds only the posts about objects of his
// company, and the host's own code, which has no user, all.
type Discussions struct {
	st  store.Store
	api *shopapi.API
}

// New returns the discussions kept in st, whose tables must exist: see [Register].
// The api gives clock, time zone and the objects that are discussed, and may be
// nil; then every object exists.
func New(st store.Store, api *shopapi.API) *Discussions {
	return &Discussions{st: st, api: api}
}

// Register creates the tables that are missing in st and adds the entity to the
// API, which may be nil for Go code that serves none.
func Register(ctx context.Context, api *shopapi.API, st store.Store) (*Discussions, error) {
	if err := st.Migrate(ctx, threads.Schema(), posts.Schema()); err != nil {
		return nil, err
	}
	d := New(st, api)
	if err := api.Register(&entity{d}); err != nil {
		return nil, err
	}
	return d, nil
}

// anywhere is no object in particular: posts about every object are meant, of the
// companies that may be seen. Of an object that may be seen, all posts may be: it
// can have come from another company since.
var anywhere = object{}

// Find returns the posts that match, and the total of them without limit and
// offset. It returns a 400 [*shopapi.Error] that names the parts of the filter at
// fault.
func (d *Discussions) Find(ctx context.Context, f Filter) (list []Post, total int64, err error) {
	return d.find(ctx, anywhere, f)
}

func (d *Discussions) find(ctx context.Context, within object, f Filter) (list []Post, total int64, err error) {
	q, err := f.query(ctx, d.api)
	if err != nil {
		return nil, 0, err
	}
	if within != anywhere {
		q.Where = append(within.conds(), q.Where...)
	} else {
		q.Where = append(q.Where, scope.Conds(ctx)...)
	}
	err = d.st.View(ctx, func(_ context.Context, tx store.Tx) error {
		list, total, err = posts.Page(tx, q)
		return err
	})
	return list, total, err
}

// Get returns one post. It returns a 404 [*shopapi.Error] when there is none that
// the user may see.
func (d *Discussions) Get(ctx context.Context, id int64) (Post, error) {
	return d.get(ctx, anywhere, id)
}

func (d *Discussions) get(ctx context.Context, within object, id int64) (post Post, err error) {
	err = d.st.View(ctx, func(ctx context.Context, tx store.Tx) error {
		post, err = read(ctx, tx, within, id)
		return err
	})
	return post, err
}

func read(ctx context.Context, tx store.Tx, within object, id int64) (Post, error) {
	p, err := posts.Get(tx, id)
	seen := within == p.object() || within == anywhere && scope.Sees(ctx, p.CompanyID)
	if errors.Is(err, store.ErrNotFound) || err == nil && !seen {
		return Post{}, shopapi.NotFound("post", shopapi.FormatID(id))
	}
	return p, err
}

// Create adds a post to the thread of its object, which it begins when there is
// none, or to the thread that it names, and returns it as stored. Fields at their
// zero value get their defaults: approved, now, the name of the user. UserID is
// that of the user; the host's own code, which has none, may give it, and the
// IPAddress, of the customer that it files the post for.
//
// Create returns a 400 [*shopapi.Error] that names the fields at fault.
func (d *Discussions) Create(ctx context.Context, post Post) (Post, error) {
	return d.create(ctx, anywhere, func(created *Post) error {
		*created = post
		return nil
	})
}

// create adds the post that fill makes of an empty one.
func (d *Discussions) create(ctx context.Context, within object, fill func(*Post) error) (created Post, err error) {
	err = d.st.Update(ctx, func(ctx context.Context, tx store.Tx) error {
		created = Post{}
		var problems shopapi.Problems
		problems.Merge(fill(&created))
		created.PostID = 0
		created.setDefaults(shopapi.UserFrom(ctx), d.api.Now(ctx))
		created.validate(&problems)
		thread, err := d.threadFor(ctx, tx, within, &created, &problems)
		if err != nil {
			return err
		}
		if err := problems.Err(); err != nil {
			return err
		}
		created.join(&thread)
		if err := posts.Insert(tx, &created); err != nil {
			return err
		}
		d.api.Changed(ctx, "discussions", shopapi.OpCreate, shopapi.FormatID(created.PostID))
		return nil
	})
	return created, err
}

// threadFor finds the thread that a new post goes to, by its thread_id, its object
// or the object that the address leads through; what it has of these must agree
// (decisions §10).
func (d *Discussions) threadFor(ctx context.Context, tx store.Tx, within object, p *Post, problems *shopapi.Problems) (Thread, error) {
	o := p.object()
	if within != anywhere {
		within.agree(p, problems)
		o = within
	}
	switch {
	case problems.Has("thread_id"):
		return Thread{}, nil
	case p.ThreadID == 0 && o == anywhere:
		problems.Add("object_type", "is required, with object_id, where there is no thread_id")
		return Thread{}, nil
	case p.ThreadID == 0:
		return d.threadOf(ctx, tx, o, CommentsAndRatings, problems)
	}
	t, err := d.threadWith(ctx, tx, p.ThreadID, problems)
	if err == nil && o != anywhere && o != t.object() {
		problems.Add("thread_id", "must be the thread of the object, not %d", p.ThreadID)
	}
	return t, err
}

// Update has change alter the post with the id, and stores it. What the shop
// itself keeps (id, user, address, company) stays as it was. It returns a 404 or
// 400 [*shopapi.Error], the latter also when change gives another object or
// thread, or the error of change; then nothing is changed.
func (d *Discussions) Update(ctx context.Context, id int64, change func(*Post) error) error {
	return d.update(ctx, anywhere, id, change)
}

func (d *Discussions) update(ctx context.Context, within object, id int64, change func(*Post) error) error {
	return d.st.Update(ctx, func(ctx context.Context, tx store.Tx) error {
		before, err := read(ctx, tx, within, id)
		if err != nil {
			return err
		}
		after := before
		var problems shopapi.Problems
		problems.Merge(change(&after))
		after.keep(&before, &problems)
		after.validate(&problems)
		if err := problems.Err(); err != nil {
			return err
		}
		d.api.Changed(ctx, "discussions", shopapi.OpUpdate, shopapi.FormatID(id))
		return posts.Update(tx, &after)
	})
}

// Delete removes a post. It returns a 404 [*shopapi.Error] when there is none that
// the user may see.
func (d *Discussions) Delete(ctx context.Context, id int64) error {
	return d.delete(ctx, anywhere, id)
}

func (d *Discussions) delete(ctx context.Context, within object, id int64) error {
	return d.st.Update(ctx, func(ctx context.Context, tx store.Tx) error {
		if _, err := read(ctx, tx, within, id); err != nil {
			return err
		}
		d.api.Changed(ctx, "discussions", shopapi.OpDelete, shopapi.FormatID(id))
		return posts.DeleteKey(tx, id)
	})
}

// RemoveOf removes the threads of objects and all their posts, in the transaction
// that removes the objects. The entities that keep objects call it before they
// remove them; no event is reported for the posts that go along.
func (d *Discussions) RemoveOf(_ context.Context, tx store.Tx, objectType string, ids []int64) error {
	gone := []store.Cond{
		store.Equal("object_type", store.String(objectType)),
		store.InInts("object_id", ids...),
	}
	if _, err := posts.Delete(tx, gone...); err != nil {
		return err
	}
	_, err := threads.Delete(tx, gone...)
	return err
}
