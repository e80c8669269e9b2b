package shopapi

import (
	"context"
	"maps"
	"slices"
	"strings"
)

// A Place is where the API answers for an entity: at the top, or under the objects
// of other entities.
type Place struct {
	// Parents are the entities that the address passes through, outermost first.
	Parents []Description

	// Description is that of the entity, with the operations that it offers.
	Description

	// OnlyHere says that the entity exists under the last of Parents alone
	// ([API.RegisterUnder]).
	OnlyHere bool

	api   *API
	entry *entry
}

// Places returns all places of the API, those of entities that exist only under a
// parent too: in the order of the names in their addresses, what is nested after
// what it lies under.
func (a *API) Places() []Place {
	var places []Place
	for _, name := range slices.Sorted(maps.Keys(a.registry.top)) {
		places = append(places, a.placesBelow(nil, a.registry.top[name])...)
	}
	return places
}

// placesBelow are the place of an entity under parents, and those nested in it.
func (a *API) placesBelow(parents []Description, e *entry) []Place {
	p := Place{Parents: parents, Description: e.describe(), OnlyHere: a.registry.top[e.Name] != e, api: a, entry: e}
	places := []Place{p}
	if 2*len(parents)+4 > maxSegments {
		return places
	}
	for _, name := range a.registry.childNames() {
		child, ok := a.registry.child(e, name)
		if ok {
			places = append(places, a.placesBelow(append(slices.Clip(parents), p.Description), child)...)
		}
	}
	return places
}

// childNames are the names of what may be registered under an entity.
func (g *registry) childNames() []string {
	names := map[string]bool{}
	for name := range g.top {
		names[name] = true
	}
	for key := range g.under {
		names[key[1]] = true
	}
	return slices.Sorted(maps.Keys(names))
}

// Rules returns what is known of the values of the entity's fields in bodies, and of
// the parameters of its lists; none where nothing is known.
func (p Place) Rules(ctx context.Context) (fields, parameters []Rule) {
	if p.entry.rules == nil {
		return nil, nil
	}
	return p.entry.rules(ctx, &Request{Payload: &Payload{}, api: p.api})
}

// String is the address below the entry point, such as "categories/{id}/products".
func (p Place) String() string {
	var b strings.Builder
	for _, parent := range p.Parents {
		b.WriteString(parent.Name + "/{id}/")
	}
	return b.String() + p.Name
}
