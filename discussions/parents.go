package discussions

import (
	"context"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// parents are the entities under whose objects posts are reached: those that are
// discussed (decisions §10), storefronts and vendors.
func parents() []resource.Parent[Post] {
	var list []resource.Parent[Post]
	for _, kind := range objectTypes {
		if entity, registers := entities[kind]; registers {
			list = append(list, about(kind, entity))
		}
	}
	return append(list, resource.Companies[Post]()...)
}

// about is the parent of the posts about objects of a type: all of them belong to
// the object, those from before it came to its company among them.
func about(kind, entity string) resource.Parent[Post] {
	return resource.Parent[Post]{
		Entity:     entity,
		AnyCompany: true,
		Where: func(w *resource.Where, above resource.Above) {
			w.Add(object{kind, above.ID}.conds()...)
		},
		Holds: func(_ context.Context, _ store.Tx, above resource.Above, p *Post) (bool, error) {
			return p.object() == object{kind, above.ID}, nil
		},
		Enter: func(above resource.Above, p *Post, problems *shopapi.Problems) {
			if p.PostID == 0 { // a post that exists stays where it is
				object{kind, above.ID}.enter(p, problems)
			}
		},
	}
}

// enter makes a new post one about o, and notes what it says of its object
// otherwise.
func (o object) enter(p *Post, problems *shopapi.Problems) {
	if p.ObjectType != "" && p.ObjectType != o.kind {
		problems.Add("object_type", "must be %s, as in the address", o.kind)
	}
	if p.ObjectID != 0 && p.ObjectID != o.id {
		problems.Add("object_id", "must be %d, as in the address", o.id)
	}
	p.ObjectType, p.ObjectID = o.kind, o.id
}
