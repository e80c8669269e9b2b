package carts

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"

	"github.com/shopapi/shopapi/internal/jsonenc"
	"github.com/shopapi/shopapi/users"
)

// UserData is the owner of a cart as the entity users returns it. On the wire it is an
// empty array for a guest. If the users are the host's own, it has only the fields that
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
	text, err := jsonenc.Append(nil, u.User)
	if err != nil {
		return dst, err
	}
	return appendProfile(dst, text)
}

// MarshalJSON returns the text of AppendJSON.
func (u UserData) MarshalJSON() ([]byte, error) { return u.AppendJSON(nil) }

// profileFields are the names of the fields of users.
var profileFields, _ = jsonenc.Members(reflect.TypeFor[users.User]())

// appendProfile appends an object with the fields of users of another one; an empty array
// if there are none.
func appendProfile(dst, object []byte) ([]byte, error) {
	start := len(dst)
	tokens := json.NewDecoder(bytes.NewReader(object))
	if brace, err := tokens.Token(); err != nil || brace != json.Delim('{') {
		return append(dst, "[]"...), err
	}
	for tokens.More() {
		name, err := tokens.Token()
		if err != nil {
			return dst, err
		}
		var value json.RawMessage
		if err := tokens.Decode(&value); err != nil {
			return dst, err
		}
		if !slices.Contains(profileFields, name.(string)) {
			continue
		}
		if len(dst) == start {
			dst = append(dst, '{')
		} else {
			dst = append(dst, ',')
		}
		dst = append(jsonenc.AppendString(dst, name.(string)), ':')
		dst = append(dst, value...)
	}
	if len(dst) == start {
		return append(dst, "[]"...), nil
	}
	return append(dst, '}'), nil
}
