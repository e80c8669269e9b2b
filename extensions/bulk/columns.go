package bulk

import (
	"reflect"
	"slices"

	"github.com/shopapi/shopapi/internal/jsonenc"
)

// columnNames are the names of the members that objects of an export may have, as far as they
// are known.
func (x *exporter) columnNames() (names []string) {
	e, c := x.path.Description, x.choice
	types := []reflect.Type{e.Object, e.Item}
	switch {
	case c == nil && e.Item != nil:
		types = []reflect.Type{e.Item}
	case c.Whole():
		types = []reflect.Type{e.Object}
	}
	add := func(name string) {
		if c.Has(name) && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, t := range types {
		members, known := jsonenc.Members(t)
		if id := e.ObjectIDField(); slices.Contains(members, id) || !known && id != "" {
			names = append(names, id)
			break
		}
	}
	for _, t := range types {
		members, _ := jsonenc.Members(t)
		for _, name := range members {
			add(name)
		}
	}
	if e.MoreFields != nil && c != nil {
		for _, name := range e.MoreFields() {
			add(name)
		}
	}
	for _, f := range x.custom() {
		add(f.Name)
	}
	for _, name := range c.Names() {
		add(name)
	}
	return names
}
