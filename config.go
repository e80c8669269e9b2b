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
	return a.opts.Clock()
}

// Today is Now in a time zone for what depends on its date alone. A response that does is
// cached until the day is over there.
func (a *API) Today(ctx context.Context, zone *time.Location) time.Time {
	now := a.opts.Clock().In(zone)
	driver.ReadSetOf(ctx).While(func() bool { return sameDay(now, a.opts.Clock().In(zone)) })
	return now
}

func sameDay(a, b time.Time) bool { return a.YearDay() == b.YearDay() && a.Year() == b.Year() }

// Location is [Options.Location]. What periods and dates follow is [API.LocationIn].
func (a *API) Location() *time.Location {
	return a.opts.Location
}

// Edition is the shop's edition (§11).
func (a *API) Edition() Edition {
	return a.opts.Edition
}

// Dialect is the reading that answers follow (§4).
func (a *API) Dialect() Dialect {
	return a.opts.Dialect
}

// DefaultCompany is the company of objects that name none.
func (a *API) DefaultCompany() int64 {
	return a.opts.DefaultCompany
}

// Limits are those of requests, with the defaults in place of what the options leave
// out.
func (a *API) Limits() Limits {
	return a.opts.Limits
}
