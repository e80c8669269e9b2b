package driver

import (
	"context"

	"github.com/shopapi/shopapi/internal/budget"
)

// ClientOf identifies the user whose request a context belongs to, by a value that can be
// compared; nil is the host's own code, and what runs before the user is known. A store
// gives its connections and its writer to clients in turns, so that many requests of one
// do not delay those of others.
func ClientOf(ctx context.Context) any { return budget.From(ctx).Client() }
