package shopapi

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/shopapi/shopapi/store/driver"
)

// keyUses knows on which day each API key was used last.
type keyUses struct {
	record func(ctx context.Context, keyID string, day time.Time) error // nil: uses are not recorded
	days   sync.Map                                                     // of key id to its last day
}

// OnKeyUse has record called when an API key, by its [User.KeyID], is used for the first time
// on a day, which is given by its start in UTC, and after a failure again. Several processes,
// and a process that starts again, each call it. An error is only logged. Call OnKeyUse before the first
// request.
func (a *API) OnKeyUse(record func(ctx context.Context, keyID string, day time.Time) error) {
	a.keyUses.record = record
}

// noteKeyUse notes that a key was used. reads are what the user of the key depends on: the
// user is looked up again on another day.
func (a *API) noteKeyUse(ctx context.Context, reads *driver.ReadSet, keyID string) {
	if a.keyUses.record == nil || keyID == "" {
		return
	}
	today := func() time.Time { return a.opts.Clock().UTC().Truncate(24 * time.Hour) }
	day := today()
	reads.While(func() bool { return today().Equal(day) })
	if last, known := a.keyUses.days.Load(keyID); known && last == day {
		return
	}
	if err := a.keyUses.record(ctx, keyID, day); err != nil {
		a.opts.Logger.LogAttrs(ctx, slog.LevelWarn, "the use of an API key could not be stored", slog.String("error", err.Error()))
		return
	}
	a.keyUses.days.Store(keyID, day)
}
