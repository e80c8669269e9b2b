package jsonenc

import (
	"reflect"
	"slices"
	"unsafe"
)

// Members returns the names of the members of a struct type, in their order, without the
// members of an [Inliner]. ok is false for other types, and for types that marshal
// themselves.
func Members(t reflect.Type) (names []string, ok bool) {
	members, ok := structureOf(t)
	for i := range members {
		if members[i].inline == nil {
			names = append(names, members[i].key)
		}
	}
	return names, ok
}

// A Subset writes some members of the values of a struct type.
type Subset struct {
	t       reflect.Type
	members []*member
	has     func(name string) bool
}

// SubsetOf returns the subset of a struct type with the members that has accepts. ok is
// false where [Members] is.
func SubsetOf(t reflect.Type, has func(name string) bool) (s *Subset, ok bool) {
	members, ok := structureOf(t)
	s = &Subset{t: t, has: has}
	for i := range members {
		if members[i].inline != nil || has(members[i].key) {
			s.members = append(s.members, &members[i])
		}
	}
	return s, ok
}

// Writes reports whether Append writes a member of a name for every value.
func (s *Subset) Writes(name string) bool {
	return slices.ContainsFunc(s.members, func(m *member) bool { return m.inline == nil && m.key == name && m.empty == nil })
}

// Append writes the members of a value of the type, or of a pointer to it, without braces
// and without omitted members. dst ends with a brace or a member. Append skips members
// whose names are in written, and adds the names of the members that it writes; written
// may be nil.
func (s *Subset) Append(dst []byte, v any, written *[]string) (_ []byte, err error) {
	rv := reflect.ValueOf(v)
	if rv.Kind() != reflect.Pointer {
		rv = addressable(rv).Addr()
	}
	at := rv.UnsafePointer()
	for _, m := range s.members {
		field := unsafe.Add(at, m.offset)
		if m.inline != nil {
			if dst, err = m.appendInline(dst, field, s.has, written); err != nil {
				return dst, err
			}
			continue
		}
		if m.empty != nil && m.empty(field) || written != nil && slices.Contains(*written, m.key) {
			continue
		}
		if dst[len(dst)-1] != '{' {
			dst = append(dst, ',')
		}
		dst = append(dst, m.name...)
		if dst, err = m.append(dst, field, Unlimited()); err != nil {
			return dst, err
		}
		if written != nil {
			*written = append(*written, m.key)
		}
	}
	return dst, nil
}
