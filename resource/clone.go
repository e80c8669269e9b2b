package resource

import (
	"reflect"
	"slices"
	"strings"

	"github.com/shopapi/shopapi/internal/structfields"
)

// A cloner copies objects of one type deeply, so that changes of a copy do not show in
// the object: it also copies slices, maps and pointers. It also compares the fields that
// are not columns.
type cloner struct {
	deep   [][]int // indexes of fields that need more than an assignment
	extras []extra // fields that are not columns and that a change may set
}

// An extra is a field that is not a column.
type extra struct {
	index []int
	name  string // on the wire; "-" where answers do not show it
}

func clonerOf[T any]() clonerFor[T] {
	var c cloner
	for _, f := range structfields.Of(reflect.TypeFor[T]()) {
		if f.Anonymous || !f.IsExported() {
			continue
		}
		switch f.Type.Kind() {
		case reflect.Slice, reflect.Map, reflect.Pointer:
			c.deep = append(c.deep, f.Index)
		}
		column, _, _ := strings.Cut(f.Tag.Get("store"), ",")
		if column == "-" && f.Tag.Get("bind") != "-" {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			c.extras = append(c.extras, extra{f.Index, name})
		}
	}
	return clonerFor[T]{c}
}

// A clonerFor is the cloner of a type.
type clonerFor[T any] struct{ cloner }

func (c clonerFor[T]) clone(v *T) T {
	copied := *v
	if len(c.deep) == 0 {
		return copied
	}
	to := reflect.ValueOf(&copied).Elem()
	for _, index := range c.deep {
		field := to.FieldByIndex(index)
		field.Set(deepCopy(field))
	}
	return copied
}

// sameExtras reports whether two objects agree in the fields that are not columns.
func (c clonerFor[T]) sameExtras(a, b *T) bool {
	if len(c.extras) == 0 {
		return true
	}
	x, y := reflect.ValueOf(a).Elem(), reflect.ValueOf(b).Elem()
	for _, e := range c.extras {
		if !reflect.DeepEqual(x.FieldByIndex(e.index).Interface(), y.FieldByIndex(e.index).Interface()) {
			return false
		}
	}
	return true
}

// changedExtras returns the wire names of changed fields that are not columns. For a map
// without a name, it returns the keys.
func (c clonerFor[T]) changedExtras(a, b *T) (names []string) {
	x, y := reflect.ValueOf(a).Elem(), reflect.ValueOf(b).Elem()
	for _, e := range c.extras {
		was, is := x.FieldByIndex(e.index), y.FieldByIndex(e.index)
		switch {
		case e.name == "-" && is.Kind() == reflect.Map && is.Type().Key().Kind() == reflect.String:
			names = append(names, changedKeys(was, is)...)
		case e.name != "-" && !reflect.DeepEqual(was.Interface(), is.Interface()):
			names = append(names, e.name)
		}
	}
	return names
}

// changedKeys returns the keys whose values differ in two maps.
func changedKeys(a, b reflect.Value) (keys []string) {
	for _, of := range [][2]reflect.Value{{a, b}, {b, a}} {
		for _, key := range of[0].MapKeys() {
			x, y := of[0].MapIndex(key), of[1].MapIndex(key)
			if !slices.Contains(keys, key.String()) && (!y.IsValid() || !reflect.DeepEqual(x.Interface(), y.Interface())) {
				keys = append(keys, key.String())
			}
		}
	}
	return keys
}

// deepCopy returns a value that shares no slice, map or pointer with v. Structs
// with unexported fields, which guard themselves, are assigned.
func deepCopy(v reflect.Value) reflect.Value {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return v
		}
		copied := reflect.New(v.Type().Elem())
		copied.Elem().Set(deepCopy(v.Elem()))
		return copied
	case reflect.Slice:
		if v.IsNil() {
			return v
		}
		copied := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		if isFlat(v.Type().Elem()) {
			reflect.Copy(copied, v)
			return copied
		}
		for i := range v.Len() {
			copied.Index(i).Set(deepCopy(v.Index(i)))
		}
		return copied
	case reflect.Map:
		if v.IsNil() {
			return v
		}
		copied := reflect.MakeMapWithSize(v.Type(), v.Len())
		for iter := v.MapRange(); iter.Next(); {
			copied.SetMapIndex(iter.Key(), deepCopy(iter.Value()))
		}
		return copied
	case reflect.Struct:
		copied := reflect.New(v.Type()).Elem()
		copied.Set(v)
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() && !isFlat(v.Type().Field(i).Type) {
				copied.Field(i).Set(deepCopy(v.Field(i)))
			}
		}
		return copied
	}
	return v
}

// isFlat reports whether an assignment copies all of a value.
func isFlat(t reflect.Type) bool {
	return t.Kind() <= reflect.Complex128 || t.Kind() == reflect.String
}
