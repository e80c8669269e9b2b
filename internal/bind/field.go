package bind

import (
	"reflect"
	"strings"
	"sync"

	"github.com/shopapi/shopapi/internal/structfields"
)

// A Field is a field of a struct that requests can set.
type Field struct {
	Name string // in requests
	Kind Kind
	Type reflect.Type // of the struct's field

	Deprecated bool // by the tag deprecated
}

// Fields returns the fields of a struct type that requests can set, in its order.
func Fields(t reflect.Type) []Field {
	plan := fieldsOf(t)
	fields := make([]Field, len(plan))
	for i := range plan {
		fields[i] = plan[i].Field
	}
	return fields
}

// A field is a [Field] with its place in the struct and its conversion.
type field struct {
	Field
	index []int
	value reflect.Type // the field's type, or the type that it points to
	read  conversion   // of a value, or of an item of a list
	codes bool         // tagged bind:"codes": a text that joins all values of a parameter
}

var fieldCache sync.Map // of reflect.Type to []field

// fieldsOf returns the fields of a struct type, which are computed once.
func fieldsOf(t reflect.Type) []field {
	if known, ok := fieldCache.Load(t); ok {
		return known.([]field)
	}
	known, _ := fieldCache.LoadOrStore(t, newFields(t))
	return known.([]field)
}

func newFields(t reflect.Type) []field {
	var fields []field
	for _, sf := range structfields.Of(t) {
		name, _, _ := strings.Cut(sf.Tag.Get("json"), ",")
		if sf.Anonymous || !sf.IsExported() || name == "" || name == "-" || sf.Tag.Get("bind") == "-" {
			continue
		}
		value := sf.Type
		if value.Kind() == reflect.Pointer {
			value = value.Elem()
		}
		if kind := KindOf(value); kind != readOnly {
			fields = append(fields, field{Field{name, kind, sf.Type, sf.Tag.Get("deprecated") != ""}, sf.Index, value, kind.conversion(), sf.Tag.Get("bind") == "codes"})
		}
	}
	return fields
}
