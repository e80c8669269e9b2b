package webhooks

import (
	"context"
	"net"
	"net/netip"
	"time"
)

// Wake has all webhooks look at what is due, after a test moved the clock.
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

// CloseIdle closes the connections that are kept for further messages.
func (w *Webhooks) CloseIdle() { w.client.http.CloseIdleConnections() }

// MaxOpen is how many deliveries of a webhook wait in the database.
const MaxOpen = maxOpen

// LeaseTime is how long a lease lasts.
const LeaseTime = leaseTime
