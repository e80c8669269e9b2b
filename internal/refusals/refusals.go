// Package refusals handles the responses 401 and 429: it logs them without filling the
// log, and gives them all the same duration (§3).
package refusals

import (
	"context"
	"log/slog"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"github.com/shopapi/shopapi/internal/plain"
)

// A Log logs refused requests: one line a minute for each network and kind of refusal.
// The zero value is not usable; see [New].
type Log struct {
	waiting chan struct{}

	mu      sync.Mutex
	since   time.Time
	logged  map[kind]struct{}
	dropped int
}

// A kind of refusal has one line within a window.
type kind struct {
	network netip.Prefix
	status  int
	message string
}

// New returns an empty Log.
func New() *Log { return &Log{waiting: make(chan struct{}, maxWaiting)} }

const (
	// duration is the least time that the refusal of credentials takes. The lookup of
	// credentials is shorter, and its time is not the same for known and unknown
	// e-mails (§3).
	duration = time.Millisecond

	// maxWaiting is the number of refusals that wait at once, each of which may take a
	// thread.
	maxWaiting = 64
)

// Wait returns when the refusal of a request whose lookup began then is due.
func (l *Log) Wait(began time.Time) {
	l.waiting <- struct{}{}
	defer func() { <-l.waiting }()
	sleep(duration - time.Since(began))
}

const (
	window   = time.Minute
	maxLines = 1000 // within a window
)

// A Refusal is a refused request.
type Refusal struct {
	Address netip.Addr // of the client; zero when it is not known
	Status  int        // 401 or 429
	Message string     // of the response
}

// Refused logs a refusal, without anything that was sent as credentials.
func (l *Log) Refused(logger *slog.Logger, req *http.Request, r Refusal, now time.Time) {
	line, dropped := l.add(kind{networkOf(r.Address), r.Status, r.Message}, now)
	ctx := context.WithoutCancel(req.Context())
	if dropped > 0 {
		logger.LogAttrs(ctx, slog.LevelInfo, "more requests were refused", slog.Int("requests", dropped))
	}
	if !line {
		return
	}
	level := slog.LevelInfo
	if r.Status == http.StatusTooManyRequests {
		level = slog.LevelWarn
	}
	logger.LogAttrs(ctx, level, "a request was refused",
		slog.String("address", addressText(r.Address)), slog.Int("status", r.Status), slog.String("error", r.Message),
		slog.String("method", plain.Short(req.Method)), slog.String("path", plain.Short(req.URL.Path)))
}

// add reports whether the refusal gets a line, and how many refusals got none in the
// window before.
func (l *Log) add(k kind, now time.Time) (line bool, dropped int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if passed := now.Sub(l.since); passed >= window || passed < 0 {
		dropped, l.dropped = l.dropped, 0
		l.since, l.logged = now, map[kind]struct{}{}
	}
	if _, known := l.logged[k]; known || len(l.logged) >= maxLines {
		l.dropped++
		return false, dropped
	}
	l.logged[k] = struct{}{}
	return true, dropped
}

// networkOf returns the network that has lines of its own: an IPv4 address or an IPv6
// /48, in which a client may have any number of addresses.
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
