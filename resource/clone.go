package resource

import (
	"reflect"
	"slices"
	"strings"
	"sync"

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
		if column == "-" && f.Tag.Get("bind") != "-" && f.Type != customType {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			c.extras = append(c.extras, extra{f.Index, name})
		}
	}
	return clonerFor[T]{c}
}

// A clonerFor is the cloner of a type.
type clonerFor[T any] struct{ cloner }

func (c clonerFor[T]) clone(v *T) *T {
	copied := new(T)
	*copied = *v
	if len(c.deep) == 0 {
		return copied
	}
	to := reflect.ValueOf(copied).Elem()
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

// deepCopy returns a value that shares no slice, map or pointer with v.
func deepCopy(v reflect.Value) reflect.Value {
	copied := reflect.New(v.Type()).Elem()
	copied.Set(v)
	detach(copied)
	return copied
}

// detach replaces what an assigned value shares with its original: slices, maps and
// pointers. Structs with unexported fields, which guard themselves, keep those.
func detach(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return
		}
		copied := reflect.New(v.Type().Elem())
		copied.Elem().Set(v.Elem())
		detach(copied.Elem())
		v.Set(copied)
	case reflect.Slice:
		if v.IsNil() {
			return
		}
		copied := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		reflect.Copy(copied, v)
		if shares(v.Type().Elem()) {
			for i := range copied.Len() {
				detach(copied.Index(i))
			}
		}
		v.Set(copied)
	case reflect.Map:
		if v.IsNil() {
			return
		}
		copied := reflect.MakeMapWithSize(v.Type(), v.Len())
		for iter := v.MapRange(); iter.Next(); {
			copied.SetMapIndex(iter.Key(), deepCopy(iter.Value()))
		}
		v.Set(copied)
	case reflect.Struct:
		for _, i := range sharingFields(v.Type()) {
			detach(v.Field(i))
		}
	}
}

// shares reports whether an assigned value of a type shares something with its original.
func shares(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		return true
	case reflect.Struct:
		return len(sharingFields(t)) > 0
	}
	return false
}

// sharingFieldsOf has the indexes of the exported fields that share something, by the type
// of a struct.
var sharingFieldsOf sync.Map

func sharingFields(t reflect.Type) []int {
	if known, ok := sharingFieldsOf.Load(t); ok {
		return known.([]int)
	}
	var list []int
	for i := range t.NumField() {
		if f := t.Field(i); f.IsExported() && shares(f.Type) {
			list = append(list, i)
		}
	}
	sharingFieldsOf.Store(t, list)
	return list
}
