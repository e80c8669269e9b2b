package shop

import (
	"context"
	"slices"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/companies"
	"github.com/shopapi/shopapi/users"
)

// registerCompanies adds the companies of the edition: stores or vendors.
func registerCompanies(ctx context.Context, s *Shop) (err error) {
	s.Companies, err = companies.Register(ctx, s.API, s.Store, s.Settings)
	return err
}

// signIn returns the conditions of signing in: the status of a user's vendor.
func (o *Options) signIn() []users.SignInFunc {
	if o.Edition != shopapi.MultiVendor || slices.Contains(o.Without, "vendors") {
		return nil
	}
	return []users.SignInFunc{companies.SignIn}
}
