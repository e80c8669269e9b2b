package shopapi

import (
	"fmt"
	"net/http"
)

// A RateLimit is a number of requests in a number of seconds, counted for each user by
// each process (E10). Cached responses count. Further requests get a 429; the response
// headers RateLimit and RateLimit-Policy give the number of remaining requests. Without
// requests there is no limit.
type RateLimit struct{ Requests, Seconds int }

// A rateKey is a user as the rate limit counts them: by id or, where users of a host have
// none, by e-mail address.
type rateKey struct {
	id    int64
	email string
}

// count counts the request for the rate limit of its user, once that is known (E10).
func (a *API) count(p *pipeline) error {
	if a.rates == nil || p.user == nil {
		return nil
	}
	return a.take(p, 1)
}

// take counts so many requests of the user.
func (a *API) take(p *pipeline, n int) error {
	key := rateKey{id: p.user.ID}
	if key.id == 0 {
		key.email = p.user.Email
	}
	p.rate = a.rates.Take(key, n, a.opts.Clock())
	if p.rate.OK {
		return nil
	}
	limit := a.opts.RateLimit
	return &Error{
		Status:     http.StatusTooManyRequests,
		Message:    fmt.Sprintf("More than %d requests in %d seconds. Try again later.", limit.Requests, limit.Seconds),
		retryAfter: p.rate.Reset,
	}
}
