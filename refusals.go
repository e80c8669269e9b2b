package shopapi

import (
	"context"
	"log/slog"
	"net/http"
	"net/netip"
	"sync"
	"time"
)

// Refusals are the responses 401 and 429. They all take as long, and the log tells
// who guesses: a line for each network and kind of refusal, and no more than one of
// it within a minute.
type refusals struct {
	waiting chan struct{}

	mu      sync.Mutex
	since   time.Time
	logged  map[refusal]struct{}
	dropped int
}

// A refusal is what has one line within a minute.
type refusal struct {
	network netip.Prefix
	status  int
	message string
}

func newRefusals() *refusals {
	return &refusals{waiting: make(chan struct{}, maxWaiting)}
}

const (
	// refusalTime is how long the refusal of credentials takes that were looked at:
	// longer than the look, whose time is not the same for known and unknown e-mails
	// (§3). Beyond maxWaiting at once, each of which may take a thread, others come
	// later.
	refusalTime = time.Millisecond
	maxWaiting  = 64
)

// wait returns when the refusal of a request that began then is due.
func (r *refusals) wait(began time.Time) {
	r.waiting <- struct{}{}
	defer func() { <-r.waiting }()
	sleep(refusalTime - time.Since(began))
}

const (
	refusalWindow = time.Minute
	maxRefusals   = 1000 // lines within a window
)

// refused logs the status 401 or 429 of a request, with the client's address and
// without anything that was sent as credentials.
func (p *pipeline) refused(e *Error) {
	addr := p.api.ClientAddress(p.req)
	line, dropped := p.api.refusals.add(refusal{networkOf(addr), e.Status, e.Message}, p.api.opts.Clock())
	ctx, logger := context.WithoutCancel(p.req.Context()), p.api.opts.Logger
	if dropped > 0 {
		logger.LogAttrs(ctx, slog.LevelInfo, "more requests were refused", slog.Int("requests", dropped))
	}
	if !line {
		return
	}
	level := slog.LevelInfo
	if e.Status == http.StatusTooManyRequests {
		level = slog.LevelWarn
	}
	logger.LogAttrs(ctx, level, "a request was refused",
		slog.String("address", addressText(addr)), slog.Int("status", e.Status), slog.String("error", e.Message),
		slog.String("method", short(p.req.Method)), slog.String("path", short(p.req.URL.Path)))
}

// add reports whether the refusal gets a line, and how many got none in the window
// before.
func (r *refusals) add(k refusal, now time.Time) (line bool, dropped int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if passed := now.Sub(r.since); passed >= refusalWindow || passed < 0 {
		dropped, r.dropped = r.dropped, 0
		r.since, r.logged = now, map[refusal]struct{}{}
	}
	if _, known := r.logged[k]; known || len(r.logged) >= maxRefusals {
		r.dropped++
		return false, dropped
	}
	r.logged[k] = struct{}{}
	return true, dropped
}

// networkOf is what has lines of its own: an IPv4 address or a /48, however many
// addresses a client has in it.
func networkOf(addr netip.Addr) netip.Prefix {
	bits := 48
	if addr.Is4() {
		bits = 32
	}
	network, err := addr.Prefix(bits)
	if err != nil { // the zero Addr
		return netip.Prefix{}
	}
	return network
}

func addressText(addr netip.Addr) string {
	if !addr.IsValid() {
		return "unknown"
	}
	return addr.String()
}
