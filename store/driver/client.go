package driver

import (
	"context"

	"github.com/shopapi/shopapi/internal/budget"
)

// ClientOf identifies the user of a context's request by a comparable value; nil is the
// host's own code, or an unknown user. A store gives its connections and its writer to
// clients in turns, so that many requests of one client do not delay other clients.
func ClientOf(ctx context.Context) any { return budget.From(ctx).Client() }
