package shopapi

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/shopapi/shopapi/store"
)

// errBatchTime is the cause of the end of a transaction that takes too long.
var errBatchTime = errors.New("shopapi: the transaction takes too long")

// BulkWrite runs fn in a transaction of st as a bulk write: bulk writes run one at a time,
// and while others write for at most half of the time. It is undone, and a 413 [*Error], after
// most, its repeats included; 0 means that it has no limit of its own.
func (a *API) BulkWrite(ctx context.Context, st store.Store, most time.Duration, fn func(ctx context.Context, tx store.Tx) error) error {
	return a.pace.Run(ctx, func() error {
		if err := a.cacheSettings(ctx); err != nil {
			return err
		}
		return a.withinTime(ctx, most, func(ctx context.Context, begun func()) error {
			return st.Update(ctx, func(ctx context.Context, tx store.Tx) error {
				begun()
				return fn(ctx, tx)
			})
		})
	})
}

// cacheSettings reads the settings, which are cached from reads outside of transactions alone,
// so that a long transaction does not read them again for each object.
func (a *API) cacheSettings(ctx context.Context) error {
	_, err := a.DefaultLanguage(ctx)
	return err
}

// withinTime runs a transaction, which has to end some time after it first called begun.
func (a *API) withinTime(ctx context.Context, most time.Duration, run func(ctx context.Context, begun func()) error) error {
	if most <= 0 {
		return run(ctx, func() {})
	}
	ctx, cancel := context.WithCancelCause(ctx)
	var timer *time.Timer
	err := run(ctx, func() {
		if timer == nil {
			timer = time.AfterFunc(most, func() { cancel(errBatchTime) })
		}
	})
	if timer != nil {
		timer.Stop()
	}
	late := err != nil && errors.Is(context.Cause(ctx), errBatchTime)
	cancel(nil)
	if late {
		return Errorf(http.StatusRequestEntityTooLarge, "The transaction took longer than %s and was undone. Send fewer requests at once.", most)
	}
	return err
}
