package shopapi

import (
	"context"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"time"
)

// An API is the store-administration REST API as an [http.Handler]. Make one
// with [New], register entities, then serve.
//
// The methods that entities use ([API.Now], [API.Edition], [API.Lookup] and the
// like) may be called on a nil *API, which stands for the defaults and an empty
// registry.
type API struct {
	opts     Options
	registry registry
	guard    *guard
	events   *eventQueue
	cascades map[string]cascade
	memory   *memory

	serving atomic.Bool

	// Requests enter under mu, so that none does after Shutdown began to wait.
	mu       sync.RWMutex
	closing  bool
	inFlight sync.WaitGroup
}

// New returns an API without entities. Options may be nil.
func New(opts *Options) *API {
	a := &API{
		opts:     opts.withDefaults(),
		registry: newRegistry(),
		cascades: map[string]cascade{},
	}
	a.events = &eventQueue{observe: a.opts.Observer, logger: a.opts.Logger, limit: a.opts.Limits.Events}
	a.guard = newGuard(a.opts.Limits)
	a.memory = newMemory(a.opts.Limits.Memory)
	return a
}

// ServeHTTP answers one request.
func (a *API) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	x := &exchange{api: a, w: w, req: req}
	if a.opts.Completed != nil {
		x.start = time.Now()
	}
	entered := a.enter()
	if entered {
		defer a.inFlight.Done()
	}
	defer x.complete()
	defer x.recoverPanic()
	var answer *answer
	var err error = errShuttingDown
	if entered {
		answer, err = a.serve(x)
	}
	if err != nil {
		answer = x.failure(err)
	}
	x.send(answer.unlessKnown(req.Header))
}

// serve is the request pipeline: each check in its order, and the first that
// fails answers (§2). A response from the cache passed them all before.
func (a *API) serve(x *exchange) (*answer, error) {
	if err := a.identify(x); err != nil {
		return nil, err
	}
	if answer, ok := a.cached(x); ok {
		return answer, nil
	}
	x.query = x.req.URL.Query()
	if a.asksBanner(x) {
		return a.banner()
	}
	ctx, cancel := x.context()
	defer cancel()
	x.limitBody()

	if x.user == nil {
		if err := a.authenticate(ctx, x); err != nil {
			return nil, err
		}
		if answer, ok := a.cached(x); ok {
			return answer, nil
		}
	}
	target, err := a.locate(x.req.URL, x.query)
	if err != nil {
		return nil, err
	}
	err = target.choose(x.req.Method)
	x.done.Route = target.route()
	if err != nil {
		return nil, err
	}
	if x.format, err = x.acceptable(); err != nil {
		return nil, err
	}
	if err := authorize(x.user, target); err != nil {
		return nil, err
	}
	r := &Request{User: x.user, Remote: a.ClientAddress(x.req), api: a}
	if err := a.readInput(x, target, r); err != nil {
		return nil, err
	}
	ctx, trace := a.memory.follow(WithUser(ctx, x.user), target)
	ctx, err = target.readParents(ctx, r)
	if err != nil {
		return nil, err
	}
	answer, err := a.run(ctx, x, target, r)
	if err == nil && trace != nil {
		a.memory.keepAnswer(x.req, x.key, x.done.Route, answer, trace)
	}
	return answer, err
}

// cached returns the response of the cache to the request, if its user is known
// and there is one.
func (a *API) cached(x *exchange) (*answer, bool) {
	if x.user == nil {
		return nil, false
	}
	k, ok := a.memory.recall(x.req, x.key)
	if !ok {
		return nil, false
	}
	x.done.Route, x.done.Cached = k.route, true
	return k.answer, true
}

// locate finds the entity of the address.
func (a *API) locate(u *url.URL, query url.Values) (*target, error) {
	segments, ok := segmentsOf(u, query)
	if !ok {
		return nil, Errorf(http.StatusNotFound, "There is nothing at this address.")
	}
	segments, err := cutVersion(segments)
	if err != nil {
		return nil, err
	}
	return a.registry.resolve(segments)
}

// readInput reads the body of a write, or the filter of a read.
func (a *API) readInput(x *exchange, t *target, r *Request) (err error) {
	if t.op == OpCreate || t.op == OpUpdate {
		if r.Payload, err = a.readPayload(x.w, x.req, t); err != nil {
			return err
		}
	}
	if err := checkQuery(x.req.URL.RawQuery, x.query); err != nil {
		return err
	}
	r.Filter = filterOf(x.query)
	return nil
}

// run carries out the entity's operation and encodes what it answers. What was
// committed is reported, also when the operation then failed.
func (a *API) run(ctx context.Context, x *exchange, t *target, r *Request) (*answer, error) {
	if t.op == OpList || t.op == OpGet {
		return a.read(ctx, x, t, r)
	}
	ctx, reported := withReport(ctx)
	reply, err := t.write(ctx, r)
	if err != nil {
		return nil, err
	}
	if !*reported && !t.entry.Transactional {
		a.Changed(context.WithoutCancel(ctx), t.entry.Name, t.op, reply.ID)
	}
	switch t.op {
	case OpCreate:
		return x.encode(http.StatusCreated, a.replyBody(t, reply))
	case OpUpdate:
		return x.encode(http.StatusOK, a.replyBody(t, reply))
	}
	return noContent, nil
}

func (a *API) read(ctx context.Context, x *exchange, t *target, r *Request) (*answer, error) {
	var result any
	var err error
	if t.op == OpList {
		result, err = t.entry.list(ctx, r)
	} else {
		result, err = t.entry.get(ctx, r, t.id)
	}
	if err != nil {
		return nil, err
	}
	list, isList := result.(List)
	if isList {
		result = list.encodable()
	}
	answer, err := x.encode(http.StatusOK, result)
	if err != nil {
		return nil, err
	}
	if isList && list.Bare && list.Params != nil {
		list.Params.addHeaders(answer, x.req.URL)
	}
	answer.tag()
	return answer, nil
}

// write runs a changing operation.
func (t *target) write(ctx context.Context, r *Request) (Reply, error) {
	switch t.op {
	case OpCreate:
		return t.entry.create(ctx, r)
	case OpUpdate:
		return t.entry.update(ctx, r, t.id)
	}
	if err := t.beforeDelete(ctx, r); err != nil {
		return Reply{}, err
	}
	return Reply{ID: t.id}, t.entry.delete(ctx, r, t.id)
}

// enter counts a request as in flight, unless the API is shutting down.
func (a *API) enter() bool {
	a.serving.Store(true)
	a.mu.RLock()
	defer a.mu.RUnlock()
	if !a.closing {
		a.inFlight.Add(1)
	}
	return !a.closing
}

// Shutdown refuses new requests with 503 and waits for those in flight, and until
// the observer has been told of what they changed, or until ctx ends, whose error
// it then returns.
func (a *API) Shutdown(ctx context.Context) error {
	a.mu.Lock()
	a.closing = true
	a.mu.Unlock()
	done := make(chan struct{})
	go func() {
		a.inFlight.Wait()
		close(done)
	}()
	select {
	case <-done:
		return a.events.flush(ctx)
	case <-ctx.Done():
		return ctx.Err()
	}
}
