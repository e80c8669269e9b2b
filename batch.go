package shopapi

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"runtime/debug"

	"github.com/shopapi/shopapi/internal/batch"
	"github.com/shopapi/shopapi/internal/budget"
	"github.com/shopapi/shopapi/internal/response"
	"github.com/shopapi/shopapi/store"
)

// A RequestBatch is several requests that are sent at once (E6).
type RequestBatch struct {
	// Atomic has all requests run in one transaction: the first that fails undoes all.
	// Otherwise each is for itself.
	Atomic   bool           `json:"atomic"`
	Requests []BatchRequest `json:"requests"`
}

// A BatchRequest is one request of a [RequestBatch], a member.
type BatchRequest struct {
	ID      string            `json:"id,omitempty"`      // for references; of A-Z, a-z, 0-9, _ and -
	Method  string            `json:"method"`            // POST, PUT, DELETE or, unless the batch is atomic, GET
	URL     string            `json:"url"`               // below /api/2.0/, with its query
	Headers map[string]string `json:"headers,omitempty"` // preconditions, Idempotency-Key and Accept
	Body    any               `json:"body,omitempty"`
	Refs    *bool             `json:"refs,omitempty"` // false: texts like {{ID.FIELD}} are sent as they are
}

// A BatchResponse is the response to a member.
type BatchResponse struct {
	ID     string
	Status int
	Header http.Header
	Body   JSON // nil for none
}

// Batch carries out the requests of a batch for the user of ctx, as POST /batch does. An
// atomic batch that fails changes nothing; the error is then the [*Error] of the member. A
// batch of bad form is a 400 [*Error]. The rate limit does not count Go calls.
func (a *API) Batch(ctx context.Context, b RequestBatch) ([]BatchResponse, error) {
	body, err := json.Marshal(b)
	if err != nil {
		return nil, err
	}
	run, err := a.newBatch(body)
	if err != nil {
		return nil, err
	}
	run.user = UserFrom(a.Confine(ctx))
	if run.Atomic {
		_, err = run.atomic(ctx, nil)
	} else {
		err = run.each(ctx)
	}
	return run.responses(), err
}

// RegisterBatch adds POST /batch. Like entities, it is registered before the first request
// is served.
func (a *API) RegisterBatch() error {
	a.batches = true
	return a.RegisterEndpoint(Endpoint{Address: "batch", Methods: map[string]Method{http.MethodPost: {
		RawBody: true, MaxBody: a.opts.Limits.BatchBody,
		Summary: "Carry out several requests at once", isBatch: true,
	}}})
}

// Batches reports whether there is POST /batch, and PUT with match ([API.RegisterBatch]).
func (a *API) Batches() bool { return a.batches }

func (a *API) serveBatch(ctx context.Context, p *pipeline, r *EndpointRequest) (*Response, error) {
	p.bodyRead = false
	body, err := p.readJSON(a.opts.Limits.BatchBody)
	if err != nil {
		return nil, err
	}
	run, err := a.newBatch(body)
	if err != nil {
		return nil, err
	}
	run.user, run.remote = r.User, r.Remote
	once, err := run.idempotency(r, body)
	if err != nil {
		return nil, err
	}
	if err := a.countMembers(p, len(run.Members)); err != nil {
		return nil, err
	}
	if !run.Atomic {
		if err := run.each(ctx); err != nil {
			return nil, err
		}
		return &Response{Body: run.body()}, nil
	}
	answer, err := run.atomic(ctx, once)
	if err != nil {
		return nil, err
	}
	return &Response{Body: answer}, nil
}

// newBatch checks the form of a batch.
func (a *API) newBatch(body []byte) (*batchRun, error) {
	b, err := batch.Parse(body, a.opts.Limits.Batch)
	if err != nil {
		return nil, a.batchError(err)
	}
	run := &batchRun{api: a, Batch: b}
	return run, run.checkStores()
}

// batchError is the response to a batch of bad form.
func (a *API) batchError(err error) error {
	var wrong *batch.Error
	switch {
	case !errors.As(err, &wrong):
		return err
	case wrong.TooMany:
		return Errorf(http.StatusRequestEntityTooLarge, "A batch has at most %d requests.", a.opts.Limits.Batch)
	}
	var problems Problems
	for _, p := range wrong.Problems {
		problems.Add(p.Field, "%s", p.Text)
	}
	return problems.Err()
}

// countMembers counts the members for the rate limit. The request itself is one of them.
func (a *API) countMembers(p *pipeline, n int) error {
	if a.rates == nil || p.user == nil {
		return nil
	}
	if quota := a.rates.Quota(); n > quota {
		return Errorf(http.StatusRequestEntityTooLarge, "A batch has at most %d requests, since a user may make no more in %d seconds.", quota, a.opts.RateLimit.Seconds)
	}
	return a.take(p, n-1)
}

// idempotent is an entity that carries out a POST once for all requests with its
// Idempotency-Key.
type idempotent interface {
	Idempotent(ctx context.Context, r *Request, do func(ctx context.Context, tx store.Tx) (Reply, error)) (Reply, error)
}

// idempotency returns a request with the Idempotency-Key of the batch, nil without a key.
func (b *batchRun) idempotency(r *EndpointRequest, body []byte) (*Request, error) {
	once := *r.Request
	once.Payload = &Payload{sum: sha256.Sum256(body)}
	if err := once.readIdempotencyKey(r.Header, "batch"); err != nil || once.idempotencyKey == "" {
		return nil, err
	}
	if !b.Atomic {
		return nil, Errorf(http.StatusBadRequest, "An Idempotency-Key needs atomic to be true. In other batches each request may have a key of its own.")
	}
	once.fingerprint = "BATCH " + once.fingerprint
	return &once, nil
}

// failed returns the error of an atomic batch: the error of member i, with its id and index.
func (b *batchRun) failed(i int, err error) error {
	e := *asError(err)
	e.Members = Map{}
	if id := b.Members[i].ID; id != "" {
		e.Members = Map{{"failed", id}}
	}
	e.Members = append(e.Members, Member{"index", i})
	if e.Status >= http.StatusInternalServerError {
		e.cause = fmt.Errorf("request %d of a batch: %w", i, err)
	}
	return &e
}

// keep adds the response of a member.
func (b *batchRun) keep(i int, p *pipeline, resp *response.Response) {
	m := &b.Members[i]
	idField := ""
	if t, err := b.api.registry.resolve(m.Address.Segments); err == nil {
		idField = t.entry.IDField
	}
	b.results.Add(m.ID, resp, p.format == formatJSON, idField)
}

// responses returns the responses for Go code.
func (b *batchRun) responses() []BatchResponse {
	if b.results == nil {
		return nil
	}
	list := make([]BatchResponse, len(b.results.List))
	for i, r := range b.results.List {
		list[i] = BatchResponse{ID: r.ID, Status: r.Status, Header: r.Header, Body: r.Body}
	}
	return list
}

// body is the body of the response.
func (b *batchRun) body() Map { return responses(b.results.JSON()) }

// responses returns the body of a response with this array.
func responses(array []byte) Map { return Map{{"responses", JSON(array)}} }

// A batchRun is a batch that is carried out.
type batchRun struct {
	api *API
	*batch.Batch
	user   *User
	remote netip.Addr
	st     store.Store // of an atomic batch, nil where no member names an entity
	keys   idempotent  // an entity over st

	prepared []prepared
	results  *batch.Results // so far
	filled   int64          // bytes of bodies
}

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
		var resp *response.Response
		run := func() (err error) {
			p, resp, err = b.run(ctx, i)
			return err
		}
		var err error
		if b.Members[i].Method == http.MethodGet {
			err = run()
		} else {
			err = b.api.pace.Run(ctx, clientOf(ctx), run)
		}
		switch {
		case p == nil:
			return err // the batch waited too long for its turn
		case err != nil:
			resp = p.failure(err)
		case b.Members[i].Method == http.MethodGet:
			resp = resp.UnlessKnown(p.req.Header)
			if b.results.Sent+int64(len(resp.Body)) > b.api.opts.Limits.Response {
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
		b.results = nil
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

// once is atomic for a batch with an Idempotency-Key. For a repeated key it returns the
// stored answer.
func (b *batchRun) once(ctx context.Context, r *Request, do func(ctx context.Context) error) (answer any, err error) {
	var reply Reply
	err = b.api.pace.Run(ctx, clientOf(ctx), func() error {
		return b.api.withinTime(ctx, b.api.opts.Limits.BatchTime, func(ctx context.Context, begun func()) error {
			var err error
			reply, err = b.keys.Idempotent(ctx, r, func(ctx context.Context, _ store.Tx) (Reply, error) {
				begun()
				if err := do(ctx); err != nil {
					return Reply{}, err
				}
				whole := b.results.JSON()
				answer = responses(whole)
				return Reply{More: responses(b.results.Kept(whole))}, nil
			})
			return err
		})
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
	b.results, b.filled = b.Results(), 0
}

// run carries out a member. The pipeline is nil where it did not begin.
func (b *batchRun) run(ctx context.Context, i int) (p *pipeline, resp *response.Response, err error) {
	m := &member{atomic: b.Atomic, st: b.st, remote: b.remote}
	if b.Atomic {
		ctx = context.WithValue(ctx, atomicKey{}, true)
		m.prepared = b.prepared[i]
	}
	var wrong error
	m.Member, wrong = b.Members[i].Fill(b.results.Value)
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
	p := &pipeline{api: b.api, w: batch.Discard{}, req: m.Request(ctx), query: m.Address.Query, user: b.user, member: m, leave: func() {}}
	if outer := budget.From(ctx); outer != nil {
		p.share = outer.Within()
	} else {
		client := budgetClient{}
		if b.user != nil {
			client = budgetClientOf(b.user)
		}
		p.share = b.api.budget.Share(client)
	}
	return p, budget.With(ctx, p.share)
}
