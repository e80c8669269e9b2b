package pull

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/shopapi/shopapi/internal/tree"
	"github.com/shopapi/shopapi/store"
)

// A forest is the tree positions of an entity's objects, from its lists.
type forest map[int64]node

type node struct{ parent, position int64 }

// plant reads the parents in lists, and orders the items by their depth.
func plant(p *puller, name, key string, items []item) (forest, []item) {
	f := forest{}
	ids := map[string]int64{}
	for _, it := range items {
		o := p.objectOf(name, it.id, it.all())
		if id, ok := wholeNumber([]byte(`"` + it.id + `"`)); ok {
			f[id], ids[it.id] = node{o.int("parent_id"), o.int("position")}, id
		}
	}
	for _, it := range items {
		id := ids[it.id]
		n := f[id]
		if n.parent == 0 || f.reaches(id) {
			continue
		}
		p.report.problem(Problem{name, it.id, "parent_id", "leads to " + strconv.FormatInt(n.parent, 10) + ", which is not there or lies below it: it stands at the top now"})
		n.parent = 0
		f[id] = n
	}
	slices.SortStableFunc(items, func(a, b item) int { return len(f.path(ids[a.id])) - len(f.path(ids[b.id])) })
	return f, items
}

// reaches reports whether the ancestors of an object end at the top.
func (f forest) reaches(id int64) bool {
	for range len(f) + 1 {
		n, ok := f[id]
		if !ok {
			return false
		}
		if n.parent == 0 {
			return true
		}
		id = n.parent
	}
	return false
}

// path is the object and its ancestors, from the top.
func (f forest) path(id int64) (path []int64) {
	for range len(f) + 1 {
		n, ok := f[id]
		if !ok {
			break
		}
		path = append(path, id)
		if id = n.parent; id == 0 {
			break
		}
	}
	slices.Reverse(path)
	return path
}

// place is the place of an object as text: its ancestors and their positions.
func (f forest) place(text string) string {
	id, _ := wholeNumber([]byte(`"` + text + `"`))
	var b strings.Builder
	for _, above := range f.path(id) {
		fmt.Fprintf(&b, "%d at %d/", above, f[above].position)
	}
	return b.String()
}

// columns are the columns of an object that follow from its place.
func (f forest) columns(o *object, id int64) columns {
	if n, ok := f[id]; ok { // positions of single objects are newer than positions in lists
		f[id] = node{n.parent, max(0, o.int("position"))}
	} else {
		f[id] = node{0, max(0, o.int("position"))}
	}
	var ids []string
	order := ""
	for _, above := range f.path(id) {
		ids = append(ids, strconv.FormatInt(above, 10))
		order += tree.Order(max(0, f[above].position), above)
	}
	return columns{
		"parent_id": store.Int(f[id].parent), "position": store.Int(f[id].position),
		"id_path": store.String(strings.Join(ids, "/")), "tree_order": store.String(order),
	}
}
