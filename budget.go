package shopapi

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/shopapi/shopapi/internal/budget"
	"github.com/shopapi/shopapi/internal/jsontext"
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
	return p.wait(maxWait, func(ctx context.Context) error { return p.share.WaitWork(ctx, workOfGet, false) })
}

// readBody reads a body of at most so many bytes within the budget, and waits for the memory that its parsing
// takes.
func (p *pipeline) readBody(most int64) ([]byte, error) {
	size := most // of a body of unknown length
	if n := p.req.ContentLength; n >= 0 {
		size = min(n, most)
	}
	if err := p.wait(maxWait, func(ctx context.Context) error { return p.share.WaitBody(ctx, size) }); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if p.req.ContentLength >= 0 {
		b.Grow(int(size) + bytes.MinRead)
	}
	if _, err := b.ReadFrom(http.MaxBytesReader(p.w, p.req.Body, most)); err != nil {
		return nil, err
	}
	work := workOfWrite + workPerByte*int64(b.Len()) + workPerNode*int64(jsontext.Nodes(b.Bytes()))
	return b.Bytes(), p.wait(maxWait, func(ctx context.Context) error { return p.share.WaitWork(ctx, work, false) })
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
