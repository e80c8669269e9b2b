package shopapi

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"

	"github.com/shopapi/shopapi/internal/hooks"
	"github.com/shopapi/shopapi/internal/jsonenc"
	"github.com/shopapi/shopapi/internal/route"
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

// LookupCompany returns the company of an object for LookupCompany of package resource. known is false
// if the entity cannot read it without the rest of the object.
func (a *API) LookupCompany(ctx context.Context, entity string, id int64) (company int64, known bool, err error) {
	if e := partsOf(a).registry.Top[entity]; e != nil && e.has(OpGet) && e.Cacheable {
		if g, ok := e.get.(companyGetter); ok {
			return g.GetCompany(a.Confine(ctx), id)
		}
	}
	return 0, false, nil
}

// A companyGetter is an entity of package resource that reads the company of an object alone.
type companyGetter interface {
	GetCompany(ctx context.Context, id int64) (company int64, known bool, err error)
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

// Authorize checks privileges as a request does: whether the user of ctx may run the
// operation on the entity below the parents, which are entity names, outermost first
// (§3). Go code calls it before it acts for a user; without a user in ctx, see
// [WithUser], everything is allowed.
//
// The error is the 403 of such a request, including errors of the entity's own
// [Authorizer], the 405 if the entity lacks the operation, or [ErrNotRegistered] if no
// entity of this name is registered under these parents.
func (a *API) Authorize(ctx context.Context, entity string, op Operation, parents ...string) error {
	const anyID = "1"
	var segments []string
	for _, parent := range parents {
		segments = append(segments, parent, anyID)
	}
	segments = append(segments, entity)
	if op != OpList && op != OpCreate {
		segments = append(segments, anyID) // an action needs the privilege of its entity
	}
	t, err := a.resolve(segments)
	if err != nil {
		return ErrNotRegistered
	}
	if !t.Entry.has(op) {
		return refused(t.NotAllowed("The entity " + entity + " does not have the operation " + string(op) + "."))
	}
	t.op = op
	user := UserFrom(a.Confine(ctx))
	if user == nil {
		return nil
	}
	return authorize(user, t)
}

// An Ownership names the company of an object. A change of the object concerns the users that
// may see the objects of this company.
type Ownership struct {
	CompanyID int64
	Audience  Audience

	// ParentEntity and ParentID name the object that this one is about, where the change
	// log shows it although this one has an address of its own, such as the product of a
	// review. They are "" for other objects.
	ParentEntity, ParentID string
}

// An Audience is a set of users that see the objects of a company. Users without a company of
// their own see them too.
type Audience uint8

// The audiences.
const (
	ForCompany Audience = iota // users of the company
	ForVendors                 // users of the company and all vendors
	ForAll                     // all users: the object belongs to the whole shop
)

// An Owner is an entity that determines the owner of its objects. For other entities, it
// is the field company_id.
type Owner interface {
	// Owner returns the owner of an object as the transaction of ctx sees it.
	Owner(ctx context.Context, id string) (Ownership, error)
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

// Confine returns a context in which [User.IsConfined] follows the API's edition. Requests
// and the collections of package resource call it. An entity that does not use package
// resource calls it for the contexts that Go code passes to its methods.
func (a *API) Confine(ctx context.Context) context.Context {
	if a.opts.Edition != MultiStorefront {
		return ctx
	}
	u := UserFrom(ctx)
	if confined := a.confine(u); confined != u {
		return WithUser(ctx, confined)
	}
	return ctx
}

// confine returns the user as the edition confines it. Users are shared, so that it is
// a copy where that makes a difference.
func (a *API) confine(u *User) *User {
	if a.opts.Edition != MultiStorefront || u == nil || u.Confined ||
		u.Type != Administrator || u.Root || u.CompanyID == 0 {
		return u
	}
	confined := *u
	confined.Confined = true
	return &confined
}

// CompanyOf returns the company to which reads and changes in ctx are confined (§11): the
// company of a confined user ([User.IsConfined]), or the storefront in a nested address. If
// confined is false, they may use the rows of all companies.
func CompanyOf(ctx context.Context) (company int64, confined bool) {
	if u := UserFrom(ctx); u.IsConfined() {
		return u.CompanyID, true
	}
	company, confined = ctx.Value(companyKey{}).(int64)
	return company, confined
}

type companyKey struct{}

// enterCompany confines ctx to the company of the parent, if the parent is a store or a vendor. A
// vendor or an administrator of one storefront finds no other parent than its own company. In a shop
// with one store, addresses below it reach all objects (decisions §27).
func (a *API) enterCompany(ctx context.Context, parent route.Step[*entry]) (context.Context, error) {
	if parent.Entry.Name != "stores" && parent.Entry.Name != "vendors" {
		return ctx, nil
	}
	object := strings.TrimSuffix(parent.Entry.Name, "s")
	id, err := ParseID(object, parent.ID)
	if err != nil {
		return ctx, err
	}
	if u := UserFrom(ctx); u.IsConfined() && u.CompanyID != id {
		return ctx, NotFound(object, parent.ID)
	}
	if a.opts.Edition == SingleStore && id == a.DefaultCompany() {
		return ctx, nil
	}
	return context.WithValue(ctx, companyKey{}, id), nil
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
	a.hooks.Refuse(entity, hooks.Delete(fn))
}

// BeforeDelete registers fn to be called before objects of the named entity are deleted,
// whichever entity has that name, also a host's: fn deletes dependent objects. It runs in
// the transaction of the deletion if that is a transaction of the same store, else in a
// separate one before it. Call BeforeDelete before the first request is served. The same
// mistakes are found as with [API.RefuseDelete].
func (a *API) BeforeDelete(entity string, fn DeleteFunc) {
	a.hooks.Remove(entity, hooks.Delete(fn))
}

// AfterMove registers fn to be called after an object of the named entity was written with
// another company (§11): fn moves dependent objects, which the change log names by one row
// (E4). Entities that resource registers call it. Call AfterMove before the first request is
// served. The same mistakes are found as with [API.RefuseDelete].
func (a *API) AfterMove(entity string, fn MoveFunc) {
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
