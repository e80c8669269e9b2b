package resource

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/internal/structfields"
)

// A hookField is a field of an object that a [SaveHook] may try to set.
type hookField[T any] struct {
	index    []int
	name     string // on the wire, else in Go
	readOnly bool   // no payload sets it
}

// hookFieldsOf lists the fields of a type. No payload sets a field with the tag bind:"-", nor
// a column without a name on the wire.
func hookFieldsOf[T any]() (list []hookField[T]) {
	for _, f := range structfields.Of(reflect.TypeFor[T]()) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		isColumn := f.Tag.Get("store") != "-"
		field := hookField[T]{index: f.Index, name: name, readOnly: f.Tag.Get("bind") == "-" || name == "-" && isColumn}
		if name == "" || name == "-" {
			field.name = f.Name
		}
		list = append(list, field)
	}
	return list
}

func (f *hookField[T]) of(v *T) reflect.Value { return reflect.ValueOf(v).Elem().FieldByIndex(f.index) }

func (f *hookField[T]) copy(to, from *T) { f.of(to).Set(deepCopy(f.of(from))) }

func (f *hookField[T]) equal(a, b *T) bool {
	return reflect.DeepEqual(f.of(a).Interface(), f.of(b).Interface())
}

// setByHook returns the fields of an object that a hook set. It returns an error that
// names a field that no PUT can set: payloads do not contain it, or
// [Rules.RestoreImmutable] restores it in an existing object.
func (c *collection[T, S]) setByHook(after, saved *T) ([]hookField[T], error) {
	set := slices.DeleteFunc(slices.Clone(c.hookFields), func(f hookField[T]) bool { return f.equal(after, saved) })
	if len(set) == 0 {
		return nil, nil
	}
	was, is := c.cloner.clone(after), c.cloner.clone(saved)
	var problems shopapi.Problems
	if c.def.Rules.RestoreImmutable != nil {
		existing := max(c.id(after), 1)
		c.def.Table.SetKey(was, existing)
		c.def.Table.SetKey(is, existing)
		c.def.Rules.RestoreImmutable(is, was, &problems)
	}
	c.def.Table.SetKey(was, c.id(after))
	c.def.Table.SetKey(is, c.id(after))
	for _, f := range set {
		if f.readOnly || f.equal(is, was) || problems.Has(f.name) {
			return nil, fmt.Errorf("resource: a hook of %s set %s, which no request can change", c.def.Name, f.name)
		}
	}
	return set, nil
}
