package resource

import (
	"errors"
	"reflect"
	"slices"
	"strings"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/internal/structfields"
	"github.com/shopapi/shopapi/store"
)

// withGoFields adds the names that the fields of an error have in the struct T, for
// callers that set them there.
func withGoFields[T any](err error) error {
	err = unstorable(err)
	var e *shopapi.Error
	if !errors.As(err, &e) || len(e.Fields) == 0 || err != error(e) {
		return err
	}
	inGo := map[string]string{}
	for _, f := range structfields.Of(reflect.TypeFor[T]()) {
		wire, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		for name := range e.Fields {
			if base, _, _ := strings.Cut(name, "["); base == wire {
				inGo[name] = goName(reflect.TypeFor[T](), f.Index)
			}
		}
	}
	if len(inGo) == 0 {
		return err
	}
	with := *e
	with.GoFields = inGo
	return &with
}

// unstorable turns the error of a text that no store takes, or of a unique value that another
// row has, into an error for clients, as responses have it.
func unstorable(err error) error {
	if errors.Is(err, store.ErrBadText) || errors.Is(err, store.ErrConflict) {
		return shopapi.AsError(err)
	}
	return err
}

// goName returns the shortest selector of a field, such as Name or Billing.City.
func goName(t reflect.Type, index []int) string {
	names := make([]string, len(index))
	for i := range index {
		names[i] = t.FieldByIndex(index[:i+1]).Name
	}
	for i := len(names) - 1; i > 0; i-- {
		if slices.Equal(selected(t, names[i:]), index) {
			return strings.Join(names[i:], ".")
		}
	}
	return strings.Join(names, ".")
}

// selected returns the index of the field that a selector chooses, nil for none.
func selected(t reflect.Type, names []string) (index []int) {
	for _, name := range names {
		f, ok := t.FieldByName(name)
		if !ok {
			return nil
		}
		index, t = append(index, f.Index...), f.Type
	}
	return index
}
