package shop

import (
	"context"
	"slices"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/companies"
	"github.com/shopapi/shopapi/users"
)

// registerCompanies adds the companies of an edition, where the shop is of it.
func (s *Shop) registerCompanies(ctx context.Context, edition shopapi.Edition) (err error) {
	if s.Edition() == edition {
		s.Companies, err = companies.Register(ctx, s.API, s.Store, s.Settings)
	}
	return err
}

// signIn is what may keep users out: the status of their vendor.
func (o *Options) signIn() []users.SignInFunc {
	if o.Edition != shopapi.MultiVendor || slices.Contains(o.Without, "vendors") {
		return nil
	}
	return []users.SignInFunc{companies.SignIn}
}
