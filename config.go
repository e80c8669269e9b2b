package shopapi

import (
	"context"
	"time"

	"github.com/shopapi/shopapi/store/driver"
)

// Now is the time by the API's clock. A response that depends on it is not cached
// (see [Description]), which is what the context is for.
func (a *API) Now(ctx context.Context) time.Time {
	driver.ReadSetOf(ctx).MarkUntracked()
	if a == nil {
		return time.Now()
	}
	return a.opts.Clock()
}

// Location is the time zone of periods and dates.
func (a *API) Location() *time.Location {
	if a == nil {
		return time.UTC
	}
	return a.opts.Location
}

// Edition is the shop's edition (§11).
func (a *API) Edition() Edition {
	if a == nil {
		return SingleStore
	}
	return a.opts.Edition
}

// Dialect is the reading that answers follow (§4).
func (a *API) Dialect() Dialect {
	if a == nil {
		return Documented
	}
	return a.opts.Dialect
}

// limits are what a request may use.
func (a *API) limits() Limits {
	if a == nil {
		return (*Options)(nil).withDefaults().Limits
	}
	return a.opts.Limits
}

// DefaultCompany is the company of objects that name none.
func (a *API) DefaultCompany() int64 {
	if a == nil {
		return 1
	}
	return a.opts.DefaultCompany
}
