package users

import (
	"context"
	"errors"

	"github.com/shopapi/shopapi"
)

// companies is the entity that the companies of the edition are objects of, ""
// where there is only one.
func companies(e shopapi.Edition) string {
	switch e {
	case shopapi.MultiStorefront:
		return "stores"
	case shopapi.MultiVendor:
		return "vendors"
	}
	return ""
}

// checkCompany returns a 400 when the company that was given for a user does not
// exist. The default company may be anything.
func (u *Users) checkCompany(ctx context.Context, given, company int64) error {
	entity := companies(u.api.Edition())
	if entity == "" || given == 0 || company == u.api.DefaultCompany() {
		return nil
	}
	var problems shopapi.Problems
	problems.Merge(u.api.CheckReference(ctx, &problems, "company_id", entity, company))
	return problems.Err()
}

// nameCompanies sets the names of the companies of users, as their entity tells
// them at the time of reading. Each is asked for once.
func (u *Users) nameCompanies(ctx context.Context, list []User) error {
	entity := companies(u.api.Edition())
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
