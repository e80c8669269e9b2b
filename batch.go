package shopapi

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/shopapi/shopapi/internal/batch"
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
	return run.responses, err
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
	run := &batchRun{api: a, Batch: b, fields: b.Fields()}
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

// keep adds the response of a member, and the fields of it that later members refer to.
func (b *batchRun) keep(i int, p *pipeline, resp *response) {
	m := &b.Members[i]
	r := BatchResponse{ID: m.ID, Status: resp.status, Header: http.Header{}}
	for _, f := range resp.fields {
		if !slices.Contains(sharedHeaders, f.Name) {
			r.Header[f.Name] = f.Values
		}
	}
	if len(resp.body) > 0 {
		r.Body = JSON(resp.body)
		if p.format != formatJSON {
			r.Body, _ = marshal(string(resp.body)) // a text always encodes
		}
	}
	b.sent += int64(len(r.Body))
	b.responses = append(b.responses, r)
	b.objects = append(b.objects, "")
	wanted := b.fields[m.ID]
	if resp.status >= 300 || p.format != formatJSON || len(wanted) == 0 && resp.status != http.StatusCreated {
		return
	}
	var answer map[string]json.RawMessage
	if json.Unmarshal(resp.body, &answer) != nil {
		return
	}
	for field := range wanted {
		if value := answer[field]; len(value) > 0 && (value[0] == '"' || value[0] == '-' || value[0] >= '0' && value[0] <= '9') {
			b.answers[reference{ID: m.ID, Field: field}] = value
		}
	}
	if t, err := b.api.registry.resolve(m.Address.Segments); err == nil && resp.status == http.StatusCreated && t.entry.IDField != "" {
		if id := answer[t.entry.IDField]; id != nil {
			b.objects[i] = `{"` + t.entry.IDField + `":` + string(id) + `}`
		}
	}
}

// sharedHeaders are the headers of responses that the batch has as a whole.
var sharedHeaders = []string{"Cache-Control", "X-Content-Type-Options", "Content-Length"}

func (b *batchRun) answer(ref reference) (json.RawMessage, bool) {
	value, ok := b.answers[ref]
	return value, ok
}

// body is the body of the response.
func (b *batchRun) body() Map {
	list := make([]Map, len(b.responses))
	for i, r := range b.responses {
		list[i] = r.encodable()
	}
	return Map{{"responses", list}}
}

func (r *BatchResponse) encodable() Map {
	var m Map
	if r.ID != "" {
		m = Map{{"id", r.ID}}
	}
	headers := Map{}
	for _, name := range slices.Sorted(maps.Keys(r.Header)) {
		written := name
		if name == "Etag" {
			written = "ETag"
		}
		headers = append(headers, Member{written, strings.Join(r.Header[name], ", ")})
	}
	m = append(m, Member{"status", r.Status}, Member{"headers", headers})
	if r.Body == nil {
		return append(m, Member{"body", nil})
	}
	return append(m, Member{"body", r.Body})
}

// maxKept is the largest response, in bytes, that is stored whole for requests with the same
// Idempotency-Key.
const maxKept = 64 << 10

// kept returns the stored form of the response. A large response is stored as the ids and
// statuses of its members and the ids of created objects.
func (b *batchRun) kept() Map {
	whole := b.body()
	if text, err := marshal(whole); err == nil && len(text) <= maxKept {
		return whole
	}
	list := make([]Map, len(b.responses))
	for i, r := range b.responses {
		r.Header, r.Body = nil, nil
		if b.objects[i] != "" {
			r.Body = JSON(b.objects[i])
		}
		list[i] = r.encodable()
	}
	return Map{{"responses", list}}
}
