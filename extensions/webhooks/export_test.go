package webhooks

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"time"

	"github.com/shopapi/shopapi/store"
)

// Wake has all webhooks look for due deliveries, after a test moved the clock.
func (w *Webhooks) Wake() { w.worker.wake("*") }

// Resolve has names resolve as a test says.
func (w *Webhooks) Resolve(resolve func(ctx context.Context, host string) ([]netip.Addr, error)) {
	w.client.resolve = resolve
}

// Dial replaces the dialer of connections. It returns the one before.
func (w *Webhooks) Dial(dial func(ctx context.Context, network, address string) (net.Conn, error)) (before func(ctx context.Context, network, address string) (net.Conn, error)) {
	before, w.client.dial = w.client.dial, dial
	return before
}

// SetTimeout sets how long an attempt may take.
func (w *Webhooks) SetTimeout(d time.Duration) { w.client.timeout = d }

// MaxOpen is how many deliveries of a webhook wait in the database.
const MaxOpen = maxOpen

// LeaseTime is how long a lease lasts.
const LeaseTime = leaseTime

// Attempted returns how long after a failed attempt the next is due, and the state then.
func Attempted(n, code int, retryAfter time.Duration) (next time.Duration, state string) {
	now := time.UnixMilli(1_700_000_000_000)
	d := delivery{Open: true, Attempt: int64(n - 1)}
	d.attempted(&result{at: now, code: code, err: "it failed", retryAfter: retryAfter}, now)
	return time.UnixMilli(d.Due).Sub(now), d.State
}

// RetryAfter is how long an answer with the header Retry-After asks to wait.
func RetryAfter(status int, value string, now time.Time) time.Duration {
	return retryAfter(&http.Response{StatusCode: status, Header: http.Header{"Retry-After": {value}}}, now)
}

// Hold gives the lease to another process until a time.
func (w *Webhooks) Hold(ctx context.Context, holder string, until time.Time) error {
	return w.st.Update(ctx, func(_ context.Context, tx store.Tx) error {
		l := lease{LeaseID: leaseID, Holder: holder, Until: until.UnixMilli()}
		if err := leases.Update(tx, &l); !errors.Is(err, store.ErrNotFound) {
			return err
		}
		return leases.Insert(tx, &l)
	})
}

// Position is the position of the change log up to which a webhook has deliveries.
func (w *Webhooks) Position(ctx context.Context, id int64) (position string) {
	_ = w.st.View(ctx, func(_ context.Context, tx store.Tx) error {
		p, err := progresses.Get(tx, id)
		position = p.Position
		return err
	})
	return position
}
