package shopapi

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"runtime/debug"
	"time"

	"github.com/shopapi/shopapi/internal/budget"
	"github.com/shopapi/shopapi/internal/conditional"
	"github.com/shopapi/shopapi/internal/exchange"
	"github.com/shopapi/shopapi/internal/format"
	"github.com/shopapi/shopapi/internal/packed"
	"github.com/shopapi/shopapi/internal/ratelimit"
	"github.com/shopapi/shopapi/internal/respcache"
	"github.com/shopapi/shopapi/internal/response"
	"github.com/shopapi/shopapi/store/driver"
)

// A pipeline is the state of one request while it passes the checks.
type pipeline struct {
	exchange.Exchange
	api *API

	user *User             // nil until it is known
	key  respcache.UserKey // of user, where responses are cached

	condition *conditional.Change // nil when there is none
	exported  string              // the media type of an export, "" for other requests
	leave     func()              // ends an export, and nothing else

	renewal *respcache.Renewal // of the response, nil for none

	member *BatchMember // of a batch, nil for other requests

	start time.Time // where somebody wants to know
	done  Completion
}

// remote is the address of the client.
func (p *pipeline) remote() netip.Addr {
	if p.member != nil {
		return p.member.Remote
	}
	return p.api.ClientAddress(p.Req)
}

// ClientAddress returns the address of the client that sent a request (§10): the address of
// the connection or, when it comes from a trusted proxy, the last address in
// [Options.ProxyHeader] that is not a trusted proxy. It is the zero Addr when the server
// does not know the address.
func (a *API) ClientAddress(req *http.Request) netip.Addr {
	addr, _ := a.proxies.Client(req)
	return addr
}

// clientOf returns the address of the client, and whether many clients may have it. It
// logs once that a proxy is not named in the options. Where the host names no proxy at all,
// headers of proxies prove nothing: the address counts as one client.
func (a *API) clientOf(req *http.Request) (addr netip.Addr, shared bool) {
	addr, shared = a.proxies.Client(req)
	if !a.proxies.Unnamed(addr, req.Header) {
		return addr, shared
	}
	a.warnOfProxy.Do(func() {
		a.opts.Logger.LogAttrs(context.WithoutCancel(req.Context()), slog.LevelWarn,
			"requests seem to come through a proxy that Options.TrustedProxies does not name: its clients share one limit of wrong credentials",
			slog.String("address", addr.String()))
	})
	return addr, len(a.opts.TrustedProxies) > 0 || a.opts.ProxyHeader != ""
}

// call returns what the operation of the request needs.
func (p *pipeline) call() call { return call{p.Format, p.Req.URL, p.condition} }

// identified notes the user of the request.
func (p *pipeline) identified(user *User, key respcache.UserKey) {
	p.user, p.key, p.done.User = user, key, user
}

// send writes the response. A stream that fails ends the connection.
func (p *pipeline) send(r *response.Response) {
	p.Send(r)
	if r.Stream == nil || p.Req.Method == http.MethodHead {
		return
	}
	if err := p.SendStream(r.Stream); err != nil {
		p.api.opts.Logger.LogAttrs(context.WithoutCancel(p.Req.Context()), slog.LevelError, "a stream failed",
			slog.String("path", short(p.Req.URL.Path)), slog.String("error", fmt.Sprint(err)))
		panic(http.ErrAbortHandler)
	}
}

// recoverPanic answers 500 after a panic, and logs it.
func (p *pipeline) recoverPanic() {
	v := recover()
	if v == nil {
		return
	}
	if v == http.ErrAbortHandler || p.Sent {
		panic(v)
	}
	p.send(p.failure(fmt.Errorf("panic: %v\n%s", v, debug.Stack())))
}

// A call is what the operation of a request needs of its pipeline, which must not escape
// to the heap.
type call struct {
	format    format.Format
	url       *url.URL
	condition *conditional.Change // nil when there is none
}

// operate carries out the request, below its parents. The address may have codes.
func (a *API) operate(ctx context.Context, c call, t *target, r *Request) (*response.Response, error) {
	if st, byCode := t.byCode(); byCode {
		return a.operateByCode(ctx, c, st, t, r)
	}
	ctx, err := t.readParents(ctx, r)
	if err != nil {
		return nil, err
	}
	if err := a.applySettings(ctx, t, r); err != nil {
		return nil, err
	}
	if t.op == OpList || t.op == OpGet {
		return a.read(ctx, c.format, c.url, t, r)
	}
	return a.change(ctx, c, t, r)
}

// change carries out a changing operation and encodes its result. Committed changes are
// reported, also if the operation then failed.
func (a *API) change(ctx context.Context, c call, t *target, r *Request) (*response.Response, error) {
	if c.condition != nil {
		ctx = a.withPrecondition(ctx, c, t, r)
	}
	ctx, reported := withReport(ctx)
	var reply Reply
	var err error
	if t.Entry.Transactional {
		reply, err = t.write(ctx, r)
	} else {
		err = refused(conditional.Run(ctx, false, func() (err error) {
			if err = t.beforeDelete(ctx, r); err == nil {
				reply, err = t.write(ctx, r)
			}
			return err
		}))
	}
	if err != nil {
		return nil, err
	}
	if !*reported && !t.Entry.Transactional {
		a.changedByRequest(context.WithoutCancel(ctx), t, reply)
	}
	switch t.op {
	case OpCreate, OpAction:
		if reply.Answer != nil {
			return c.format.Respond(http.StatusOK, reply.Answer)
		}
		status := http.StatusCreated
		if reply.Existing {
			status = http.StatusOK
		}
		return c.format.Respond(status, a.replyBody(t, reply))
	case OpUpdate:
		resp, err := c.format.Respond(http.StatusOK, a.replyBody(t, reply))
		if err == nil && c.condition != nil && c.condition.After != "" {
			resp.Add("Etag", c.condition.After)
		}
		return resp, err
	}
	return response.NoContent, nil
}

// read carries out a List or Get and encodes its result in a format, for the
// address u.
func (a *API) read(ctx context.Context, f format.Format, u *url.URL, t *target, r *Request) (*response.Response, error) {
	var result any
	var err error
	if t.op == OpList {
		result, err = t.Entry.list.List(ctx, r)
	} else {
		result, err = t.Entry.get.Get(ctx, r, t.ID)
	}
	if err != nil {
		return nil, err
	}
	result = chosen(r.choice, result)
	list, isList := result.(List)
	if isList {
		result = list.encodable()
	}
	resp, err := f.RespondWithin(ctx, a.opts.Limits.Response, t.op == OpList, result)
	if err != nil {
		return nil, refused(err)
	}
	if isList {
		t.Entry.addDeprecation(resp, r.Filter)
	}
	if isList && list.Bare && list.Params != nil {
		list.Params.addHeaders(resp, u)
	}
	resp.Tag()
	return resp, nil
}

// write runs a changing operation.
func (t *target) write(ctx context.Context, r *Request) (Reply, error) {
	switch t.op {
	case OpCreate:
		return t.Entry.create.Create(ctx, r)
	case OpUpdate:
		return t.Entry.update.Update(ctx, r, t.ID)
	case OpAction:
		return t.Entry.act.Act(ctx, r, t.Action, t.ID)
	}
	return Reply{ID: t.ID}, t.Entry.delete.Delete(ctx, r, t.ID)
}

// cached returns the response of the cache to the request, if its user is known
// and there is one.
func (a *API) cached(p *pipeline) (*response.Response, bool) {
	if p.user == nil || p.Uncodable {
		return nil, false
	}
	c, ok, renewal := a.cache.Get(p.Outer(), p.Req, p.key, response.Variant(p.Coding))
	if !ok {
		p.renewal = renewal
		return nil, false
	}
	p.done.Route, p.done.Cached = c.Route, true
	return c.Response, true
}

// keep puts a response in the cache, with what it was read from.
func (a *API) keep(p *pipeline, r *response.Response, reads *driver.ReadSet) {
	c := &cachedResponse{Response: r, Route: p.done.Route}
	a.cache.Put(p.Req, p.key, response.Variant(p.Coding), c, reads, c.Size())
}

// A cachedResponse is a response in the response cache.
type cachedResponse = packed.Response[Route]

// track calls a function that reads, again where a replica was behind, and returns the read set
// of the last call: nil where nothing is cached.
func (a *API) track(ctx context.Context, fn func(ctx context.Context)) (reads *driver.ReadSet) {
	for read := driver.OnReplicas(ctx); read.Next(); {
		ctx := read.Context()
		if a.cache.Enabled() {
			reads = &driver.ReadSet{}
			ctx = driver.WithReadSet(ctx, reads)
		}
		fn(ctx)
	}
	return reads
}

// A client identifies a user in the budget, and in the queues of stores.
type client struct {
	id    int64
	email string
}

// client returns the user as a client, of which the host is none.
func (u *User) client() client {
	if u == nil {
		return client{}
	}
	return client{u.ID, u.Email}
}

// clientOf returns the user of the request that a context belongs to, nil without a request.
func clientOf(ctx context.Context) any { return budget.From(ctx).Client() }

// openShare gives the request a share of the budget, which is released with the response,
// and returns a context that uses it. A request inside another one uses that one's share.
func (p *pipeline) openShare(ctx context.Context) context.Context {
	if budget.From(ctx) != nil {
		return ctx
	}
	p.Share = p.api.budget.Share(p.user.client())
	return budget.With(ctx, p.Share)
}

// workOfGet is the number of bytes that reading an object is granted before it begins.
const workOfGet = 64 << 10

// waitForRead waits for the memory of an operation without a payload and, for a list,
// for the user's turn. Objects have no turns: a user's lists do not delay them.
func (p *pipeline) waitForRead(ctx context.Context, t *target) error {
	switch {
	case t.op.takesPayload():
		return nil // readPayload has waited
	case t.op == OpList:
		return p.Share.AwaitTurn(ctx, budget.ListWork, budget.LongTurn)
	}
	return p.Share.AwaitWork(ctx, workOfGet)
}

// errTooMuchAtOnce answers a request if other requests of its user have all the memory, or
// all the turns, that one user may have.
var errTooMuchAtOnce = &Error{Status: http.StatusTooManyRequests, Message: "Too many of your requests are running at once. Try again later.", retryAfter: retryLater}

// errTooMuchMemory answers a request that needs more memory than one user may have.
var errTooMuchMemory = &Error{Status: http.StatusBadRequest, Message: "The request needs more memory than is allowed. Ask for fewer items at once with items_per_page and page, or send less."}

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
// headers RateLimit and RateLimit-Policy give the number of remaining requests. Zero
// requests set no limit.
type RateLimit struct{ Requests, Seconds int }

// count counts the request for the rate limit of its user, once that is known (E10).
func (a *API) count(p *pipeline) (err error) {
	if a.rates != nil && p.user != nil {
		p.Rate, err = a.take(p.user, 1)
	}
	return err
}

// take counts so many requests of a user, by id or, where users of a host have none, by
// e-mail address.
func (a *API) take(user *User, n int) (ratelimit.Count, error) {
	key := client{id: user.ID}
	if key.id == 0 {
		key.email = user.Email
	}
	count := a.rates.Take(key, n, a.opts.Clock())
	if count.OK {
		return count, nil
	}
	limit := a.opts.RateLimit
	return count, RetryLater(http.StatusTooManyRequests, count.Reset, "More than %d requests in %d seconds. Try again later.", limit.Requests, limit.Seconds)
}

// CountRequests counts the request as n requests for the rate limit. It returns a 413 where
// these are more than a user may make at all, and a 429 where they are too many now.
func (r *EndpointRequest) CountRequests(n int) error {
	a := r.api
	if a.rates == nil || r.User == nil {
		return nil
	}
	if quota := a.rates.Quota(); n > quota {
		return Errorf(http.StatusRequestEntityTooLarge, "A batch has at most %d requests, since a user may make no more in %d seconds.", quota, a.opts.RateLimit.Seconds)
	}
	var err error
	r.rate, err = a.take(r.User, n-1)
	r.counted = true
	return err
}

// errTooManyStreams answers a request beyond the limits of responses that wait or stream.
var errTooManyStreams = &Error{Status: http.StatusTooManyRequests, Message: "Too many requests wait or stream at once. End one of them, or try again later.", retryAfter: retryLater}

// enterStream takes a slot for a response of the user that waits or streams, until leave is
// called, or returns a 429.
func (a *API) enterStream(user *User) (leave func(), err error) {
	leave, ok := a.streams.Enter(user.client())
	if !ok {
		return nil, errTooManyStreams
	}
	return leave, nil
}
