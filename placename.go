package shopapi

import (
	"cmp"
	"context"
)

// PlaceName returns the name of a country, or of a state in it: what
// [Options.PlaceName] answers, else the code (§23). A state of "" asks for the
// country.
func (a *API) PlaceName(ctx context.Context, country, state string) string {
	code := cmp.Or(state, country)
	if a.opts.PlaceName == nil || code == "" {
		return code
	}
	return cmp.Or(a.opts.PlaceName(ctx, country, state), code)
}
