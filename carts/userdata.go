package carts

import (
	"reflect"
	"slices"

	"github.com/shopapi/shopapi/field"
	"github.com/shopapi/shopapi/internal/jsonenc"
	"github.com/shopapi/shopapi/users"
)

// UserData is the owner of a cart as the entity users returns it. On the wire it is an
// empty array for a guest, and for a user without fields. If the users are the host's own, it has only the fields that
// users of package users have: the caller may not have the privilege to see others.
type UserData struct{ User any }

// AppendJSON appends the user.
func (u UserData) AppendJSON(dst []byte) ([]byte, error) {
	switch u.User.(type) {
	case nil:
		return append(dst, "[]"...), nil
	case users.User:
		return jsonenc.Append(dst, u.User)
	}
	start := len(dst)
	dst, err := jsonenc.Append(dst, field.NewChoice("user_id", userFields(), true).Object(u.User))
	if err == nil && string(dst[start:]) == "{}" {
		dst = append(dst[:start], "[]"...)
	}
	return dst, err
}

// MarshalJSON returns the text of AppendJSON.
func (u UserData) MarshalJSON() ([]byte, error) { return u.AppendJSON(nil) }

// userFields returns the fields of users of package users, in ascending order.
func userFields() []string {
	names, _ := jsonenc.Members(reflect.TypeFor[users.User]())
	return slices.Sorted(slices.Values(names))
}
