package shopapi

import (
	"cmp"
	"slices"
)

// Descriptions returns what is known of the entities that are reached at the top,
// in the order of their names: with the privileges as [Options.Privileges] names
// them, the operations that are offered, and all parents that were declared.
// Entities that exist only under a parent are not among them.
func (a *API) Descriptions() []Description {
	list := make([]Description, 0, len(a.registry.top))
	for name, e := range a.registry.top {
		d := e.describe()
		d.Parents = slices.Clone(d.Parents)
		for key := range a.registry.parents {
			if key[1] == name && !slices.Contains(d.Parents, key[0]) {
				d.Parents = append(d.Parents, key[0])
			}
		}
		slices.Sort(d.Parents[len(e.Parents):])
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

// operations are those that the entity has.
func (e *entry) operations() []Operation {
	all := []Operation{OpList, OpGet, OpCreate, OpUpdate, OpDelete}
	return slices.DeleteFunc(all, func(op Operation) bool { return !e.has(op) })
}
