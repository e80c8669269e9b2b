package main

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// The entities that the workers write.
const (
	categories  = "categories"
	products    = "products"
	discussions = "discussions"
	orders      = "orders"
)

// A key identifies an object.
type key struct {
	entity string
	id     int64
}

func (k key) path() string { return k.entity + "/" + strconv.FormatInt(k.id, 10) }

// A state is the content of an object. Each write of a version changes several fields,
// which must always be of the same version.
type state struct {
	name    string // unique and fixed
	version int
	parent  int64   // of categories; the order of shipments
	in      []int64 // the categories of a product, ascending
}

// A model is the expected state of a worker's objects.
type model map[key]state

func (m model) clone() model {
	c := maps.Clone(m)
	for k, s := range c {
		s.in = slices.Clone(s.in)
		c[k] = s
	}
	return c
}

// remove removes an object with its dependent data: the subtree of a category and the
// links of products to it.
func (m model) remove(k key) {
	delete(m, k)
	if k.entity != categories {
		return
	}
	for other, s := range m {
		if i := slices.Index(s.in, k.id); i >= 0 {
			s.in = slices.Delete(slices.Clone(s.in), i, i+1)
			m[other] = s
		}
	}
	for other, s := range m {
		if other.entity == categories && s.parent == k.id {
			m.remove(other)
		}
	}
}

// below reports whether a category is another one or below it.
func (m model) below(id, top int64) bool {
	for ; id != 0; id = m[key{categories, id}].parent {
		if id == top {
			return true
		}
	}
	return false
}

// keys returns the objects of an entity, sorted.
func (m model) keys(entity string) []key {
	var list []key
	for k := range m {
		if k.entity == entity {
			list = append(list, k)
		}
	}
	slices.SortFunc(list, func(a, b key) int { return int(a.id - b.id) })
	return list
}

// differences describes how the shop's objects differ from the expected ones.
func (m model) differences(shop model) []string {
	var list []string
	for k, want := range m {
		got, ok := shop[k]
		switch {
		case !ok:
			list = append(list, fmt.Sprintf("lost: %s, %s of version %d", k.path(), want.name, want.version))
		case got.name != want.name || got.version != want.version || got.parent != want.parent || !slices.Equal(got.in, want.in):
			list = append(list, fmt.Sprintf("another state: %s is %+v, want %+v", k.path(), got, want))
		}
	}
	for k, got := range shop {
		if _, ok := m[k]; !ok {
			list = append(list, fmt.Sprintf("too many: %s, %s of version %d", k.path(), got.name, got.version))
		}
	}
	slices.Sort(list)
	return list
}

// title returns the text with name and version of an object.
func title(name string, version int) string { return fmt.Sprintf("%s v%d", name, version) }

// parseTitle reads name and version; ok is false for objects of no worker.
func parseTitle(text string) (name string, version int, ok bool) {
	name, number, ok := strings.Cut(text, " v")
	if !ok || !strings.HasPrefix(name, "fault-") {
		return "", 0, false
	}
	version, err := strconv.Atoi(number)
	return name, version, err == nil
}

// owner returns the worker that owns an object, by its name.
func owner(name string) string {
	parts := strings.SplitN(name, "-", 3)
	return parts[0] + "-" + parts[1]
}
