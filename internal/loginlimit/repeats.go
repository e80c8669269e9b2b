package loginlimit

import (
	"crypto/sha256"
	"time"
)

// The repeats are the wrong credentials of each client, with the number of their failures
// since the first one of a window. Credentials that were forgotten in favour of more recent
// ones count as a new guess: a flood of guesses makes no guess free.
//
// The client is part of the key, so that an answer shows nothing about the attempts of others.
type repeats struct {
	limit   int
	window  time.Duration
	entries bounded[Hash, cell]
}

func newRepeats(limit int, window time.Duration, entries int) repeats {
	return repeats{limit, window, newBounded[Hash, cell](entries)}
}

// repeatKey identifies the credentials and the client of an attempt.
func (t *Try) repeatKey() Hash {
	if t.repeat == (Hash{}) {
		client := t.address
		if !client.IsValid() {
			client = t.network
		}
		text := client.AppendTo(t.attempt.Credentials[:])
		t.repeat = sha256.Sum256(text)
	}
	return t.repeat
}

// live returns the failures of the key in the window, 0 where there are none.
func (r *repeats) live(key Hash, now time.Time) cell {
	e, ok := r.entries.get(key)
	if passed := now.UnixNano() - e.since; !ok || passed <= -int64(r.window) || passed >= int64(r.window) {
		return cell{}
	}
	return e
}

// seen reports whether the key has failed in the window. A wait above 0 means that it has
// too often.
func (r *repeats) seen(key Hash, now time.Time) (seen bool, wait time.Duration) {
	e := r.live(key, now)
	if int(e.failures) >= r.limit {
		wait = r.window - time.Duration(now.UnixNano()-e.since)
	}
	return e.failures > 0, wait
}

// fail counts a failure, and reports whether it is a repeated one.
func (r *repeats) fail(key Hash, now time.Time) (repeated bool) {
	e := r.live(key, now)
	if repeated = e.failures > 0; !repeated {
		e.since = now.UnixNano()
	}
	e.failures = max(e.failures, e.failures+1) // does not wrap
	r.entries.put(key, e)
	return repeated
}

func (r *repeats) remove(key Hash) { r.entries.remove(key) }
