package bind

import (
	"fmt"
	"math"
	"reflect"
	"strconv"
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
	Codes      bool // by the tag bind:"codes": a text that joins all values of a parameter
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

// CheckFilter returns an error if a filter has a field that requests name and cannot set: the
// parameter would be ignored, and the list would have all objects. t may be nil.
func CheckFilter(t reflect.Type) error {
	if t == nil {
		return nil
	}
	for _, sf := range structfields.Of(t) {
		if value, named := requested(&sf); named && KindOf(value) == readOnly {
			return fmt.Errorf("the field %s of the filter %s has the type %s, which no parameter can set: use a text, a whole number, a bool, a decimal, "+
				"a []string, a []int64 or a type that reads itself from a text, or the tag bind:\"-\"", sf.Name, t, sf.Type)
		}
	}
	return nil
}

// requested returns the type of a field, or the type that it points to, and whether requests
// name the field.
func requested(sf *reflect.StructField) (value reflect.Type, named bool) {
	name, _, _ := strings.Cut(sf.Tag.Get("json"), ",")
	value = sf.Type
	if value.Kind() == reflect.Pointer {
		value = value.Elem()
	}
	return value, !sf.Anonymous && sf.IsExported() && name != "" && name != "-" && sf.Tag.Get("bind") != "-"
}

// A field is a [Field] with its place in the struct and its conversion.
type field struct {
	Field
	index []int
	value reflect.Type // the field's type, or the type that it points to
	read  conversion   // of a value, or of an item of a list

	low, high int64 // the bounds of a number, or of the items of a list of numbers
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
		value, named := requested(&sf)
		if !named {
			continue
		}
		name, _, _ := strings.Cut(sf.Tag.Get("json"), ",")
		if kind := KindOf(value); kind != readOnly {
			f := field{
				Field: Field{name, kind, sf.Type, sf.Tag.Get("deprecated") != "", sf.Tag.Get("bind") == "codes"},
				index: sf.Index, value: value, read: kind.conversion(),
			}
			if kind == Number || kind == Numbers {
				f.low, f.high = boundsOf(value, sf.Tag.Get("rule"))
			}
			fields = append(fields, f)
		}
	}
	return fields
}

// boundsOf returns the least and the greatest number that a field takes: min and max of its tag
// rule, otherwise the bounds of its type.
func boundsOf(t reflect.Type, rule string) (low, high int64) {
	if t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	high = math.MaxInt64 >> (64 - t.Bits())
	low = -high - 1
	for part := range strings.SplitSeq(rule, ",") {
		name, text, _ := strings.Cut(part, "=")
		bound, err := strconv.ParseInt(text, 10, 64)
		if text == "int32" {
			bound, err = math.MaxInt32, nil
		}
		switch {
		case err != nil:
		case name == "min":
			low = bound
		case name == "max":
			high = bound
		}
	}
	return low, high
}
