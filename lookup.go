package shopapi

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/shopapi/shopapi/internal/jsonenc"
	"github.com/shopapi/shopapi/store/driver"
)

// Lookup reads one object of another entity by that entity's own Get, on behalf
// of the user of ctx: what that user may not see does not exist. Inside a
// transaction of the store that the entity keeps its rows in, it reads in that
// transaction.
//
// It returns [ErrNotRegistered] when no entity has the name or it cannot be read,
// [ErrNotFound] when the object does not exist, and other errors of the Get.
func (a *API) Lookup(ctx context.Context, entity, id string) (any, error) {
	e, ok := a.registry.top[entity]
	if !ok || e.get == nil {
		return nil, ErrNotRegistered
	}
	ctx = a.Confine(ctx)
	if !e.Cacheable {
		driver.ReadSetOf(ctx).MarkUntracked()
	}
	data, err := e.get(ctx, &Request{User: UserFrom(ctx), api: a}, id)
	if err != nil && asError(err).Status == 404 {
		return nil, ErrNotFound
	}
	return data, err
}

// LookupList runs the List of another entity, at its own address, on behalf of the
// user of ctx and with the filter of r. It returns [ErrNotRegistered] when no entity has
// the name or it has no list.
func (a *API) LookupList(ctx context.Context, entity string, r *Request) (any, error) {
	e, ok := a.registry.top[entity]
	if !ok || e.list == nil {
		return nil, ErrNotRegistered
	}
	if !e.Cacheable {
		driver.ReadSetOf(ctx).MarkUntracked()
	}
	return e.list(ctx, &Request{User: UserFrom(ctx), Filter: r.Filter, api: a, itemsPerPage: r.itemsPerPage})
}

// Registered reports whether an entity has the name.
func (a *API) Registered(entity string) bool {
	_, ok := a.registry.top[entity]
	return ok
}

// CheckReference notes a problem on field when it refers to an object that does
// not exist. Where the entity is not registered every id will do (§12). It
// returns an error when it cannot tell.
func (a *API) CheckReference(ctx context.Context, problems *Problems, field, entity string, id int64) error {
	_, err := a.Lookup(ctx, entity, FormatID(id))
	switch {
	case errors.Is(err, ErrNotRegistered):
		return nil
	case errors.Is(err, ErrNotFound):
		problems.Add(field, "must be the id of an object of %s that exists, not %d", entity, id)
		return nil
	}
	return err
}

// Field returns a field of an object as an answer would show it, whatever Go type
// an entity keeps it in. ok is false when the object has no such field, or it is
// null or no single value.
func Field(object any, name string) (value string, ok bool) { return FieldsOf(object)(name) }

// FieldsOf returns [Field] of one object, which is quicker where many of its fields are
// read. The object must not change meanwhile.
func FieldsOf(object any) func(name string) (value string, ok bool) {
	object = jsonenc.Addressable(object)
	var buffer []byte
	return func(name string) (value string, ok bool) {
		raw, known, err := jsonenc.AppendMember(buffer[:0], object, name)
		buffer = raw
		if !known {
			raw, err = memberOf(object, name)
		}
		if err != nil || len(raw) == 0 {
			return "", false
		}
		value, _, ok = scalarText(raw)
		return value, ok
	}
}

// memberOf is for objects of any type: it encodes all of one to read one member.
func memberOf(object any, name string) (json.RawMessage, error) {
	data, err := marshal(object)
	if err != nil {
		return nil, err
	}
	var members map[string]json.RawMessage
	err = json.Unmarshal(data, &members)
	return members[name], err
}
