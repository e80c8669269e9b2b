package shopapi

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/shopapi/shopapi/internal/apipath"
	"github.com/shopapi/shopapi/internal/bind"
	"github.com/shopapi/shopapi/internal/configcheck"
	"github.com/shopapi/shopapi/internal/listheaders"
	"github.com/shopapi/shopapi/internal/structfields"
	"github.com/shopapi/shopapi/store"
)

// An entry is one registered entity: its description and the functions that its
// capabilities gave. Dispatch, 405 and Allow read this table alone.
type entry struct {
	Description
	list      Lister // nil: the entity is none
	get       Getter
	create    Creator
	update    Updater
	delete    Deleter
	act       Actor
	coded     Coded      // nil: objects have no codes
	authorize Authorizer // nil: privileges are all it takes
	owner     Owner      // nil: the result of Get has the owner

	st      store.Store // of the objects, nil where it is not known
	prepare func(ctx context.Context, r *Request, id string) (any, error)

	entity     Entity // as it was registered
	matchField string // by which PUT with match finds objects, "" for none

	deprecated listheaders.Deprecations // parameters of the list, by name

	once  sync.Once // of known and fixed
	known map[string]bool
	fixed bool
}

// has reports whether the entity has the operation.
func (e *entry) has(op Operation) bool { return e.Offers(string(op)) }

// Offers implements [route.Entity].
func (e *entry) Offers(operation string) bool {
	op := Operation(operation)
	if op != OpAction && e.Operations != nil && !slices.Contains(e.Operations, op) {
		return false
	}
	switch op {
	case OpList:
		return e.list != nil
	case OpGet:
		return e.get != nil
	case OpCreate:
		return e.create != nil
	case OpUpdate:
		return e.update != nil
	case OpDelete:
		return e.delete != nil
	case OpAction:
		return len(e.Actions) > 0
	}
	return false
}

// Segment implements [route.Entity].
func (e *entry) Segment() string { return e.Name }

// ParentNames implements [route.Entity].
func (e *entry) ParentNames() []string { return e.Parents }

// LogName implements [route.Entity].
func (e *entry) LogName() string { return e.LoggedAs }

// ActionNames implements [route.Entity].
func (e *entry) ActionNames() []string {
	names := make([]string, 0, len(e.Actions))
	for _, a := range e.Actions {
		names = append(names, a.Name)
	}
	return names
}

// FieldOfCode implements [route.Coded].
func (e *entry) FieldOfCode() string {
	if e.coded == nil {
		return ""
	}
	return e.CodeField
}

// FindCode implements [route.Coded].
func (e *entry) FindCode(ctx context.Context, code string) ([]string, error) {
	return e.coded.IDsByCode(ctx, code)
}

func newEntry(e Entity) (*entry, error) {
	if e == nil {
		return nil, errors.New("shopapi: the entity is nil")
	}
	n := &entry{Description: e.Describe(), entity: e}
	n.list, _ = e.(Lister)
	n.get, _ = e.(Getter)
	n.create, _ = e.(Creator)
	n.update, _ = e.(Updater)
	n.delete, _ = e.(Deleter)
	n.act, _ = e.(Actor)
	n.authorize, _ = e.(Authorizer)
	n.owner, _ = e.(Owner)
	if s, ok := e.(interface{ Store() store.Store }); ok {
		n.st = s.Store()
	}
	if n.CodeField != "" {
		n.coded, _ = e.(Coded)
	}
	if m, ok := e.(interface{ MatchField() string }); ok {
		n.matchField = m.MatchField()
	}
	if p, ok := e.(Preparer); ok {
		n.prepare = p.Preparation()
	}
	var err error
	if n.deprecated, err = listheaders.DeprecationsOf(n.Filter); err != nil {
		return nil, fmt.Errorf("shopapi: %w", err)
	}
	if err := bind.CheckFilter(n.Filter); err != nil {
		return nil, fmt.Errorf("shopapi: %s: %w", n.Name, err)
	}
	return n, n.check()
}

// check finds what would only show at a request otherwise.
func (e *entry) check() error {
	d := configcheck.Entity{
		Name: e.Name, IDField: e.IDField, View: e.Privileges.View, Manage: e.Privileges.Manage,
		Reads: e.has(OpList) || e.has(OpGet), Makes: e.has(OpCreate) || e.has(OpUpdate) || e.has(OpAction), Deletes: e.has(OpDelete),
		Known: everyOperation, Parents: e.Parents, Actions: e.ActionNames(), Acts: e.act != nil,
	}
	for _, op := range e.Operations {
		d.Operations = append(d.Operations, string(op))
	}
	return cmp.Or(d.Check(), e.checkDisplay())
}

// checkDisplay finds mistakes in [Description.Display].
func (e *entry) checkDisplay() error {
	shown := func(name string) bool { return e.hasMember(name, e.Item, e.Object) }
	known := func(name string) bool {
		return e.hasMember(name, e.Item, e.Object, e.Payload, e.Body) ||
			slices.ContainsFunc(e.Rules, func(r Rule) bool { return r.Field == name })
	}
	if err := e.Display.Check(shown, known); err != nil {
		return fmt.Errorf("shopapi: entity %s has %w", e.Name, err)
	}
	return nil
}

// hasMember reports whether one of the types, or a custom field, has the name.
func (e *entry) hasMember(name string, types ...reflect.Type) bool {
	return structfields.MayHave(name, types...) || slices.ContainsFunc(e.Custom, func(f CustomField) bool { return f.Name == name })
}

// Register adds an entity. It fails when the entity has no capability, when its
// description is incomplete, or when its name is taken. All entities are
// registered before the first request is served; later ones are refused.
func (a *API) Register(e Entity) error {
	n, err := a.newEntry(e)
	if err != nil {
		return err
	}
	if _, taken := partsOf(a).registry.Top[n.Name]; taken {
		return fmt.Errorf("shopapi: an entity named %s is registered already", n.Name)
	}
	if partsOf(a).endpoints.Reserved(n.Name) {
		return fmt.Errorf("shopapi: the name %s is taken by an address that is switched on", n.Name)
	}
	partsOf(a).endpoints.Cede(n.Name)
	partsOf(a).registry.Top[n.Name] = n
	return nil
}

// RegisterUnder adds an entity that exists only as a child of parent, such as the
// memberships of a user under users/5/usergroups. Below that parent it hides an entity
// with the same name at the top. It fails as [API.Register] does. If parent is not
// registered, the child has no address.
func (a *API) RegisterUnder(parent string, e Entity) error {
	n, err := a.newEntry(e)
	if err != nil {
		return err
	}
	if !apipath.IsName(parent) {
		return fmt.Errorf("shopapi: the parent %q of %s is not an entity name", parent, n.Name)
	}
	key := [2]string{parent, n.Name}
	if _, taken := partsOf(a).registry.Under[key]; taken {
		return fmt.Errorf("shopapi: an entity named %s is registered under %s already", n.Name, parent)
	}
	partsOf(a).registry.Under[key] = n
	return nil
}

// DeclareParent adds the entity child, registered at the top, below the objects of
// parent, as if its description named that parent. The entity must be able to find the
// objects below such a parent: for an entity of the library, call the method Under of its
// Go type, which declares the parent too. Like entities, parents are declared before the
// first request is served.
func (a *API) DeclareParent(child, parent string) error {
	if a.life.Serving() {
		return errServing
	}
	if !apipath.IsName(child) || !apipath.IsName(parent) {
		return fmt.Errorf("shopapi: %q under %q: neither may be other than an entity name", child, parent)
	}
	partsOf(a).registry.Declared[[2]string{parent, child}] = true
	return nil
}

// RegisterEndpoint adds an endpoint. It fails when the address is registered already, or
// when an entity, a host's for instance, has the name that the endpoint reserves. Endpoints
// are registered before the first request is served.
func (a *API) RegisterEndpoint(e Endpoint) error {
	if a.life.Serving() {
		return errServing
	}
	if err := e.check(); err != nil {
		return err
	}
	if name := apipath.First(e.Address); !e.OfEntity && a.Registered(name) {
		return fmt.Errorf("shopapi: an entity is named %s, so the address %s cannot be switched on", name, e.Address)
	}
	if err := partsOf(a).endpoints.Add(e.Address, &e); err != nil {
		return fmt.Errorf("shopapi: %w", err)
	}
	if !e.OfEntity {
		partsOf(a).endpoints.Reserve(e.Address)
	}
	return nil
}

// Endpoints returns the registered endpoints in the order of their addresses.
func (a *API) Endpoints() []Endpoint {
	list := []Endpoint{}
	for _, e := range partsOf(a).endpoints.All() {
		list = append(list, *e)
	}
	return list
}

// EndpointAt returns the [Endpoint.Address] of the endpoint at an address below the entry
// point. ok is false where there is none.
func (a *API) EndpointAt(segments ...string) (address string, ok bool) {
	e, _, ok := partsOf(a).endpoints.Find(segments)
	if !ok {
		return "", false
	}
	return e.Address, true
}

// check finds mistakes in an endpoint beside its address.
func (e *Endpoint) check() error {
	if len(e.Methods) == 0 {
		return fmt.Errorf("shopapi: the endpoint %s has no method", e.Address)
	}
	for name, m := range e.Methods {
		if m.Serve == nil || !slices.Contains([]string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodDelete}, name) {
			return fmt.Errorf("shopapi: the endpoint %s cannot answer %s", e.Address, name)
		}
	}
	return nil
}

var errServing = errors.New("shopapi: entities are registered before the first request is served")

func (a *API) newEntry(e Entity) (*entry, error) {
	if a.life.Serving() {
		return nil, errServing
	}
	n, err := newEntry(e)
	if err != nil {
		return nil, err
	}
	if p, ok := a.opts.Privileges[n.Name]; ok {
		n.Privileges = p
		return n, n.check()
	}
	return n, nil
}

// Descriptions returns the descriptions of the entities at the top, in the order of their
// names: with the privilege names of [Options.Privileges], the offered operations, and
// all declared parents. Entities that exist only under a parent are not included.
func (a *API) Descriptions() []Description {
	list := make([]Description, 0, len(partsOf(a).registry.Top))
	for name, e := range partsOf(a).registry.Top {
		d := e.describe()
		d.Parents = slices.Concat(d.Parents, partsOf(a).registry.DeclaredParents(name))
		list = append(list, d)
	}
	slices.SortFunc(list, func(a, b Description) int { return cmp.Compare(a.Name, b.Name) })
	return list
}

// describe is the description with the operations that are offered.
func (e *entry) describe() Description {
	d := e.Description
	d.Operations = e.operations()
	return d
}

// operations returns the operations that the entity has.
func (e *entry) operations() []Operation {
	list := []Operation{}
	for _, op := range everyOperation {
		if e.Offers(op) {
			list = append(list, Operation(op))
		}
	}
	return list
}

// everyOperation has the operations that an entity can offer.
var everyOperation = []string{string(OpList), string(OpGet), string(OpCreate), string(OpUpdate), string(OpDelete)}

// An EntityPath is a path of the API: an entity at the top, or below the objects of other
// entities.
type EntityPath struct {
	// Parents are the entities that the address passes through, outermost first.
	Parents []Description

	// Description is the entity's description, with the operations that it offers.
	Description

	// OnlyHere means that the entity exists only below the last of Parents
	// ([API.RegisterUnder]).
	OnlyHere bool

	// MatchField is the field by which PUT with match finds objects (E6), "" where no such
	// PUT exists.
	MatchField string

	entry *entry
}

// EntityAt returns the entity at an address below the entry point, such as "products" or
// "products", "7", "discussions". The path has no parents. It returns the 404 of an address
// without an entity.
func (a *API) EntityAt(segments ...string) (EntityPath, error) {
	t, err := a.resolve(segments)
	if err != nil {
		return EntityPath{}, err
	}
	return EntityPath{Description: t.Entry.describe(), entry: t.Entry}, nil
}

// Entity returns the entity as it was registered. Its capabilities act without the checks of
// the request pipeline.
func (p *EntityPath) Entity() Entity { return p.entry.entity }

// Store returns the store of the objects, nil where it is not known.
func (p *EntityPath) Store() store.Store { return p.entry.st }

// Offers reports whether the entity has the operation.
func (p *EntityPath) Offers(op Operation) bool { return slices.Contains(p.Operations, op) }

// EntityPaths returns all paths of the API, including entities that exist only under a
// parent: in the order of their names, nested paths after their parents.
func (a *API) EntityPaths() []EntityPath {
	var paths []EntityPath
	for _, found := range partsOf(a).registry.Paths() {
		e := found.Entry
		p := EntityPath{Description: e.describe(), OnlyHere: partsOf(a).registry.Top[e.Name] != e, entry: e}
		for _, parent := range found.Parents {
			p.Parents = append(p.Parents, parent.describe())
		}
		if a.match != nil && len(p.Parents) == 0 {
			p.MatchField = e.matchField
		}
		paths = append(paths, p)
	}
	return paths
}

// String is the path below the entry point, such as "categories/{id}/products".
func (p EntityPath) String() string {
	var b strings.Builder
	for _, parent := range p.Parents {
		b.WriteString(parent.Name + "/{id}/")
	}
	return b.String() + p.Name
}
