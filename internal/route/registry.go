// Package route finds the entity and the operation that the address and the method of a
// request name, below the parents of the address (§1, §2).
package route

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"

	"github.com/shopapi/shopapi/internal/apipath"
	"github.com/shopapi/shopapi/internal/clienterror"
	"github.com/shopapi/shopapi/internal/plain"
)

// An Entity is what addresses depend on of a registered entity.
type Entity interface {
	comparable
	Coded

	// Segment is the name of the entity in addresses.
	Segment() string

	// Offers reports whether the entity has an operation.
	Offers(operation string) bool

	// ActionNames are the names of its actions.
	ActionNames() []string

	// ParentNames are the names of the parents that its description names.
	ParentNames() []string

	// LogName is the entity as which the change log has its changes, "" for itself.
	LogName() string
}

// A Registry contains the entities by name, the entities that exist only under one parent,
// and further declarations about them. Make one with [New].
type Registry[E Entity] struct {
	Top      map[string]E
	Under    map[[2]string]E    // parent, child
	Declared map[[2]string]bool // parent, child: entities at the top that are below parent too
}

// New returns a registry without entities.
func New[E Entity]() Registry[E] {
	return Registry[E]{Top: map[string]E{}, Under: map[[2]string]E{}, Declared: map[[2]string]bool{}}
}

// Child returns the entity reached under parent by name: the one registered for that
// parent, or the one at the top that names the parent. A parent is one that can be read.
func (g *Registry[E]) Child(parent E, name string) (e E, ok bool) {
	if !parent.Offers(Get) {
		return e, false
	}
	key := [2]string{parent.Segment(), name}
	if e, ok := g.Under[key]; ok {
		return e, true
	}
	top, ok := g.Top[name]
	if !ok || !g.Declared[key] && !slices.Contains(top.ParentNames(), parent.Segment()) {
		return e, false
	}
	return top, true
}

// Find returns the entity with a name: at the top, or below any parent.
func (g *Registry[E]) Find(name string) (e E, ok bool) {
	if e, ok := g.Top[name]; ok {
		return e, true
	}
	for key, e := range g.Under {
		if key[1] == name {
			return e, true
		}
	}
	return e, false
}

// Names returns the names of all entities, in their order.
func (g *Registry[E]) Names() []string {
	names := map[string]bool{}
	for name := range g.Top {
		names[name] = true
	}
	for key := range g.Under {
		names[key[1]] = true
	}
	return slices.Sorted(maps.Keys(names))
}

// DeclaredParents returns the parents of an entity at the top that its description does not
// name, in the order of their names.
func (g *Registry[E]) DeclaredParents(child string) []string {
	var parents []string
	for key := range g.Declared {
		if key[1] == child && !slices.Contains(g.Top[child].ParentNames(), key[0]) {
			parents = append(parents, key[0])
		}
	}
	slices.Sort(parents)
	return parents
}

// CheckActions finds actions and children of one name: an address would mean both.
func (g *Registry[E]) CheckActions() error {
	var errs []error
	check := func(e E) {
		for _, action := range e.ActionNames() {
			if _, ok := g.Child(e, action); ok {
				errs = append(errs, fmt.Errorf("shopapi: %s under %s is both an action and an entity", action, e.Segment()))
			}
		}
	}
	for _, e := range g.Top {
		check(e)
	}
	for _, e := range g.Under {
		check(e)
	}
	slices.SortFunc(errs, func(a, b error) int { return cmp.Compare(a.Error(), b.Error()) })
	return errors.Join(errs...)
}

// Resolve finds the entity that the segments name. A parent needs an id, a child
// must be declared, and nothing is deeper than two levels below the top (§1, §2).
func (g *Registry[E]) Resolve(segments []string) (t Target[E], err error) {
	if len(segments) == 0 {
		return t, clienterror.Errorf(http.StatusNotFound, "The address names no entity.")
	}
	if len(segments) > apipath.MaxSegments {
		return t, clienterror.Errorf(http.StatusNotFound, "The address is nested too deep: at most two levels of entities below the first.")
	}
	e, ok := g.Top[segments[0]]
	if !ok {
		return t, clienterror.Errorf(http.StatusNotFound, "There is no entity named %s.", plain.Quoted(segments[0]))
	}
	t.Entry = e
	for i := 1; i < len(segments); i += 2 {
		t.ID = segments[i]
		if i+1 == len(segments) {
			break
		}
		child, ok := g.Child(t.Entry, segments[i+1])
		if !ok {
			if slices.Contains(t.Entry.ActionNames(), segments[i+1]) && i+2 == len(segments) {
				t.Action = segments[i+1]
				break
			}
			return t, clienterror.Errorf(http.StatusNotFound, "There is no entity named %s under %s.", plain.Quoted(segments[i+1]), t.Entry.Segment())
		}
		t.Parents = append(t.Parents, t.Step)
		t.Step = Step[E]{Entry: child}
	}
	return t, nil
}
