package route

import (
	"maps"
	"slices"

	"github.com/shopapi/shopapi/internal/apipath"
)

// A Path is a path of the interface: an entity at the top, or below others.
type Path[E Entity] struct {
	Parents []E // outermost first
	Entry   E
}

// Paths returns all paths in the order of their names, nested ones after their parents.
func (g *Registry[E]) Paths() []Path[E] {
	var paths []Path[E]
	names := g.Names()
	for _, name := range slices.Sorted(maps.Keys(g.Top)) {
		paths = g.appendPaths(paths, names, nil, g.Top[name])
	}
	return paths
}

func (g *Registry[E]) appendPaths(paths []Path[E], names []string, parents []E, e E) []Path[E] {
	paths = append(paths, Path[E]{parents, e})
	if 2*len(parents)+4 > apipath.MaxSegments {
		return paths
	}
	for _, name := range names {
		if child, ok := g.Child(e, name); ok {
			paths = g.appendPaths(paths, names, append(slices.Clip(parents), e), child)
		}
	}
	return paths
}

// A Viewer is what a user may view.
type Viewer[E Entity] struct {
	Privileged func(e E) bool                    // by the privileges alone
	May        func(e E, parents ...string) bool // below these parents
}

// MayView reports whether a user may view, at some address, the entity that the change log names
// so. parent is "" or the entity of the change's parent. An entity that has addresses of its own
// may be viewed without it.
func (g *Registry[E]) MayView(v Viewer[E], entity, parent string) bool {
	above := []string{parent}
	e, known := g.loggedBelow(parent, entity)
	if !known {
		if e, known = g.Top[entity]; !known {
			return g.mayViewBelow(v, entity)
		}
		if v.May(e) {
			return true
		}
		above = e.ParentNames()
	}
	for _, name := range above {
		if p, ok := g.Top[name]; ok && v.Privileged(p) && v.May(e, name) {
			return true
		}
	}
	return false
}

// mayViewBelow is MayView for an entity that is registered under others alone.
func (g *Registry[E]) mayViewBelow(v Viewer[E], entity string) bool {
	for key, e := range g.Under {
		if (key[1] == entity || e.LogName() == entity) && g.MayView(v, entity, key[0]) {
			return true
		}
	}
	return false
}

// loggedBelow returns the entity that is registered under a parent by the name that the
// change log has for it.
func (g *Registry[E]) loggedBelow(parent, name string) (e E, ok bool) {
	if e, ok := g.Under[[2]string{parent, name}]; ok {
		return e, true
	}
	for key, e := range g.Under {
		if key[0] == parent && e.LogName() == name {
			return e, true
		}
	}
	return e, false
}
