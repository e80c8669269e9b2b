package jsonenc

import (
	"reflect"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
	"unsafe"

	"github.com/shopapi/shopapi/internal/structfields"
)

// A member is one field of a struct as it is written.
type member struct {
	name   string // quoted, with its colon
	key    string
	offset uintptr
	encode encoder
	empty  func(unsafe.Pointer) bool // nil without omitempty or omitzero
	quoted bool                      // the option string
	isText bool                      // a string that does not write itself
	inline reflect.Type              // of an [Inliner]; nil for a field with a name
}

// An Inliner is a field whose members are members of the object that it is a field of.
// Its tag json is "-", so that encoding/json leaves it out.
type Inliner interface {
	// AppendMembers appends the members, with a comma after what dst has of the object,
	// unless dst ends with its brace. It skips members that has does not accept, and
	// members whose names are in written, to which it adds the others; both may be nil.
	AppendMembers(dst []byte, has func(name string) bool, written *[]string) ([]byte, error)
}

var inlinerType = reflect.TypeFor[Inliner]()

// appendInline writes the members of an [Inliner].
func (m *member) appendInline(dst []byte, at unsafe.Pointer, has func(string) bool, written *[]string) ([]byte, error) {
	return reflect.NewAt(m.inline, at).Interface().(Inliner).AppendMembers(dst, has, written)
}

// structure writes the planned members of a struct, and leaves other structs to encoding/json.
func structure(t reflect.Type) encoder {
	members, ok := structureOf(t)
	if !ok {
		return fallback(t)
	}
	return func(dst []byte, at unsafe.Pointer, l *Limit) (_ []byte, err error) {
		dst = append(dst, '{')
		first := true
		for i := range members {
			m := &members[i]
			field := unsafe.Add(at, m.offset)
			if m.inline != nil {
				if dst, err = m.appendInline(dst, field, nil, nil); err != nil {
					return dst, err
				}
				first = first && dst[len(dst)-1] == '{'
				continue
			}
			if m.empty != nil && m.empty(field) {
				continue
			}
			if !first {
				dst = append(dst, ',')
			}
			first = false
			dst = append(dst, m.name...)
			if dst, err = m.append(dst, field, l); err != nil {
				return dst, err
			}
			if dst, err = l.Check(dst); err != nil {
				return dst, err
			}
		}
		return append(dst, '}'), nil
	}
}

// append writes the field's value.
func (m *member) append(dst []byte, at unsafe.Pointer, l *Limit) (_ []byte, err error) {
	if !m.quoted {
		return m.encode(dst, at, l)
	}
	dst, err = m.encode(append(dst, '"'), at, l)
	return append(dst, '"'), err
}

var structures sync.Map // of reflect.Type to []member, nil for types that are not planned

// structureOf plans a struct: its fields in their order, the fields of an embedded struct
// at its position. ok is false for other types, for types that write themselves, and for what is left to
// encoding/json: embedded pointers, and duplicate names but for fields that hide fields of embedded
// structs. Goroutines that ask for a type at once may each plan it.
func structureOf(t reflect.Type) (members []member, ok bool) {
	if t == nil || t.Kind() != reflect.Struct {
		return nil, false
	}
	if found, planned := structures.Load(t); planned {
		members = found.([]member)
		return members, members != nil
	}
	if !implementsAny(t) {
		members, ok = membersOf(t, 0, "")
	}
	seen := map[string]bool{}
	for _, m := range members {
		ok = ok && !seen[m.key]
		seen[m.key] = true
	}
	switch {
	case !ok:
		members = nil
	case members == nil:
		members = []member{}
	}
	structures.Store(t, members)
	return members, ok
}

// AppendMember writes one member of the struct v, or of the struct that v points to.
// known is false if v is not a struct, or not a planned one: then only Append can write
// it. A missing or omitted member writes nothing.
func AppendMember(dst []byte, v any, name string) (_ []byte, known bool, err error) {
	rv := reflect.ValueOf(v)
	if rv.Kind() == reflect.Pointer {
		rv = rv.Elem()
	}
	if rv.Kind() != reflect.Struct {
		return dst, false, nil
	}
	list, known := structureOf(rv.Type())
	if !known {
		return dst, false, nil
	}
	if !rv.CanAddr() {
		rv = addressable(rv)
	}
	at := rv.Addr().UnsafePointer()
	for i := range list {
		m := &list[i]
		if m.key != name || m.inline != nil {
			continue
		}
		field := unsafe.Add(at, m.offset)
		if m.empty == nil || !m.empty(field) {
			dst, err = m.append(dst, field, Unlimited())
		}
		break
	}
	return dst, true, err
}

// texts reads texts of a struct.
type texts struct {
	at      unsafe.Pointer
	members []member
	next    int // after the member that was read last: many are read in their order
}

// textsOf reads what v points to. It has no texts if that is not a struct.
func textsOf(v any) texts {
	rv := reflect.ValueOf(v)
	if rv.Kind() != reflect.Pointer || rv.IsNil() {
		return texts{}
	}
	list, _ := structureOf(rv.Type().Elem())
	return texts{at: rv.UnsafePointer(), members: list}
}

// read returns a member that is a string, as [AppendMember] would write it. ok is false for any other member.
func (t *texts) read(name string) (text string, ok bool) {
	for n := range t.members {
		i := (t.next + n) % len(t.members)
		m := &t.members[i]
		if m.key != name || m.inline != nil {
			continue
		}
		t.next = i + 1
		if !m.isText || m.empty != nil {
			return "", false
		}
		text = *(*string)(unsafe.Add(t.at, m.offset))
		return text, utf8.ValidString(text)
	}
	return "", false
}

// Addressable returns a pointer to a copy of v where v is a struct, and any other v as
// it is: of a pointer [AppendMember] writes many members without a copy for each.
func Addressable(v any) any {
	if rv := reflect.ValueOf(v); rv.Kind() == reflect.Struct {
		return addressable(rv).Addr().Interface()
	}
	return v
}

func addressable(v reflect.Value) reflect.Value {
	copied := reflect.New(v.Type()).Elem()
	copied.Set(v)
	return copied
}

// membersOf lists the fields that are written. plain is false for what this
// package does not plan. The names begin with a prefix.
func membersOf(t reflect.Type, base uintptr, prefix string) (members []member, plain bool) {
	own := map[string]bool{}
	for sf := range t.Fields() {
		if sf.IsExported() {
			name, _, _ := strings.Cut(sf.Tag.Get("json"), ",")
			own[prefix+name] = name != "" && name != "-"
		}
	}
	for sf := range t.Fields() {
		tag := sf.Tag.Get("json")
		name, options, _ := strings.Cut(tag, ",")
		within, inlined := structfields.Inlined(sf)
		inlined = inlined && within != ""
		switch {
		case tag == "-" && !inlined && sf.IsExported() && reflect.PointerTo(sf.Type).Implements(inlinerType):
			members = append(members, member{offset: base + sf.Offset, inline: sf.Type})
			continue
		case tag == "-" && !inlined, !sf.IsExported() && !sf.Anonymous:
			continue
		case inlined || sf.Anonymous && name == "":
			if sf.Type.Kind() != reflect.Struct || !inlined && implementsAny(sf.Type) {
				return nil, false
			}
			inner, plain := membersOf(sf.Type, base+sf.Offset, prefix+within)
			if !plain {
				return nil, false
			}
			for _, m := range inner {
				if m.inline != nil || !own[m.key] { // a field hides fields of embedded structs
					members = append(members, m)
				}
			}
			continue
		}
		if name == "" {
			name = sf.Name
		}
		name = prefix + name
		m := member{
			key:    name,
			name:   string(AppendString(nil, name)) + ":",
			offset: base + sf.Offset,
			encode: encoderOf(sf.Type),
			isText: sf.Type.Kind() == reflect.String && !implementsAny(sf.Type),
		}
		for option := range strings.SplitSeq(options, ",") {
			switch option {
			case "":
			case "string":
				// It is for numbers and booleans; nothing else in the house has it.
				kind := sf.Type.Kind()
				if kind == reflect.Pointer && sf.Type.Elem() == reflect.TypeFor[int64]() {
					m.encode = quotedOrNull
					continue
				}
				if implementsAny(sf.Type) || kind != reflect.Int64 && kind != reflect.Int && kind != reflect.Bool {
					return nil, false
				}
				m.quoted = true
			case "omitempty":
				if m.empty = emptyOf(sf.Type); m.empty == nil {
					return nil, false
				}
			default:
				return nil, false
			}
		}
		members = append(members, m)
	}
	return members, true
}

// quotedOrNull writes the number that a pointer points to as a text, nil as null.
func quotedOrNull(dst []byte, at unsafe.Pointer, _ *Limit) ([]byte, error) {
	n := *(**int64)(at)
	if n == nil {
		return append(dst, "null"...), nil
	}
	return append(strconv.AppendInt(append(dst, '"'), *n, 10), '"'), nil
}

// implementsAny reports whether a type, or the pointer to it, writes itself.
func implementsAny(t reflect.Type) bool { return implementsItself(reflect.PointerTo(t)) }

// implementsItself reports whether a type does without its address.
func implementsItself(t reflect.Type) bool {
	return t.Implements(appenderType) || t.Implements(marshalerType) || t.Implements(textType)
}

// emptyOf returns the test of omitempty for a type, nil if the type is not planned.
func emptyOf(t reflect.Type) func(unsafe.Pointer) bool {
	switch t.Kind() {
	case reflect.String:
		return func(at unsafe.Pointer) bool { return *(*string)(at) == "" }
	case reflect.Int64:
		return func(at unsafe.Pointer) bool { return *(*int64)(at) == 0 }
	case reflect.Bool:
		return func(at unsafe.Pointer) bool { return !*(*bool)(at) }
	case reflect.Pointer:
		return func(at unsafe.Pointer) bool { return *(*unsafe.Pointer)(at) == nil }
	case reflect.Slice, reflect.Map, reflect.Interface:
		return func(at unsafe.Pointer) bool {
			v := reflect.NewAt(t, at).Elem()
			return v.Kind() == reflect.Interface && v.IsNil() || v.Kind() != reflect.Interface && v.Len() == 0
		}
	}
	return nil
}
