package admission

import (
	"context"
	"net/http"

	"github.com/shopapi/shopapi/internal/budget"
	"github.com/shopapi/shopapi/internal/clienterror"
)

// Open gives a request a share of the memory, which is released with its response, and
// returns a context that uses it. A request that runs within another one uses the other's
// share; its own is nil.
func (c *Control) Open(ctx context.Context, client Client) (context.Context, *budget.Share) {
	if budget.From(ctx) != nil {
		return ctx, nil
	}
	share := c.memory.Share(client)
	return budget.With(ctx, share), share
}

// OpenMember is Open for a request that is carried out within another one and has a share of
// its own, such as a request of a batch. It waits for no more memory than the other one has.
func (c *Control) OpenMember(ctx context.Context, client Client) (context.Context, *budget.Share) {
	outer := budget.From(ctx)
	if outer == nil {
		return c.Open(ctx, client)
	}
	share := outer.Within()
	return budget.With(ctx, share), share
}

// workOfGet is the number of bytes that reading an object is granted before it begins.
const workOfGet = 64 << 10

// AwaitGet waits for the memory of reading an object. Objects have no turns: a client's lists
// do not delay them.
func AwaitGet(ctx context.Context, s *budget.Share) error { return s.AwaitWork(ctx, workOfGet) }

// AwaitList waits for the memory of reading a list, and for the client's turn.
func AwaitList(ctx context.Context, s *budget.Share) error {
	return s.AwaitTurn(ctx, budget.ListWork, budget.LongTurn)
}

// Refusal returns the refusal of a request that exceeds the memory, nil for other errors.
func Refusal(err error) error {
	switch exceeded, never := budget.Exceeded(err); {
	case never:
		return clienterror.Errorf(http.StatusBadRequest, "The request needs more memory than is allowed. Ask for fewer items at once with items_per_page and page, or send less.")
	case exceeded:
		return clienterror.RetryLater(retryAfter, "Too many of your requests are running at once. Try again later.")
	}
	return nil
}
