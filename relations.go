package shopapi

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/shopapi/shopapi/internal/hooks"
	"github.com/shopapi/shopapi/internal/jsonenc"
	"github.com/shopapi/shopapi/internal/pace"
	"github.com/shopapi/shopapi/internal/route"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver"
)

// Lookup reads one object of another entity by that entity's Get, for the user of ctx:
// objects that the user may not see do not exist. Inside a transaction of the store that
// has the entity's rows, it reads in that transaction.
//
// It returns [ErrNotRegistered] if no entity has the name or it cannot be read,
// [ErrNotFound] if the object does not exist, and other errors of Get.
func (a *API) Lookup(ctx context.Context, entity, id string) (any, error) {
	return a.LookupFields(ctx, entity, id)
}

// LookupFields is [API.Lookup] for the caller that needs only some fields, all if it names none:
// the other fields may be empty, as with the parameter fields.
func (a *API) LookupFields(ctx context.Context, entity, id string, fields ...string) (any, error) {
	e, ok := partsOf(a).registry.Top[entity]
	if !ok || !e.has(OpGet) {
		return nil, ErrNotRegistered
	}
	ctx = a.Confine(ctx)
	if !e.Cacheable {
		driver.ReadSetOf(ctx).MarkUntracked()
	}
	data, err := e.get.Get(ctx, &Request{User: UserFrom(ctx), api: a, lookup: true, choice: e.choose(fields, nil)}, id)
	if err != nil && AsError(err).Status == 404 {
		return nil, ErrNotFound
	}
	return data, err
}

// LookupAhead reads what [API.Lookup] is about to read, in a function of [store.ReadAhead]. It
// does nothing for an entity that is not Cacheable, which may use more than the store.
func (a *API) LookupAhead(ctx context.Context, entity, id string) {
	if e, ok := partsOf(a).registry.Top[entity]; ok && e.Cacheable {
		_, _ = a.Lookup(ctx, entity, id)
	}
}

// LookupAt is [API.Lookup] of the object at an address below the entry point, such as
// "products", "7", "discussions", "3": what GET would answer to the user of ctx, parents
// included. It returns the 403 of a user who may not read there.
func (a *API) LookupAt(ctx context.Context, segments ...string) (any, error) {
	t, err := a.resolve(segments)
	if err != nil || t.ID == "" || t.Action != "" || !t.Entry.has(OpGet) {
		return nil, ErrNotRegistered
	}
	t.op = OpGet
	ctx = a.Confine(ctx)
	r := &Request{User: UserFrom(ctx), api: a, lookup: true}
	if r.User != nil {
		if err := authorize(r.User, t); err != nil {
			return nil, err
		}
	}
	driver.ReadSetOf(ctx).MarkUntracked()
	var data any
	if ctx, err = t.readParents(ctx, r); err == nil {
		data, err = t.Entry.get.Get(ctx, r, t.ID)
	}
	if err != nil && AsError(err).Status == http.StatusNotFound {
		return nil, ErrNotFound
	}
	return data, err
}

// LookupList runs the List of another entity, at its own address, on behalf of the
// user of ctx and with the filter of r. It returns [ErrNotRegistered] when no entity has
// the name or it has no list.
func (a *API) LookupList(ctx context.Context, entity string, r *Request) (any, error) {
	e, ok := partsOf(a).registry.Top[entity]
	if !ok || !e.has(OpList) {
		return nil, ErrNotRegistered
	}
	if !e.Cacheable {
		driver.ReadSetOf(ctx).MarkUntracked()
	}
	return e.list.List(ctx, &Request{User: UserFrom(ctx), Filter: r.Filter, api: a, itemsPerPage: r.itemsPerPage, lookup: true})
}

// Registered reports whether an entity has the name.
//
//go:noinline
func (a *API) Registered(entity string) bool {
	_, ok := partsOf(a).registry.Top[entity]
	return ok
}

// CheckReference reports a problem on field if it refers to an object that does not
// exist. If the entity is not registered, every id is valid (§12). It returns an error if
// it cannot decide.
func (a *API) CheckReference(ctx context.Context, problems *Problems, field, entity string, id int64) error {
	_, err := a.Lookup(ctx, entity, FormatID(id))
	switch {
	case errors.Is(err, ErrNotRegistered):
		return nil
	case errors.Is(err, ErrNotFound):
		problems.Add(field, "must be the id of an object of %s that exists, not %d", entity, id)
		return nil
	}
	return err
}

// Field returns a field of an object as an answer would show it, whatever Go type
// an entity keeps it in. ok is false when the object has no such field, or it is
// null or no single value.
func Field(object any, name string) (value string, ok bool) { return FieldsOf(object)(name) }

// FieldsOf returns [Field] of one object, which is quicker where many of its fields are
// read. The object must not change meanwhile.
func FieldsOf(object any) func(name string) (value string, ok bool) { return jsonenc.Fields(object) }

// MayView reports whether the user may view the entity that the change log names so, at some address: by its
// privileges, and by what the entity itself asks for. parent is "" or the entity of the change's
// parent. An entity that has addresses of its own may be viewed without it.
func (a *API) MayView(user *User, entity, parent string) bool {
	privileged := func(e *entry) bool { return user.Can(e.Privileges.View) }
	may := func(e *entry, parents ...string) bool {
		return privileged(e) && (e.authorize == nil || e.authorize.Authorize(user, OpList, parents) == nil)
	}
	return partsOf(a).registry.MayView(route.Viewer[*entry]{Privileged: privileged, May: may}, entity, parent)
}

// OwnerOf returns the owner of an object of the named entity, as the transaction of ctx
// sees it. The owner of a deleted object, or of an unknown entity, is not any company.
func (a *API) OwnerOf(ctx context.Context, entity, id string) (Ownership, error) {
	e, ok := partsOf(a).registry.Top[entity]
	if !ok {
		return Ownership{}, nil
	}
	ctx = WithUser(ctx, nil)
	if e.owner != nil {
		o, err := e.owner.Owner(ctx, id)
		if err != nil && AsError(err).Status == http.StatusNotFound {
			return Ownership{}, nil
		}
		return o, err
	}
	if !e.has(OpGet) {
		return Ownership{Audience: ForAll}, nil
	}
	object, err := a.Lookup(ctx, entity, id)
	if errors.Is(err, ErrNotFound) {
		return Ownership{}, nil
	}
	if err != nil {
		return Ownership{}, err
	}
	company, known := Field(object, "company_id")
	if !known {
		return Ownership{Audience: ForAll}, nil
	}
	n, _ := strconv.ParseInt(company, 10, 64)
	return Ownership{CompanyID: n}, nil
}

// A DeleteFunc gets the ids of objects of an entity that are about to be deleted. Its
// writes through the store of the context belong to the transaction of the deletion. The
// function runs again when the transaction does.
type DeleteFunc func(ctx context.Context, ids []int64) error

// A MoveFunc gets the id of an object that moved to another company, and the company. Its
// writes through the store of the context belong to the transaction of the move. The
// function runs again when the transaction does.
type MoveFunc func(ctx context.Context, id, company int64) error

// RefuseDelete registers fn to be called before objects of the named entity are deleted,
// whichever entity has that name, also a host's: an error, such as a 400 that names
// dependent objects, prevents the deletion. All such functions run before anything is
// deleted. Call RefuseDelete before the first request is served. It panics if fn is nil;
// [API.Check] finds names that no entity has.
func (a *API) RefuseDelete(entity string, fn DeleteFunc) {
	if fn == nil {
		panic("shopapi: RefuseDelete of " + entity + " without a function")
	}
	a.hooks.Refuse(entity, hooks.Delete(fn))
}

// BeforeDelete registers fn to be called before objects of the named entity are deleted,
// whichever entity has that name, also a host's: fn deletes dependent objects. It runs in
// the transaction of the deletion if that is a transaction of the same store, else in a
// separate one before it. Call BeforeDelete before the first request is served. The same
// mistakes are found as with [API.RefuseDelete].
func (a *API) BeforeDelete(entity string, fn DeleteFunc) {
	if fn == nil {
		panic("shopapi: BeforeDelete of " + entity + " without a function")
	}
	a.hooks.Remove(entity, hooks.Delete(fn))
}

// AfterMove registers fn to be called after an object of the named entity was written with
// another company (§11): fn moves dependent objects, which the change log names by one row
// (E4). Entities that resource registers call it. Call AfterMove before the first request is
// served. The same mistakes are found as with [API.RefuseDelete].
func (a *API) AfterMove(entity string, fn MoveFunc) {
	if fn == nil {
		panic("shopapi: AfterMove of " + entity + " without a function")
	}
	a.hooks.Moved(entity, hooks.Move(fn))
}

// RunMoveHooks runs the hooks of AfterMove, in the transaction of the move.
func (a *API) RunMoveHooks(ctx context.Context, entity string, id, company int64) error {
	return a.hooks.RunMove(ctx, entity, id, company)
}

// RunDeleteHooks runs the hooks for objects of an entity that are about to be deleted:
// all refusals, then all removals. Entities whose description has Transactional call it
// in the transaction of the deletion, once, with all deleted objects.
func (a *API) RunDeleteHooks(ctx context.Context, entity string, ids ...int64) error {
	return a.hooks.RunDelete(ctx, entity, ids)
}

// beforeDelete runs the hooks for the target, unless its entity does so itself, if the
// object exists and its id is a number.
func (t *target) beforeDelete(ctx context.Context, r *Request) error {
	if t.op != OpDelete || !r.api.hooks.OnDelete(t.Entry.Name) {
		return nil
	}
	id, err := ParseID(t.Entry.Name, t.ID)
	if err != nil {
		return nil
	}
	if t.Entry.has(OpGet) {
		if _, err := t.Entry.get.Get(ctx, r, t.ID); err != nil {
			return err
		}
	}
	return r.api.RunDeleteHooks(ctx, t.Entry.Name, id)
}

// A Person is a user whose personal data is erased (§23), with the e-mail address and
// phone numbers that identify the user in rows without an id. Empty fields are not known.
type Person struct {
	UserID int64
	Email  string
	Phones []string
}

// An EraseFunc blanks the personal data of a person in objects, in the transaction of the
// context. Amounts, times and ids stay. The function runs again when the transaction
// does; erasing a person twice is not an error.
type EraseFunc func(ctx context.Context, p Person) error

// OnErase has fn called when a person's data is erased. Entities, a host's own too, that
// hold such data call it when they are registered, before the first request is served.
func (a *API) OnErase(fn EraseFunc) { a.erasers = append(a.erasers, fn) }

// Erasing runs what [API.OnErase] registered. The entity that has users calls it in the
// transaction that blanks a user.
func (a *API) Erasing(ctx context.Context, p Person) error {
	for _, erase := range a.erasers {
		if err := erase(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

// BulkWrite runs fn in a transaction of st as a bulk write: bulk writes run one at a time,
// of each user in turn, and while others write for at most half of the time. It is undone, and
// a 413 [*Error], after most, its repeats included; 0 means that it has no limit of its own.
func (a *API) BulkWrite(ctx context.Context, st store.Store, most time.Duration, fn func(ctx context.Context, tx store.Tx) error) error {
	return a.BulkRun(ctx, most, func(ctx context.Context, begun func()) error {
		return st.Update(driver.Bulk(ctx), func(ctx context.Context, tx store.Tx) error {
			begun()
			return fn(ctx, tx)
		})
	})
}

// BulkRun is [API.BulkWrite] for a function that begins the transaction itself, and calls begun
// in it.
func (a *API) BulkRun(ctx context.Context, most time.Duration, run func(ctx context.Context, begun func()) error) error {
	return partsOf(a).admission.RunBulk(ctx, func() error {
		if err := a.cacheSettings(ctx); err != nil {
			return err
		}
		err := pace.Within(ctx, most, run)
		if errors.Is(err, pace.ErrLate) {
			return Errorf(http.StatusRequestEntityTooLarge, "The transaction would take longer than %s and was undone. Send fewer requests at once.", most)
		}
		return err
	})
}

// cacheSettings reads the settings, which are cached from reads outside of transactions alone,
// so that a long transaction does not read them again for each object.
func (a *API) cacheSettings(ctx context.Context) error {
	_, err := a.DefaultLanguage(ctx)
	return err
}
