package discussions

import (
	"cmp"
	"context"
	"errors"
	"maps"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// A Thread is the discussion of one object.
type Thread struct {
	ThreadID   int64  `json:"thread_id,string" store:"key"`
	ObjectType string `json:"object_type"`
	ObjectID   int64  `json:"object_id,string"`
	Type       string `json:"type"`
	CompanyID  int64  `json:"company_id,string"` // company of the object
}

var threads = store.MustTable[Thread]("discussion_threads",
	store.Index{Columns: []string{"object_type", "object_id"}, Unique: true},
)

// The types of threads.
const (
	Comments           = "C"
	Ratings            = "R"
	CommentsAndRatings = "B"
)

var threadTypes = []string{Comments, Ratings, CommentsAndRatings}

// The types of discussed objects.
const (
	Product  = "P"
	Category = "C"
	Page     = "A"
	Order    = "O"
	HomePage = "E" // its id is 0
)

var objectTypes = []string{Product, Category, Page, Order, HomePage}

// entities maps the types of objects to their entities. The home page has none.
var entities = map[string]string{
	Product:  "products",
	Category: "categories",
	Page:     "pages",
	Order:    "orders",
}

// Entities returns the entities of discussed objects by their types. The home page has none.
func Entities() map[string]string { return maps.Clone(entities) }

// TypeOf returns the type of the discussed objects of an entity, "" if its objects have no threads.
func TypeOf(entity string) string {
	for kind, name := range entities {
		if name == entity {
			return kind
		}
	}
	return ""
}

// An object identifies the subject of a thread.
type object struct {
	kind string // P, C, A, O or E
	id   int64
}

func (t *Thread) object() object { return object{t.ObjectType, t.ObjectID} }

func (p *Post) object() object { return object{p.ObjectType, p.ObjectID} }

// conds match the rows about the object.
func (o object) conds() []store.Cond {
	return []store.Cond{
		store.Equal("object_type", store.String(o.kind)),
		store.Equal("object_id", store.Int(o.id)),
	}
}

// validate checks type and id by themselves, and reports whether the object may be
// looked up. A zero value is missing.
func (o object) validate(problems *shopapi.Problems) bool {
	var own shopapi.Problems
	if o.kind == "" {
		own.Add("object_type", "is required: it names the object together with object_id")
	}
	own.OneOf("object_type", o.kind, objectTypes...)
	switch {
	case o.kind != HomePage && o.id == 0:
		own.Add("object_id", "is required: it names the object together with object_type")
	case o.kind == HomePage && o.id != 0:
		own.Add("object_id", "must be 0 for the home page, not %d", o.id)
	case o.id < 0:
		own.Add("object_id", "must be the id of the object, a whole number from 1, not %d", o.id)
	}
	err := own.Err()
	problems.Merge(err)
	return err == nil
}

// OpenThread returns the thread of an object. It creates a missing one with the type of
// t, by default comments and ratings. The type of an existing thread stays. It returns a
// 400 [*shopapi.Error] for an object that does not exist, or an unknown type.
func (d *Discussions) OpenThread(ctx context.Context, t Thread) (opened Thread, err error) {
	err = d.st.Update(ctx, func(ctx context.Context, tx store.Tx) error {
		kind := cmp.Or(t.Type, CommentsAndRatings)
		var problems shopapi.Problems
		problems.OneOf("type", kind, threadTypes...)
		if opened, err = d.threadOf(ctx, tx, t.object(), kind, &problems); err != nil {
			return err
		}
		return problems.Err()
	})
	return opened, err
}

// threadFor returns the thread of a new post, by its thread_id or its object, which must
// agree if both are given (decisions §10).
func (d *Discussions) threadFor(ctx context.Context, tx store.Tx, p *Post, problems *shopapi.Problems) (Thread, error) {
	o := p.object()
	switch {
	case problems.Has("thread_id"):
		return Thread{}, nil
	case p.ThreadID == 0 && o == object{}:
		problems.Add("object_type", "is required, with object_id, where there is no thread_id")
		return Thread{}, nil
	case p.ThreadID == 0:
		return d.threadOf(ctx, tx, o, CommentsAndRatings, problems)
	}
	t, err := d.threadWith(ctx, tx, p.ThreadID, problems)
	if err == nil && o != (object{}) && o != t.object() {
		problems.Add("thread_id", "must be the thread of the object, not %d", p.ThreadID)
	}
	return t, err
}

// threadOf returns the thread of an object, and creates a missing one.
func (d *Discussions) threadOf(ctx context.Context, tx store.Tx, o object, kind string, problems *shopapi.Problems) (Thread, error) {
	if !o.validate(problems) {
		return Thread{}, nil
	}
	t, err := threads.First(tx, store.Query{Where: o.conds()})
	if errors.Is(err, store.ErrNotFound) {
		t, err = Thread{ObjectType: o.kind, ObjectID: o.id, Type: kind}, nil
	}
	if err != nil {
		return Thread{}, err
	}
	exists, err := d.assignCompany(ctx, &t)
	if err != nil {
		return Thread{}, err
	}
	if !exists {
		problems.Add("object_id", "must be the id of an object of type %s that exists, not %d", o.kind, o.id)
		return Thread{}, nil
	}
	if t.ThreadID == 0 {
		err = threads.Insert(tx, &t)
	}
	return t, err
}

// threadWith returns the thread with an id.
func (d *Discussions) threadWith(ctx context.Context, tx store.Tx, id int64, problems *shopapi.Problems) (Thread, error) {
	t, err := threads.Get(tx, id)
	exists := err == nil
	if exists {
		exists, err = d.assignCompany(ctx, &t)
	}
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return Thread{}, err
	}
	if !exists {
		problems.Add("thread_id", "must be the id of a thread that exists, not %d", id)
	}
	return t, nil
}

// assignCompany reports whether a thread's object exists and is visible to the user, and
// sets the company of the thread to the object's. Without an entity for such objects
// every id is accepted; a new thread then gets the company of the context or the default
// one.
func (d *Discussions) assignCompany(ctx context.Context, t *Thread) (exists bool, err error) {
	var company int64
	err = shopapi.ErrNotRegistered
	if entity, known := entities[t.ObjectType]; known {
		company, err = resource.LookupCompany(ctx, d.api, entity, t.ObjectID)
	}
	switch {
	case t.ObjectType == HomePage: // each storefront has a home page
		t.CompanyID = resource.DefaultCompany(ctx, d.api)
		return true, nil
	case errors.Is(err, shopapi.ErrNotRegistered):
		t.CompanyID = cmp.Or(t.CompanyID, resource.DefaultCompany(ctx, d.api))
		return resource.Visible(ctx, t.CompanyID), nil
	case errors.Is(err, shopapi.ErrNotFound):
		return false, nil
	case err != nil:
		return false, err
	}
	if company > 0 {
		t.CompanyID = company
	}
	t.CompanyID = cmp.Or(t.CompanyID, resource.DefaultCompany(ctx, d.api))
	return true, nil
}
