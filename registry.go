package shopapi

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// An entry is one registered entity: its description and the functions that its
// capabilities gave. Dispatch, 405 and Allow read this table alone.
type entry struct {
	Description
	list   func(context.Context, *Request) (any, error)
	get    func(context.Context, *Request, string) (any, error)
	create func(context.Context, *Request) (Reply, error)
	update func(context.Context, *Request, string) (Reply, error)
	delete func(context.Context, *Request, string) error

	authorize func(*User, Operation, []string) error // nil: privileges are all it takes
}

// has reports whether the entity has the operation.
func (e *entry) has(op Operation) bool {
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
	}
	return false
}

func newEntry(e Entity) (*entry, error) {
	if e == nil {
		return nil, errors.New("shopapi: the entity is nil")
	}
	n := &entry{Description: e.Describe()}
	if l, ok := e.(Lister); ok {
		n.list = l.List
	}
	if g, ok := e.(Getter); ok {
		n.get = g.Get
	}
	if c, ok := e.(Creator); ok {
		n.create = c.Create
	}
	if u, ok := e.(Updater); ok {
		n.update = u.Update
	}
	if d, ok := e.(Deleter); ok {
		n.delete = d.Delete
	}
	if z, ok := e.(Authorizer); ok {
		n.authorize = z.Authorize
	}
	return n, n.check()
}

// check finds what would only show at a request otherwise.
func (e *entry) check() error {
	switch {
	case !isSegment(e.Name):
		return fmt.Errorf("shopapi: the entity name %q is not made of a-z, 0-9 and _, beginning with a letter", e.Name)
	case e.list == nil && e.get == nil && e.create == nil && e.update == nil && e.delete == nil:
		return fmt.Errorf("shopapi: entity %s has no capability: it is no Lister, Getter, Creator, Updater or Deleter", e.Name)
	case e.IDField == "" && (e.create != nil || e.update != nil):
		return fmt.Errorf("shopapi: entity %s answers POST or PUT but has no IDField", e.Name)
	case (e.list != nil || e.get != nil) && e.Privileges.View == "":
		return fmt.Errorf("shopapi: entity %s can be read but names no privilege View", e.Name)
	case (e.create != nil || e.update != nil || e.delete != nil) && e.Privileges.Manage == "":
		return fmt.Errorf("shopapi: entity %s can be changed but names no privilege Manage", e.Name)
	case len(e.Children) > 0 && e.get == nil:
		return fmt.Errorf("shopapi: entity %s has children but is no Getter", e.Name)
	}
	seen := map[string]bool{}
	for _, child := range e.Children {
		if !isSegment(child) || seen[child] {
			return fmt.Errorf("shopapi: entity %s declares the child %q, which is no entity name or stands there twice", e.Name, child)
		}
		seen[child] = true
	}
	return nil
}

func isSegment(s string) bool {
	return s != "" && s[0] >= 'a' && s[0] <= 'z' &&
		strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789_") == ""
}

// The registry knows the entities by name, and those that exist only under one
// parent.
type registry struct {
	top   map[string]*entry
	under map[[2]string]*entry // parent, child
}

// child returns the entity reached under parent by name: the one registered for
// that parent, or the one of that name at the top.
func (g *registry) child(parent *entry, name string) (*entry, bool) {
	for _, declared := range parent.Children {
		if declared != name {
			continue
		}
		if e, ok := g.under[[2]string{parent.Name, name}]; ok {
			return e, true
		}
		e, ok := g.top[name]
		return e, ok
	}
	return nil, false
}

// Register adds an entity. It fails when the entity has no capability, when its
// description is incomplete, or when its name is taken. All entities are
// registered before the first request is served; later ones are refused. A nil
// *API, which serves nothing, has no use for entities: there it does nothing.
func (a *API) Register(e Entity) error {
	if a == nil {
		return nil
	}
	n, err := a.newEntry(e)
	if err != nil {
		return err
	}
	if _, taken := a.registry.top[n.Name]; taken {
		return fmt.Errorf("shopapi: an entity named %s is registered already", n.Name)
	}
	a.registry.top[n.Name] = n
	return nil
}

// RegisterUnder adds an entity that exists only as a child of parent, as the
// memberships of a user under users/5/usergroups do. It fails as [API.Register]
// does, and when the parent is not registered or does not declare the child. On a
// nil *API it does nothing.
func (a *API) RegisterUnder(parent string, e Entity) error {
	if a == nil {
		return nil
	}
	n, err := a.newEntry(e)
	if err != nil {
		return err
	}
	p, ok := a.registry.top[parent]
	if !ok {
		return fmt.Errorf("shopapi: entity %s cannot be registered under %s, which is not registered", n.Name, parent)
	}
	key := [2]string{parent, n.Name}
	if _, taken := a.registry.under[key]; taken {
		return fmt.Errorf("shopapi: an entity named %s is registered under %s already", n.Name, parent)
	}
	a.registry.under[key] = n
	if _, declared := a.registry.child(p, n.Name); !declared {
		delete(a.registry.under, key)
		return fmt.Errorf("shopapi: entity %s does not declare a child %s", parent, n.Name)
	}
	return nil
}

func (a *API) newEntry(e Entity) (*entry, error) {
	if a.serving.Load() {
		return nil, errors.New("shopapi: entities are registered before the first request is served")
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
