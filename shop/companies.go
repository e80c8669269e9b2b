package shop

import (
	"context"
	"slices"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/companies"
	"github.com/shopapi/shopapi/users"
)

// registerCompanies adds the companies of an edition. Other editions have the tables alone,
// so that a shop has all tables of [Schemas] whatever its edition.
func (s *Shop) registerCompanies(ctx context.Context, edition shopapi.Edition) (err error) {
	switch s.Edition() {
	case edition:
		s.Companies, err = companies.Register(ctx, s.API, s.Store, s.Settings)
	case shopapi.SingleStore:
		err = s.Store.Migrate(ctx, companies.Schemas()...)
	}
	return err
}

// signIn returns the conditions of signing in: the status of a user's vendor.
func (o *Options) signIn() []users.SignInFunc {
	if o.Edition != shopapi.MultiVendor || slices.Contains(o.Without, "vendors") {
		return nil
	}
	return []users.SignInFunc{companies.SignIn}
}
