package apidoc

import (
	"reflect"
	"slices"
	"strings"

	"github.com/shopapi/shopapi/internal/structfields"
)

// A member is a field of a struct as encoding/json writes it.
type member struct {
	name     string
	in       reflect.Type // the struct with the field
	field    reflect.StructField
	optional bool // may be left out
	quoted   bool // the tag option string

	depth  int
	tagged bool
}

// membersOf returns the members of a struct in order, by the rules of encoding/json:
// among several of one name the least nested one wins, or the only tagged one at that
// depth.
func membersOf(t reflect.Type) []member {
	all := collect(nil, t, 0, "")
	return slices.DeleteFunc(slices.Clone(all), func(m member) bool {
		return slices.ContainsFunc(all, func(other member) bool {
			return other.name == m.name && !sameField(other, m) && !beats(m, other)
		})
	})
}

func sameField(a, b member) bool {
	return a.depth == b.depth && a.field.Type == b.field.Type && a.field.Offset == b.field.Offset && a.field.Name == b.field.Name
}

// beats reports whether a is written if both have the same name.
func beats(a, b member) bool {
	if a.depth != b.depth {
		return a.depth < b.depth
	}
	return a.tagged && !b.tagged
}

func collect(list []member, t reflect.Type, depth int, prefix string) []member {
	for f := range t.Fields() {
		within, inlined := structfields.Inlined(f)
		f.Tag = structfields.WithPrefix(f.Tag, prefix)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		inner := f.Type
		if inner.Kind() == reflect.Pointer {
			inner = inner.Elem()
		}
		switch {
		case inlined && within != "":
			list = collect(list, f.Type, depth+1, prefix+within)
		case f.Tag.Get("json") == "-":
		case f.Anonymous && name == "" && inner.Kind() == reflect.Struct:
			list = collect(list, inner, depth+1, prefix)
		case f.IsExported():
			m := member{name: name, in: t, field: f, depth: depth, tagged: name != ""}
			if name == "" {
				m.name = f.Name
			}
			for option := range strings.SplitSeq(options, ",") {
				m.optional = m.optional || option == "omitempty" || option == "omitzero"
				m.quoted = m.quoted || option == "string"
			}
			list = append(list, m)
		}
	}
	return list
}
