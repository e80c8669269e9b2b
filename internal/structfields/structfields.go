// Package structfields lists the fields of a struct as its JSON shows them.
package structfields

import (
	"reflect"
	"slices"
	"strings"
	"sync"
)

var types sync.Map // from reflect.Type to its fields: an entity asks for its types many times

// Of lists the exported fields of a struct type, with their indexes from t; the fields of
// an embedded struct, and of one with the tag prefix, come at its position: see [Inlined].
// As in encoding/json, a field hides deeper
// fields with the same JSON name, but not deeper fields with the same Go name, which
// [reflect.VisibleFields] leaves out. Fields without a JSON name are compared by their Go
// names. Callers share the list and must not change it.
func Of(t reflect.Type) []reflect.StructField {
	if list, ok := types.Load(t); ok {
		return list.([]reflect.StructField)
	}
	list, _ := types.LoadOrStore(t, slices.Clip(visible(t)))
	return list.([]reflect.StructField)
}

func visible(t reflect.Type) []reflect.StructField {
	var list []reflect.StructField
	depth := map[string]int{} // of the shallowest field of a name
	walk(t, nil, "", func(f reflect.StructField) {
		name := nameOf(&f)
		if d, seen := depth[name]; !seen || len(f.Index) < d {
			depth[name] = len(f.Index)
		}
		list = append(list, f)
	})
	return slices.DeleteFunc(list, func(f reflect.StructField) bool { return len(f.Index) != depth[nameOf(&f)] })
}

func walk(t reflect.Type, above []int, prefix string, fn func(reflect.StructField)) {
	for f := range t.Fields() {
		f.Index = slices.Concat(above, f.Index)
		inner, inlined := Inlined(f)
		switch {
		case inlined:
			walk(f.Type, f.Index, prefix+inner, fn)
		case f.IsExported():
			f.Tag = WithPrefix(f.Tag, prefix)
			fn(f)
		}
	}
}

// Inlined reports whether the fields of a struct are fields of the struct around it, and
// the prefix of their names there: an embedded struct without a JSON name has none, and
//
//	Billing address.Address `json:"billing" prefix:"b_"`
//
// has the fields b_city, b_country and so on. encoding/json has the object billing instead.
func Inlined(f reflect.StructField) (prefix string, ok bool) {
	if f.Type.Kind() != reflect.Struct {
		return "", false
	}
	if prefix = f.Tag.Get("prefix"); prefix != "" && f.IsExported() {
		return prefix, true
	}
	return "", f.Anonymous && f.Tag.Get("json") == ""
}

// WithPrefix returns the tag of a field whose JSON name begins with a prefix. A field
// without a name keeps its tag.
func WithPrefix(tag reflect.StructTag, prefix string) reflect.StructTag {
	name, _, _ := strings.Cut(tag.Get("json"), ",")
	if prefix == "" || name == "" || name == "-" {
		return tag
	}
	return reflect.StructTag(strings.Replace(string(tag), `json:"`, `json:"`+prefix, 1))
}

// nameOf is the name that a field has in JSON; without one it is that in Go, which no
// field has in JSON.
func nameOf(f *reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	if name == "" || name == "-" {
		return "." + f.Name
	}
	return name
}

// MayHave reports whether one of the types is a struct, or a pointer to a struct, with a JSON
// member of the name. If none of them is, their members are unknown, and MayHave returns true.
func MayHave(name string, types ...reflect.Type) bool {
	known := false
	for _, t := range types {
		for t != nil && t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		if t == nil || t.Kind() != reflect.Struct {
			continue
		}
		known = true
		if slices.ContainsFunc(Of(t), func(f reflect.StructField) bool {
			member, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			return member == name
		}) {
			return true
		}
	}
	return !known
}
