package shopapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"runtime/debug"
	"strings"

	"github.com/shopapi/shopapi/internal/batch"
	"github.com/shopapi/shopapi/internal/budget"
	"github.com/shopapi/shopapi/store"
)

// A batchRun is a batch that is carried out.
type batchRun struct {
	api *API
	*batch.Batch
	user   *User
	remote netip.Addr
	st     store.Store // of an atomic batch, nil where no member names an entity
	keys   idempotent  // an entity over st

	prepared  []prepared
	fields    map[string]map[string]bool    // that references name, by member
	answers   map[reference]json.RawMessage // their values
	responses []BatchResponse               // so far
	objects   []string                      // of the ids of created objects, by member
	sent      int64                         // bytes of responses
	filled    int64                         // bytes of bodies
}

type reference = batch.Reference

// A prepared is what the entity of a member did before the transaction.
type prepared struct {
	result any
	err    error
}

// A member is the request of a batch as the pipeline carries it out.
type member struct {
	batch.Member
	atomic   bool
	st       store.Store // that an atomic batch writes to
	remote   netip.Addr
	prepared prepared
}

// literal says of each segment of the address whether a reference filled it in: such a
// segment is never read as a code.
func (m *member) literal() []bool {
	if m == nil {
		return nil
	}
	return m.Address.Literal
}

// admit refuses what an atomic batch cannot hold, and hands over the prepared result.
func (m *member) admit(t *target, r *Request) error {
	r.inBatch, r.prepared = true, m.prepared.result
	if m.prepared.err != nil {
		return m.prepared.err
	}
	if m.atomic && t.entry.st != m.st {
		return Errorf(http.StatusBadRequest, "%s cannot be in an atomic batch with the others: its objects are in another store.", t.entry.Name)
	}
	return nil
}

// checkStores finds the store of an atomic batch, and members of others.
func (b *batchRun) checkStores() error {
	if !b.Atomic {
		return nil
	}
	var problems Problems
	for i := range b.Members {
		segments := b.Members[i].Address.Segments
		at := fmt.Sprintf("requests[%d].url", i)
		if e, _ := b.api.endpoints.find(segments); e != nil {
			problems.Add(at, "must not be an address of %s in an atomic batch: send it alone", e.Address)
			continue
		}
		t, err := b.api.registry.resolve(segments)
		if err != nil {
			continue // the member's own response
		}
		if b.st == nil {
			b.st, b.keys = t.entry.st, t.entry.keys
		}
		if b.keys == nil {
			b.keys = t.entry.keys
		}
		if t.entry.st == nil || t.entry.st != b.st {
			problems.Add(at, "must not be an address of %s in an atomic batch with the others: its objects are in another store", t.entry.Name)
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
		var p *pipeline
		var resp *response
		run := func() (err error) {
			p, resp, err = b.run(ctx, i)
			return err
		}
		var err error
		if b.Members[i].Method == http.MethodGet {
			err = run()
		} else {
			err = b.api.pace.Run(ctx, run)
		}
		switch {
		case p == nil:
			return err // the batch waited too long for its turn
		case err != nil:
			resp = p.failure(err)
		case b.Members[i].Method == http.MethodGet:
			resp = resp.unlessKnown(p.req.Header)
			if b.sent+int64(len(resp.body)) > b.api.opts.Limits.Response {
				resp = p.failure(Errorf(http.StatusRequestEntityTooLarge, "The responses of the batch would be larger than the %d bytes that are allowed.", b.api.opts.Limits.Response))
			}
		}
		b.keep(i, p, resp)
	}
	return nil
}

// atomic carries out all members in one transaction, once for all requests with the
// Idempotency-Key of once, and returns the body of the response.
func (b *batchRun) atomic(ctx context.Context, once *Request) (answer any, err error) {
	b.prepare(ctx)
	do := func(ctx context.Context) error {
		b.reset()
		for i := range b.Members {
			p, resp, err := b.run(ctx, i)
			if err != nil {
				return &memberError{i, err}
			}
			b.keep(i, p, resp)
		}
		return nil
	}
	switch {
	case b.st == nil:
		err = do(ctx)
	case once != nil && b.keys != nil:
		answer, err = b.once(ctx, once, do)
	default:
		err = b.api.BulkWrite(ctx, b.st, b.api.opts.Limits.BatchTime, func(ctx context.Context, _ store.Tx) error { return do(ctx) })
	}
	if err != nil {
		b.responses = nil
		var of *memberError
		if errors.As(err, &of) {
			err = b.failed(of.index, of.err)
		}
		return nil, err
	}
	if answer == nil {
		answer = b.body()
	}
	return answer, nil
}

// once is atomic for a batch with an Idempotency-Key. answer is nil where the batch was
// carried out now.
func (b *batchRun) once(ctx context.Context, r *Request, do func(ctx context.Context) error) (answer any, err error) {
	done := false
	var reply Reply
	err = b.api.pace.Run(ctx, func() error {
		return b.api.withinTime(ctx, b.api.opts.Limits.BatchTime, func(ctx context.Context, begun func()) error {
			var err error
			reply, err = b.keys.Idempotent(ctx, r, func(ctx context.Context, _ store.Tx) (Reply, error) {
				begun()
				done = true
				if err := do(ctx); err != nil {
					return Reply{}, err
				}
				return Reply{More: b.kept()}, nil
			})
			return err
		})
	})
	if err != nil || done {
		return nil, err
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

// prepare does for all members what their entities do before the transaction. Members with
// references are left out: what they send is not known yet.
func (b *batchRun) prepare(ctx context.Context) {
	b.prepared = make([]prepared, len(b.Members))
	for i := range b.Members {
		m := &b.Members[i]
		t, err := b.api.registry.resolve(m.Address.Segments)
		if err != nil || t.entry.prepare == nil || m.Refers() {
			continue
		}
		result, err := b.prepareMember(ctx, i)
		if e := (*Error)(nil); errors.As(err, &e) && (e.Status == http.StatusNotFound || e.Status == http.StatusConflict) {
			continue // an earlier member may change that
		}
		b.prepared[i] = prepared{result, err}
	}
}

func (b *batchRun) prepareMember(ctx context.Context, i int) (any, error) {
	p, ctx := b.pipeline(ctx, &member{Member: b.Members[i], remote: b.remote})
	defer func() { p.share.Release() }()
	t, err := b.api.admit(p, b.Members[i].Address.Segments)
	if err != nil {
		return nil, err
	}
	r := &Request{User: p.user, Remote: b.remote, api: b.api}
	if err := b.api.readInput(p, t, r); err != nil {
		return nil, err
	}
	result, _, err := b.api.prepare(WithLanguage(WithUser(ctx, p.user), r.language), t.entry.st, t, r)
	return result, err
}

// reset forgets what an earlier run of the transaction left.
func (b *batchRun) reset() {
	b.answers = map[reference]json.RawMessage{}
	b.responses, b.objects = make([]BatchResponse, 0, len(b.Members)), nil
	b.sent, b.filled = 0, 0
}

// run carries out a member. The pipeline is nil where it did not begin.
func (b *batchRun) run(ctx context.Context, i int) (p *pipeline, resp *response, err error) {
	m := &member{atomic: b.Atomic, st: b.st, remote: b.remote}
	if b.Atomic {
		ctx = context.WithValue(ctx, atomicKey{}, true)
		m.prepared = b.prepared[i]
	}
	var wrong error
	m.Member, wrong = b.Members[i].Fill(b.answer)
	p, ctx = b.pipeline(ctx, m)
	defer func() { p.share.Release() }()
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("panic: %v\n%s", v, debug.Stack())
		}
	}()
	if wrong != nil {
		return p, nil, Errorf(http.StatusBadRequest, "%s", wrong)
	}
	if b.filled += int64(len(m.Body)); b.filled > b.api.opts.Limits.BatchBody {
		return p, nil, Errorf(http.StatusRequestEntityTooLarge, "With their references filled in, the bodies are larger than the %d bytes that are allowed.", b.api.opts.Limits.BatchBody)
	}
	resp, err = b.api.dispatch(ctx, p, m.Address.Segments)
	return p, resp, err
}

// atomicKey is the context key of an atomic batch.
type atomicKey struct{}

// InAtomicBatch reports whether ctx belongs to an operation of an atomic batch. Nothing in its
// transaction may wait for other systems.
func InAtomicBatch(ctx context.Context) bool {
	in, _ := ctx.Value(atomicKey{}).(bool)
	return in
}

// pipeline returns the pipeline of a member, and the context of its operation.
func (b *batchRun) pipeline(ctx context.Context, m *member) (*pipeline, context.Context) {
	query := m.Address.Query
	req := (&http.Request{
		Method: m.Method, Header: m.Header, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		URL:  &url.URL{Path: "/api/2.0/" + strings.Join(m.Address.Segments, "/"), RawPath: "/api/2.0/" + m.Address.Path(), RawQuery: query.Encode()},
		Body: io.NopCloser(bytes.NewReader(m.Body)), ContentLength: int64(len(m.Body)),
	}).WithContext(ctx)
	p := &pipeline{api: b.api, w: discard{}, req: req, query: query, user: b.user, member: m}
	client := budgetClient{}
	if b.user != nil {
		client = budgetClient{b.user.ID, b.user.Email}
	}
	p.share = b.api.budget.Share(client)
	return p, budget.With(ctx, p.share)
}

// discard is the ResponseWriter of members: the batch sends their responses.
type discard struct{}

func (discard) Header() http.Header         { return http.Header{} }
func (discard) Write(b []byte) (int, error) { return len(b), nil }
func (discard) WriteHeader(int)             {}
