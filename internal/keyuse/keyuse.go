// Package keyuse notes on which day each API key was used last.
package keyuse

import (
	"context"
	"sync"
	"time"

	"github.com/shopapi/shopapi/store/driver"
)

// Uses are the uses of API keys by one process. The zero value records nothing.
type Uses struct {
	// Record records that a key was used on a day, which is given by its start in UTC.
	Record func(ctx context.Context, keyID string, day time.Time) error

	days sync.Map // of key id to its last day
}

// Note records the first use of a key on a day, and a use after a failure again. reads are
// what the user of the key depends on: the user is looked up again on another day.
func (u *Uses) Note(ctx context.Context, clock func() time.Time, reads *driver.ReadSet, keyID string) error {
	if u.Record == nil || keyID == "" {
		return nil
	}
	today := func() time.Time { return clock().UTC().Truncate(24 * time.Hour) }
	day := today()
	reads.While(func() bool { return today().Equal(day) })
	if last, known := u.days.Load(keyID); known && last == day {
		return nil
	}
	if err := u.Record(ctx, keyID, day); err != nil {
		return err
	}
	u.days.Store(keyID, day)
	return nil
}
