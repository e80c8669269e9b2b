package shopapi

import "context"

// A DeleteFunc is told which objects of an entity are about to be deleted. What it
// writes through the store of the context's transaction belongs to that
// transaction. As that may run again, so may the function.
type DeleteFunc func(ctx context.Context, ids []int64) error

// A cascade is what is to happen before objects of one entity are deleted.
type cascade struct{ refuse, remove []DeleteFunc }

// RefuseDelete has fn asked before objects of the named entity are deleted,
// whichever entity has that name, a host's own too: an error, such as a 400 that
// names what depends on them, keeps them. All refusals are asked before anything
// is removed. It is called before the first request is served.
func (a *API) RefuseDelete(entity string, fn DeleteFunc) {
	c := a.cascades[entity]
	c.refuse = append(c.refuse, fn)
	a.cascades[entity] = c
}

// BeforeDelete has fn called before objects of the named entity are deleted,
// whichever entity has that name, a host's own too: it removes what goes with
// them. It runs in the transaction of the deletion where that is one of the same
// store, else in one of its own before it. It is called before the first request
// is served.
func (a *API) BeforeDelete(entity string, fn DeleteFunc) {
	c := a.cascades[entity]
	c.remove = append(c.remove, fn)
	a.cascades[entity] = c
}

// Deleting runs what was registered for objects of an entity that are about to be
// deleted: all refusals, then all removals. Entities whose description says
// Transactional call it in the transaction of the deletion, once, with all the
// objects that go.
func (a *API) Deleting(ctx context.Context, entity string, ids ...int64) error {
	c := a.cascades[entity]
	for _, refuse := range c.refuse {
		if err := refuse(ctx, ids); err != nil {
			return err
		}
	}
	for _, remove := range c.remove {
		if err := remove(ctx, ids); err != nil {
			return err
		}
	}
	return nil
}

// beforeDelete runs what was registered for the target where its entity does not do
// so itself: when the object exists and has an id that others can name.
func (t *target) beforeDelete(ctx context.Context, r *Request) error {
	c := r.api.cascades[t.entry.Name]
	if t.entry.Transactional || len(c.refuse) == 0 && len(c.remove) == 0 {
		return nil
	}
	id, err := ParseID(t.entry.Name, t.id)
	if err != nil {
		return nil
	}
	if t.entry.get != nil {
		if _, err := t.entry.get(ctx, r, t.id); err != nil {
			return err
		}
	}
	return r.api.Deleting(ctx, t.entry.Name, id)
}
