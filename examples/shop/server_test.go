package main

import (
	"log/slog"
	"testing"
	"time"

	"github.com/shopapi/shopapi"
)

// TestServer_TimeLimits: a client may be slow for so long and no longer, and the
// API's own limit passes first.
func TestServer_TimeLimits(t *testing.T) {
	s := newServer(shopapi.New(nil), slog.Default())
	const ownLimit = 30 * time.Second // the default of Limits.Time
	for name, limit := range map[string]time.Duration{"ReadTimeout": s.ReadTimeout, "WriteTimeout": s.WriteTimeout} {
		if limit <= ownLimit || limit > 2*time.Minute {
			t.Errorf("%s is %v", name, limit)
		}
	}
	for name, limit := range map[string]time.Duration{"ReadHeaderTimeout": s.ReadHeaderTimeout, "IdleTimeout": s.IdleTimeout} {
		if limit <= 0 || limit > 2*time.Minute {
			t.Errorf("%s is %v", name, limit)
		}
	}
}
