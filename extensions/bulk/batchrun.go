package bulk

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/netip"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/internal/batch"
	"github.com/shopapi/shopapi/store"
)

// A batchRun is a batch that is carried out.
type batchRun struct {
	api    *shopapi.API
	limits shopapi.Limits
	*batch.Batch
	user   *shopapi.User
	remote netip.Addr
	st     store.Store // of an atomic batch, nil where no member names an entity
	keys   idempotent  // an entity over st

	prepared []prepared
	results  *batch.Results // so far
	filled   int64          // bytes of bodies and of values in addresses
}

// A prepared is what the entity of a member did before the transaction.
type prepared struct {
	result any
	err    error
}

// idempotent is an entity that carries out a POST once for all requests with its
// Idempotency-Key.
type idempotent interface {
	Idempotent(ctx context.Context, r *shopapi.Request, do func(ctx context.Context, tx store.Tx) (shopapi.Reply, error)) (shopapi.Reply, error)
}

// checkStores finds the store of an atomic batch, and members of others.
func (b *batchRun) checkStores() error {
	if !b.Atomic {
		return nil
	}
	var problems shopapi.Problems
	for i := range b.Members {
		segments := b.Members[i].Address.Segments
		at := fmt.Sprintf("requests[%d].url", i)
		if address, ok := b.api.EndpointAt(segments...); ok {
			problems.Add(at, "must not be an address of %s in an atomic batch: send it alone", address)
			continue
		}
		path, err := b.api.EntityAt(segments...)
		if err != nil {
			continue // the member's own response
		}
		st := path.Store()
		if b.st == nil {
			b.st = st
		}
		if b.keys == nil {
			b.keys, _ = path.Entity().(idempotent)
		}
		if st == nil || st != b.st {
			problems.Add(at, "must not be an address of %s in an atomic batch with the others: its objects are in another store", path.Name)
		}
	}
	return problems.Err()
}

// each carries out members one after another, each for itself.
func (b *batchRun) each(ctx context.Context) error {
	b.reset()
	for i := range b.Members {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := b.run(ctx, i); err != nil {
			return err // the batch waited too long for its turn
		}
	}
	return nil
}

// refuseRest answers the members that were not carried out with an error: the client learns which ones were.
func (b *batchRun) refuseRest(ctx context.Context, because error) error {
	for i := len(b.results.List); i < len(b.Members); i++ {
		m := b.member(i)
		m.Refused = because
		resp, err := b.api.ServeMember(ctx, m)
		if err != nil {
			return err
		}
		b.results.Add(b.Members[i].ID, resp.Response, resp.IsJSON, "")
	}
	return nil
}

// atomic carries out all members in one transaction, once for all requests with the
// Idempotency-Key of once, and returns the body of the response.
func (b *batchRun) atomic(ctx context.Context, once *shopapi.Request) (answer any, err error) {
	b.prepare(ctx)
	do := func(ctx context.Context) error {
		b.reset()
		ctx = context.WithValue(ctx, atomicKey{}, true)
		for i := range b.Members {
			if err := ctx.Err(); err != nil {
				return err // the time of the batch is over
			}
			if err := b.run(ctx, i); err != nil {
				return &memberError{i, err}
			}
		}
		return nil
	}
	switch {
	case b.st == nil:
		err = do(ctx)
	case once != nil && b.keys != nil:
		answer, err = b.once(ctx, once, do)
	default:
		err = b.api.BulkWrite(ctx, b.st, b.limits.BatchTime, func(ctx context.Context, _ store.Tx) error { return do(ctx) })
	}
	if err != nil {
		b.results = nil
		if of, ok := errors.AsType[*memberError](err); ok {
			err = b.failed(of.index, of.err)
		}
		return nil, err
	}
	if answer == nil {
		answer = b.body()
	}
	return answer, nil
}

// once is atomic for a batch with an Idempotency-Key. For a repeated key it returns the
// stored answer.
func (b *batchRun) once(ctx context.Context, r *shopapi.Request, do func(ctx context.Context) error) (answer any, err error) {
	var reply shopapi.Reply
	err = b.api.BulkRun(ctx, b.limits.BatchTime, func(ctx context.Context, begun func()) error {
		var err error
		reply, err = b.keys.Idempotent(ctx, r, func(ctx context.Context, _ store.Tx) (shopapi.Reply, error) {
			begun()
			if err := do(ctx); err != nil {
				return shopapi.Reply{}, err
			}
			whole := b.results.JSON()
			answer = responses(whole)
			return shopapi.Reply{More: responses(b.results.Kept(whole))}, nil
		})
		return err
	})
	if err != nil || answer != nil {
		return answer, err
	}
	return reply.More, nil
}

// A memberError is the error of a member that ends an atomic batch.
type memberError struct {
	index int
	err   error
}

func (e *memberError) Error() string { return fmt.Sprintf("request %d: %s", e.index, e.err) }

func (e *memberError) Unwrap() error { return e.err }

// failed returns the error of an atomic batch: the error of member i, with its id and index.
func (b *batchRun) failed(i int, err error) error {
	e := *shopapi.AsError(fmt.Errorf("request %d of a batch: %w", i, err))
	e.Members = shopapi.Map{}
	if id := b.Members[i].ID; id != "" {
		e.Members = shopapi.Map{{Name: "failed", Value: id}}
	}
	e.Members = append(e.Members, shopapi.Member{Name: "index", Value: i})
	return &e
}

// prepare does for all members what their entities do before the transaction. Members with
// references are left out: what they send is not known yet.
func (b *batchRun) prepare(ctx context.Context) {
	b.prepared = make([]prepared, len(b.Members))
	for i := range b.Members {
		if b.Members[i].Refers() {
			continue
		}
		result, err := b.api.PrepareMember(ctx, b.member(i))
		if e := (*shopapi.Error)(nil); errors.As(err, &e) && (e.Status == http.StatusNotFound || e.Status == http.StatusConflict) {
			continue // an earlier member may change that
		}
		b.prepared[i] = prepared{result, err}
	}
}

func (b *batchRun) member(i int) *shopapi.BatchMember {
	return &shopapi.BatchMember{Member: b.Members[i], User: b.user, Remote: b.remote, Atomic: b.Atomic, Store: b.st}
}

// reset forgets what an earlier run of the transaction left.
func (b *batchRun) reset() {
	b.results, b.filled = b.Results(), 0
}

// run carries out a member and adds its response.
func (b *batchRun) run(ctx context.Context, i int) error {
	m := b.member(i)
	if b.Atomic {
		m.Prepared, m.PrepareErr = b.prepared[i].result, b.prepared[i].err
	}
	filled, size, wrong := b.Members[i].Fill(b.results.Value, b.limits.BatchBody-b.filled)
	switch m.Member = filled; {
	case errors.Is(wrong, batch.ErrTooLarge):
		m.Refused = shopapi.Errorf(http.StatusRequestEntityTooLarge, "With their references filled in, the bodies are larger than the %d bytes that are allowed.", b.limits.BatchBody)
	case wrong != nil:
		m.Refused = shopapi.Errorf(http.StatusBadRequest, "%s", wrong)
	default:
		b.filled += size
	}
	m.MaxResponse = b.limits.Response - b.results.Sent
	resp, err := b.api.ServeMember(ctx, m)
	if err != nil {
		return err
	}
	b.results.Add(b.Members[i].ID, resp.Response, resp.IsJSON, b.idField(i))
	return nil
}

// idField is the name of the id of the objects that member i creates, "" for none.
func (b *batchRun) idField(i int) string {
	path, err := b.api.EntityAt(b.Members[i].Address.Segments...)
	if err != nil {
		return ""
	}
	return path.IDField
}
