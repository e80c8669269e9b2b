package users

import (
	"context"
	"errors"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/internal/scope"
)

// nameCompanies sets the names of the companies of users, as their entity tells
// them at the time of reading. Each is asked for once.
func (u *Users) nameCompanies(ctx context.Context, list []User) error {
	entity := scope.Companies(u.api)
	if !u.api.Registered(entity) {
		return nil
	}
	names := map[int64]*string{0: nil}
	for i := range list {
		id := list[i].CompanyID
		name, known := names[id]
		if !known {
			object, err := u.api.Lookup(ctx, entity, shopapi.FormatID(id))
			if err != nil && !errors.Is(err, shopapi.ErrNotFound) && !errors.Is(err, shopapi.ErrNotRegistered) {
				return err
			}
			if text, ok := shopapi.Field(object, "company"); err == nil && ok {
				name = &text
			}
			names[id] = name
		}
		list[i].CompanyName = name
	}
	return nil
}
