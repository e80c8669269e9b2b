package discussions

import (
	"context"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// parents are the entities below which posts are reached: the discussed ones (decisions
// §10), storefronts and vendors.
func parents() []resource.Parent[Post] {
	var list []resource.Parent[Post]
	for _, kind := range objectTypes {
		if entity, registers := entities[kind]; registers {
			list = append(list, about(kind, entity))
		}
	}
	return append(list, resource.Companies[Post]()...)
}

// about is the parent for posts about objects of a type. All posts about the object are
// below it, also those older than its company.
func about(kind, entity string) resource.Parent[Post] {
	return resource.Parent[Post]{
		Entity:     entity,
		AnyCompany: true,
		Where: func(w *resource.Where, above resource.ParentRef) {
			w.Add(object{kind, above.ID}.conds()...)
		},
		Contains: func(_ context.Context, _ store.Tx, above resource.ParentRef, p *Post) (bool, error) {
			return p.object() == object{kind, above.ID}, nil
		},
		SetParent: func(above resource.ParentRef, p *Post, problems *shopapi.Problems) {
			if p.PostID == 0 { // an existing post keeps its object
				object{kind, above.ID}.enter(p, problems)
			}
		},
	}
}

// enter sets the object of a new post to o, and adds a problem if the post names another
// one.
func (o object) enter(p *Post, problems *shopapi.Problems) {
	if p.ObjectType != "" && p.ObjectType != o.kind {
		problems.Add("object_type", "must be %s, as in the address", o.kind)
	}
	if p.ObjectID != 0 && p.ObjectID != o.id {
		problems.Add("object_id", "must be %d, as in the address", o.id)
	}
	p.ObjectType, p.ObjectID = o.kind, o.id
}
