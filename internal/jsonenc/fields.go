package jsonenc

import (
	"encoding/json"
	"reflect"

	"github.com/shopapi/shopapi/internal/jsontext"
)

// Fields returns a function that reads single fields of an object, of any type, as its JSON
// shows them. ok is false for a field that the object lacks, that is null or no single value.
func Fields(object any) func(name string) (value string, ok bool) {
	object = Addressable(object)
	texts := textsOf(object)
	var buffer []byte
	return func(name string) (value string, ok bool) {
		if value, ok = texts.read(name); ok {
			return value, true
		}
		raw, known, err := AppendMember(buffer[:0], object, name)
		buffer = raw
		if !known {
			raw, err = memberOf(object, name)
		}
		if err != nil || len(raw) == 0 {
			return "", false
		}
		value, _, ok = jsontext.Scalar(raw)
		return value, ok
	}
}

// memberOf is for objects of any type: it encodes all of one to read one member.
func memberOf(object any, name string) (json.RawMessage, error) {
	data, err := Marshal(object, Unlimited())
	if err != nil {
		return nil, err
	}
	var members map[string]json.RawMessage
	err = json.Unmarshal(data, &members)
	return members[name], err
}

// Known returns the names of the members of an object type and of a type of items, and further
// names. The type of items may be nil if the object type is not. ok is false if the members of a
// type are not known.
func Known(object, item reflect.Type, more []string) (known map[string]bool, ok bool) {
	known = map[string]bool{}
	for _, t := range []reflect.Type{object, item} {
		if t == nil && object != nil {
			continue
		}
		members, ok := Members(t)
		if !ok {
			return nil, false
		}
		for _, name := range members {
			known[name] = true
		}
	}
	for _, name := range more {
		known[name] = true
	}
	return known, true
}
