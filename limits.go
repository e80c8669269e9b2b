package shopapi

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/shopapi/shopapi/internal/budget"
	"github.com/shopapi/shopapi/internal/jsontext"
	"github.com/shopapi/shopapi/store"
)

// How long a request waits.
const (
	maxWait = 5 * time.Second  // for memory
	maxTurn = 20 * time.Second // of a list that waits behind lists of the same user; waiting uses no resources
)

// The bytes that operations are granted before they run. Memory beyond it is taken from
// the budget as they use it.
const (
	workOfGet   = 64 << 10
	workOfList  = 1 << 20
	workOfWrite = 256 << 10
	workPerByte = 6   // of a body, which is copied, parsed and bound
	workPerNode = 200 // of a body: see [jsontext.Nodes]
)

// A budgetClient identifies a user in the budget, and in the queues of stores.
type budgetClient struct {
	id    int64
	email string
}

// openShare gives the request a share of the budget, which is released with the response,
// and returns a context that uses it. A request inside another one uses that one's share.
func (p *pipeline) openShare(ctx context.Context) context.Context {
	if budget.From(ctx) != nil {
		return ctx
	}
	p.share = p.api.budget.Share(budgetClient{p.user.ID, p.user.Email})
	return budget.With(ctx, p.share)
}

// wait calls fn, which waits for a part of the budget, with a context that ends after the
// time. Then it returns a 429.
func (p *pipeline) wait(most time.Duration, fn func(context.Context) error) error {
	ctx, cancel := p.context()
	defer cancel()
	ctx, stop := context.WithTimeout(ctx, most)
	defer stop()
	err := fn(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		return errTooMuchAtOnce
	}
	return err
}

// waitForRead waits for the memory of an operation without a payload and, for a list,
// for the user's turn. Objects have no turns: a user's lists do not delay them.
func (p *pipeline) waitForRead(t *target) error {
	if t.op.takesPayload() {
		return nil // readPayload has waited
	}
	if t.op == OpList {
		return p.wait(maxTurn, func(ctx context.Context) error { return p.share.WaitWork(ctx, workOfList, true) })
	}
	return p.waitForWork(workOfGet)
}

// waitForWork waits for the first bytes of an operation.
func (p *pipeline) waitForWork(n int64) error {
	if p.share.TakeWork(n) {
		return nil
	}
	return p.wait(maxWait, func(ctx context.Context) error { return p.share.WaitWork(ctx, n, false) })
}

// readBody reads a body of at most so many bytes within the budget, and waits for the memory that its parsing
// takes.
func (p *pipeline) readBody(most int64) ([]byte, error) {
	size := most // of a body of unknown length
	if n := p.req.ContentLength; n >= 0 {
		size = min(n, most)
	}
	if !p.share.TakeBody(size) {
		if err := p.wait(maxWait, func(ctx context.Context) error { return p.share.WaitBody(ctx, size) }); err != nil {
			return nil, err
		}
	}
	var b bytes.Buffer
	if p.req.ContentLength >= 0 {
		b.Grow(int(size) + bytes.MinRead)
	}
	if _, err := b.ReadFrom(http.MaxBytesReader(p.w, p.req.Body, most)); err != nil {
		return nil, err
	}
	work := workOfWrite + workPerByte*int64(b.Len()) + workPerNode*int64(jsontext.Nodes(b.Bytes()))
	return b.Bytes(), p.waitForWork(work)
}

// errTooMuchAtOnce answers a request of a user whose other requests use all memory, or
// all turns, that one user may have.
var errTooMuchAtOnce = &Error{
	Status:     http.StatusTooManyRequests,
	Message:    "Too many of your requests are running at once. Try again later.",
	retryAfter: retryLater,
}

// errTooMuchMemory answers a request that needs more memory than one user may have.
var errTooMuchMemory = &Error{
	Status:  http.StatusBadRequest,
	Message: "The request needs more memory than is allowed. Ask for fewer items at once with items_per_page and page, or send less.",
}

// budgetError returns the response to an error of the budget, nil for any other error.
func budgetError(err error) *Error {
	switch exceeded, never := budget.Exceeded(err); {
	case never:
		return errTooMuchMemory
	case exceeded:
		return errTooMuchAtOnce
	}
	return nil
}

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

// streamSlots bounds the responses that wait or stream: each of them is a connection and a
// goroutine that may last for hours.
type streamSlots struct {
	all, each int // at most; each is of one user

	mu     sync.Mutex
	open   int
	byUser map[budgetClient]int
}

// errTooManyStreams answers a request beyond the limits of responses that wait or stream.
var errTooManyStreams = &Error{
	Status:     http.StatusTooManyRequests,
	Message:    "Too many requests wait or stream at once. End one of them, or try again later.",
	retryAfter: retryLater,
}

// enter takes a slot for a user until leave is called, or returns a 429.
func (s *streamSlots) enter(user *User) (leave func(), err error) {
	client := budgetClient{user.ID, user.Email}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open >= s.all || s.byUser[client] >= s.each {
		return nil, errTooManyStreams
	}
	s.open++
	s.byUser[client]++
	return sync.OnceFunc(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.open--
		if s.byUser[client]--; s.byUser[client] == 0 {
			delete(s.byUser, client)
		}
	}), nil
}

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
