package bulk

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/internal/batch"
)

// A Batch is several requests that are sent at once (E6).
type Batch struct {
	// Atomic has all requests run in one transaction: the first that fails undoes all.
	// Otherwise each is for itself.
	Atomic   bool      `json:"atomic"`
	Requests []Request `json:"requests"`
}

// A Request is one request of a [Batch], a member.
type Request struct {
	ID      string            `json:"id,omitempty"`      // for references; of A-Z, a-z, 0-9, _ and -
	Method  string            `json:"method"`            // POST, PUT, DELETE or, unless the batch is atomic, GET
	URL     string            `json:"url"`               // below /api/2.0/, with its query
	Headers map[string]string `json:"headers,omitempty"` // preconditions, Idempotency-Key and Accept
	Body    any               `json:"body,omitempty"`
	Refs    *bool             `json:"refs,omitempty"` // false: texts like {{ID.FIELD}} are sent as they are
}

// A Response is the response to a member.
type Response struct {
	ID     string
	Status int
	Header http.Header
	Body   shopapi.JSON // nil for none
}

// Do carries out the requests of a batch for the user of ctx, as POST /batch does. An
// atomic batch that fails changes nothing; the error is then the [*shopapi.Error] of the
// member. A batch of bad form is a 400. The rate limit does not count Go calls.
func Do(ctx context.Context, api *shopapi.API, b Batch) ([]Response, error) {
	body, err := json.Marshal(b)
	if err != nil {
		return nil, err
	}
	run, err := newBatchRun(api, body)
	if err != nil {
		return nil, err
	}
	run.user = shopapi.UserFrom(api.Confine(ctx))
	if run.Atomic {
		_, err = run.atomic(ctx, nil)
	} else {
		err = run.each(ctx)
	}
	return run.responses(), err
}

// Register adds POST /batch and PUT with match. Like entities, they are registered before the
// first request is served.
func Register(api *shopapi.API) error {
	api.ServeMatch(func(ctx context.Context, r *shopapi.Request, entity string, text []byte) (any, error) {
		return serveMatch(ctx, api, r, entity, text)
	})
	return api.RegisterEndpoint(shopapi.Endpoint{Address: "batch", Methods: map[string]shopapi.Method{http.MethodPost: {
		Serve: func(ctx context.Context, r *shopapi.EndpointRequest) (*shopapi.Response, error) {
			return serveBatch(ctx, api, r)
		},
		RawJSON: true, MaxBody: api.Limits().BatchBody, Summary: "Carry out several requests at once",
	}}})
}

func serveBatch(ctx context.Context, api *shopapi.API, r *shopapi.EndpointRequest) (*shopapi.Response, error) {
	run, err := newBatchRun(api, r.JSON)
	if err != nil {
		return nil, err
	}
	run.user, run.remote = r.User, r.Remote
	once, err := r.Once("batch")
	if err != nil {
		return nil, err
	}
	if once != nil && !run.Atomic {
		return nil, shopapi.Errorf(http.StatusBadRequest, "An Idempotency-Key needs atomic to be true. In other batches each request may have a key of its own.")
	}
	if err := r.CountRequests(len(run.Members)); err != nil {
		return nil, err
	}
	if !run.Atomic {
		if err := run.each(ctx); err != nil {
			if len(run.results.List) == 0 {
				return nil, err
			}
			if err := run.refuseRest(ctx, err); err != nil {
				return nil, err
			}
		}
		return &shopapi.Response{Body: run.body()}, nil
	}
	answer, err := run.atomic(ctx, once)
	if err != nil {
		return nil, err
	}
	return &shopapi.Response{Body: answer}, nil
}

// newBatchRun checks the form of a batch.
func newBatchRun(api *shopapi.API, body []byte) (*batchRun, error) {
	limits := api.Limits()
	b, err := batch.Parse(body, limits.Batch)
	if err != nil {
		return nil, formError(err, "A batch has at most %d requests.", limits.Batch)
	}
	run := &batchRun{api: api, limits: limits, Batch: b}
	return run, run.checkStores()
}

// formError is the response to a body of bad form. tooMany says how many members it may have.
func formError(err error, tooMany string, most int) error {
	var wrong *batch.Error
	switch {
	case !errors.As(err, &wrong):
		return err
	case wrong.TooMany:
		return shopapi.Errorf(http.StatusRequestEntityTooLarge, tooMany, most)
	}
	var problems shopapi.Problems
	for _, p := range wrong.Problems {
		problems.Add(p.Field, "%s", p.Text)
	}
	return problems.Err()
}

// responses returns the responses for Go code.
func (b *batchRun) responses() []Response {
	if b.results == nil {
		return nil
	}
	list := make([]Response, len(b.results.List))
	for i, r := range b.results.List {
		list[i] = Response{ID: r.ID, Status: r.Status, Header: r.Header, Body: r.Body}
	}
	return list
}

// body is the body of the response.
func (b *batchRun) body() shopapi.Map { return responses(b.results.JSON()) }

// responses returns the body of a response with this array.
func responses(array []byte) shopapi.Map {
	return shopapi.Map{{Name: "responses", Value: shopapi.JSON(array)}}
}

// atomicKey is the context key of an atomic batch.
type atomicKey struct{}

// InAtomicBatch reports whether ctx belongs to an operation of an atomic batch, or to a row of
// a file or an array. Nothing in its transaction may wait for other systems.
func InAtomicBatch(ctx context.Context) bool {
	in, _ := ctx.Value(atomicKey{}).(bool)
	return in
}
