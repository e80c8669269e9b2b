// Package ratelimit counts the requests of users, and has the header fields that say how
// many are left (draft-ietf-httpapi-ratelimit-headers-10).
package ratelimit

import (
	"fmt"
	"strconv"
	"sync"
	"time"
)

// A Limiter allows each user a number of requests in a window of time, which begins with
// the user's first request. It may be used by several goroutines at once.
type Limiter[U comparable] struct {
	quota  int
	window time.Duration
	policy []string

	mu      sync.Mutex
	windows map[U]window
	sweep   int // how many windows there may be until ended ones are deleted
}

type window struct {
	end  time.Time
	used int
}

// New returns a limiter of so many requests in so many seconds, nil where either is 0.
func New[U comparable](requests, seconds int) *Limiter[U] {
	if requests <= 0 || seconds <= 0 {
		return nil
	}
	return &Limiter[U]{
		quota:   requests,
		window:  time.Duration(seconds) * time.Second,
		policy:  []string{fmt.Sprintf(`"default";q=%d;w=%d`, requests, seconds)},
		windows: map[U]window{},
		sweep:   minSweep,
	}
}

// minSweep is the least number of windows at which ended ones are deleted.
const minSweep = 1024

// A Count is the state of a user's window after a request.
type Count struct {
	OK     bool          // the requests were allowed
	Left   int           // requests until Reset
	Reset  time.Duration // until the window ends
	policy []string
}

// Take counts n requests of a user: all, or none if fewer are left.
func (l *Limiter[U]) Take(user U, n int, now time.Time) Count {
	l.mu.Lock()
	defer l.mu.Unlock()
	w, ok := l.windows[user]
	if !ok || !now.Before(w.end) || w.end.Sub(now) > l.window { // the clock may be set back
		w = window{end: now.Add(l.window)}
		if !ok {
			l.deleteEnded(now)
		}
	}
	allowed := n <= l.quota-w.used
	if allowed {
		w.used += n
	}
	l.windows[user] = w
	return Count{allowed, l.quota - w.used, w.end.Sub(now), l.policy}
}

// deleteEnded deletes ended windows once there are many. The number of windows that it
// leaves is at most that of the users of the last window of time.
func (l *Limiter[U]) deleteEnded(now time.Time) {
	if len(l.windows) < l.sweep {
		return
	}
	for user, w := range l.windows {
		if !now.Before(w.end) {
			delete(l.windows, user)
		}
	}
	l.sweep = max(minSweep, 2*len(l.windows))
}

// IsLimited reports whether there is a rate limit; the zero Count has none.
func (c Count) IsLimited() bool { return c.policy != nil }

// Policy is the value of the field RateLimit-Policy. It is shared: do not change it.
func (c Count) Policy() []string { return c.policy }

// Limit is the value of the field RateLimit: the requests that are left, and the seconds
// until there are all again.
func (c Count) Limit() string {
	b := append(make([]byte, 0, 32), `"default";r=`...)
	b = strconv.AppendInt(b, int64(c.Left), 10)
	b = append(b, ";t="...)
	return string(strconv.AppendInt(b, int64((c.Reset+time.Second-1)/time.Second), 10))
}
