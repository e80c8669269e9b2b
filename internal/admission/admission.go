// Package admission limits what each client may use of the server: memory, turns of long
// operations and of bulk writes, streams, exports, and requests in a time. Its refusals are
// [*clienterror.Error] values.
package admission

import (
	"context"
	"math"
	"net/http"
	"time"

	"github.com/shopapi/shopapi/internal/budget"
	"github.com/shopapi/shopapi/internal/clienterror"
	"github.com/shopapi/shopapi/internal/pace"
	"github.com/shopapi/shopapi/internal/ratelimit"
	"github.com/shopapi/shopapi/internal/slots"
)

// A Client is a user of the server. The zero Client is the host's own Go code.
type Client struct {
	id    int64
	email string
}

// ClientOf returns the client with an id or, since users of a host may have none, with an
// e-mail address.
func ClientOf(id int64, email string) Client {
	if id != 0 {
		email = ""
	}
	return Client{id, email}
}

// Limits are the limits of a [Control].
type Limits struct {
	Memory               int64 // bytes for all clients
	Streams, UserStreams int   // responses that wait or stream: of all clients, of each
	Requests, Seconds    int   // the rate limit of each client; 0 for none
}

// A Control admits the requests of clients within limits. Make one with [New].
type Control struct {
	limits  Limits
	memory  *budget.Budget
	bulk    *pace.Pace
	streams *slots.Slots[Client]
	exports *slots.Slots[Client]
	rates   *ratelimit.Limiter[Client] // nil without a rate limit
	clock   func() time.Time
}

// New returns a control with these limits.
func New(l Limits, clock func() time.Time) *Control {
	return &Control{
		limits:  l,
		memory:  budget.New(l.Memory),
		bulk:    pace.New(),
		streams: slots.New[Client](l.Streams, l.UserStreams),
		exports: slots.New[Client](math.MaxInt, mostExports),
		rates:   ratelimit.New[Client](l.Requests, l.Seconds),
		clock:   clock,
	}
}

// retryAfter is the header Retry-After of refusals that end soon.
const retryAfter = time.Second

// EnterStream takes a slot for a response that waits or streams, until leave is called. The
// error is a 429.
func (c *Control) EnterStream(client Client) (leave func(), err error) {
	leave, ok := c.streams.Enter(client)
	if !ok {
		return nil, clienterror.RetryLater(retryAfter, "Too many requests wait or stream at once. End one of them, or try again later.")
	}
	return leave, nil
}

// mostExports is how many exports of one client may run at once.
const mostExports = 2

// EnterExport takes a slot for an export, until leave is called. The error is a 429.
func (c *Control) EnterExport(client Client) (leave func(), err error) {
	leave, ok := c.exports.Enter(client)
	if !ok {
		return nil, clienterror.RetryLater(retryAfter, "%d of your exports are running, and no more may run at once. Try again later.", mostExports)
	}
	return leave, nil
}

// Count counts requests of a client for the rate limit (extensions E10). The error is a 429
// where fewer are left; then none is counted.
func (c *Control) Count(client Client, requests int) (ratelimit.Count, error) {
	if c.rates == nil {
		return ratelimit.Count{}, nil
	}
	count := c.rates.Take(client, requests, c.clock())
	if !count.OK {
		return count, clienterror.RetryLater(count.Reset, "More than %d requests in %d seconds. Try again later.", c.limits.Requests, c.limits.Seconds)
	}
	return count, nil
}

// CountBatch counts the requests of a batch, which itself was counted as one. It returns a 413
// where they exceed the rate limit alone, and else the error of Count.
func (c *Control) CountBatch(client Client, requests int) (ratelimit.Count, error) {
	if c.rates != nil && requests > c.limits.Requests {
		return ratelimit.Count{}, clienterror.Errorf(http.StatusRequestEntityTooLarge,
			"A batch has at most %d requests, since a user may make no more in %d seconds.", c.limits.Requests, c.limits.Seconds)
	}
	return c.Count(client, requests-1)
}

// Write counts a write that is not a bulk write, until done is called.
func (c *Control) Write() (done func()) {
	c.bulk.Begin()
	return c.bulk.End
}

// RunBulk runs a bulk write once it is its turn: bulk writes run one at a time, of each client
// in turn, and while others write for at most half of the time. It returns the error of the
// context, or of fn.
func (c *Control) RunBulk(ctx context.Context, fn func() error) error {
	return c.bulk.Run(ctx, budget.From(ctx).Client(), fn)
}
