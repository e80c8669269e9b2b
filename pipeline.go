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

	"github.com/shopapi/shopapi/internal/admission"
	"github.com/shopapi/shopapi/internal/conditional"
	"github.com/shopapi/shopapi/internal/exchange"
	"github.com/shopapi/shopapi/internal/format"
	"github.com/shopapi/shopapi/internal/packed"
	"github.com/shopapi/shopapi/internal/query"
	"github.com/shopapi/shopapi/internal/respcache"
	"github.com/shopapi/shopapi/internal/response"
	"github.com/shopapi/shopapi/internal/route"
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

// track returns a read that records its rows for the response cache.
func (a *API) track(ctx context.Context) trackedRead {
	return trackedRead{ReplicaRead: driver.OnReplicas(ctx), records: a.cache.Enabled()}
}

// A trackedRead runs what reads a response: again where a replica was behind. It is used as
// its [driver.ReplicaRead] is.
type trackedRead struct {
	driver.ReplicaRead
	records bool
	reads   *driver.ReadSet // of the last run, nil where nothing is cached
}

// Next reports whether the read has to run, the first time or again.
func (r *trackedRead) Next() bool {
	if !r.ReplicaRead.Next() {
		return false
	}
	if r.records {
		r.reads = &driver.ReadSet{}
	}
	return true
}

// Context is the context of the run.
func (r *trackedRead) Context() context.Context {
	if r.reads == nil {
		return r.ReplicaRead.Context()
	}
	return driver.WithReadSet(r.ReplicaRead.Context(), r.reads)
}

// client returns the user as a client of the limits, of which the host is none.
func (u *User) client() admission.Client {
	if u == nil {
		return admission.Client{}
	}
	return admission.ClientOf(u.ID, u.Email)
}

// waitForRead waits for the memory of an operation without a payload and, for a list, for the
// user's turn.
func (p *pipeline) waitForRead(ctx context.Context, t *target) error {
	switch {
	case t.op.takesPayload():
		return nil // readPayload has waited
	case t.op == OpList:
		return admission.AwaitList(ctx, p.Share)
	}
	return admission.AwaitGet(ctx, p.Share)
}

// count counts the request for the rate limit of its user, once that is known (E10).
func (a *API) count(p *pipeline) (err error) {
	if p.user != nil {
		p.Rate, err = a.admission.Count(p.user.client(), 1)
	}
	return refused(err)
}

// A MatchFunc carries out PUT with match (E6): text is the body, an array of objects of the
// entity.
type MatchFunc func(ctx context.Context, r *Request, entity string, text []byte) (any, error)

// ServeMatch adds PUT with match to the entities that have a method MatchField. Like entities,
// it is added before the first request is served.
func (a *API) ServeMatch(f MatchFunc) { a.match = f }

// Batches reports whether there is PUT with match, and POST /batch.
func (a *API) Batches() bool { return a.match != nil }

// matches reports whether the request is a PUT with match.
func (a *API) matches(p *pipeline, segments []string) (*entry, bool) {
	if p.Req.Method != http.MethodPut || len(segments) != 1 || !p.Query.Has("match") {
		return nil, false
	}
	e := a.registry.Top[segments[0]]
	return e, e != nil && e.matchField != "" && e.has(OpUpdate)
}

// serveMatch is the request pipeline of PUT with match, from the privileges on.
func (a *API) serveMatch(ctx context.Context, p *pipeline, e *entry) (*response.Response, error) {
	t := &target{Target: route.Target[*entry]{Step: route.Step[*entry]{Entry: e}}, op: OpUpdate}
	p.done.Route = t.route()
	if _, err := p.Choose(nil); err != nil {
		return nil, refused(err)
	}
	if err := authorize(p.user, t); err != nil {
		return nil, err
	}
	if view := e.Privileges.View; !p.user.Can(view) {
		return nil, Forbidden(view)
	}
	if p.member != nil {
		return nil, Errorf(http.StatusBadRequest, "A PUT with match cannot be in a batch: send it alone.")
	}
	if preconditionOf(p.Req.Header, OpUpdate) != nil {
		return nil, Errorf(http.StatusBadRequest, "If-Match and If-None-Match cannot be sent with match.")
	}
	text, err := p.ReadJSON(ctx, a.opts.Limits.BatchBody)
	if err != nil {
		return nil, bodyError(err)
	}
	if err := checkQuery(p.Query, p.QueryErr); err != nil {
		return nil, err
	}
	r := &Request{User: p.user, Filter: query.Filter(p.Query), Remote: p.remote(), api: a}
	result, err := a.match(WithUser(ctx, p.user), r, e.Name, text)
	if err != nil {
		return nil, err
	}
	return p.Format.Respond(http.StatusOK, result)
}
