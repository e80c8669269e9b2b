package users

import (
	"context"
	"errors"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// nameListed sets the names of the fields that lists show: companies, countries and states.
func (u *Users) nameListed(ctx context.Context, tx store.Tx, list ...*Summary) error {
	for _, user := range list {
		user.Billing = user.Billing.Describe(ctx, u.api)
	}
	return u.nameCompanies(ctx, tx, list...)
}

// nameCompanies sets the names of the companies of users, read through the entity of
// companies, each company once.
func (u *Users) nameCompanies(ctx context.Context, _ store.Tx, list ...*Summary) error {
	entity := resource.CompanyEntity(u.api)
	if !u.api.Registered(entity) {
		return nil
	}
	names := map[int64]*string{0: nil}
	for _, user := range list {
		name, known := names[user.CompanyID]
		if !known {
			object, err := u.api.Lookup(ctx, entity, shopapi.FormatID(user.CompanyID))
			if err != nil && !errors.Is(err, shopapi.ErrNotFound) && !errors.Is(err, shopapi.ErrNotRegistered) {
				return err
			}
			if text, ok := shopapi.Field(object, "company"); err == nil && ok {
				name = &text
			}
			names[user.CompanyID] = name
		}
		user.CompanyName = name
	}
	return nil
}
