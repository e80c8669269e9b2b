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
	"github.com/shopapi/shopapi/internal/apipath"
	"github.com/shopapi/shopapi/internal/conditional"
	"github.com/shopapi/shopapi/internal/exchange"
	"github.com/shopapi/shopapi/internal/format"
	"github.com/shopapi/shopapi/internal/packed"
	"github.com/shopapi/shopapi/internal/respcache"
	"github.com/shopapi/shopapi/internal/response"
	"github.com/shopapi/shopapi/internal/slowio"
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

// ServeHTTP answers one request.
func (a *API) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	if req.Body == nil { // Go code of the host made the request
		req = req.WithContext(req.Context())
		req.Body = http.NoBody
	}
	p := &pipeline{api: a, leave: func() {}, Exchange: exchange.Exchange{
		Rules: &a.rules, W: w, Req: req, Conn: slowio.Conn{W: w, Req: req, Time: a.opts.Limits.Time},
	}}
	if a.opts.Completed != nil {
		p.start = time.Now()
	}
	err := a.enter()
	if err == nil {
		defer a.life.Leave()
	}
	defer p.complete()
	defer func() { p.Share.Release(); p.leave(); p.renewal.End() }()
	defer p.recoverPanic()
	var r *response.Response
	if err == nil {
		r, err = a.serve(p)
	}
	if err != nil {
		r = p.failure(err)
	}
	p.send(r.UnlessKnown(req.Header))
}

// serve is the request pipeline: each check in its order, and the first that
// fails ends it (§2). A response from the cache passed them all before.
func (a *API) serve(p *pipeline) (*response.Response, error) {
	if a.cors.IsPreflight(p.Req) {
		return response.NoContent, nil
	}
	if err := a.checkOrigin(p.Req); err != nil {
		return nil, err
	}
	p.ChooseCoding()
	if partsOf(a).cache.Asks() {
		defer p.AskOnce()()
	}
	if err := a.identify(p); err != nil {
		return nil, err
	}
	if err := a.count(p); err != nil {
		return nil, err
	}
	if r, ok := a.cached(p); ok {
		return r, nil
	}
	if a.opts.Dialect == DialectLive && apipath.AsksVersion(p.Req) {
		return a.banner()
	}
	ctx, cancel := p.Context()
	defer cancel()
	p.Conn.LimitRead(p.Deadline)
	if p.user == nil {
		if err := a.authenticate(ctx, p); err != nil {
			return nil, err
		}
		if err := a.count(p); err != nil {
			return nil, err
		}
		if r, ok := a.cached(p); ok {
			return r, nil
		}
	}
	ctx, p.Share = partsOf(a).admission.Open(ctx, p.user.client())
	if err := p.ReadQuery(); err != nil {
		return nil, refused(err)
	}
	segments, err := segmentsOf(p.Req.URL, p.Query)
	if err != nil {
		return nil, err
	}
	return a.dispatch(ctx, p, segments)
}

// dispatch is the request pipeline from the entity on.
func (a *API) dispatch(ctx context.Context, p *pipeline, segments []string) (*response.Response, error) {
	if e, values, ok := partsOf(a).endpoints.Find(segments); ok {
		return a.serveEndpoint(ctx, p, e, values)
	}
	if a.match != nil {
		if e, ok := a.matches(p, segments); ok {
			return a.serveMatch(ctx, p, e)
		}
	}
	target, err := a.admit(p, segments)
	if err != nil {
		return nil, err
	}
	r := &Request{User: p.user, Remote: p.remote(), api: a}
	if p.member != nil {
		if err := p.member.admit(target, r); err != nil {
			return nil, err
		}
	}
	if err := a.readInput(ctx, p, target, r); err != nil {
		return nil, err
	}
	if err := p.waitForRead(ctx, target); err != nil {
		return nil, err
	}
	ctx = WithLanguage(WithUser(ctx, p.user), r.language)
	if p.exported != "" {
		if p.member != nil {
			return nil, Errorf(http.StatusNotAcceptable, "An export cannot be in a batch: send it alone.")
		}
		return a.export(ctx, p, target, r)
	}
	if p.member == nil && target.op != OpGet && target.op != OpList {
		defer partsOf(a).admission.Write()()
	}
	var resp *response.Response
	var reads *driver.ReadSet
	if p.member == nil && target.cacheable() {
		for read := partsOf(a).cache.Read(ctx); read.Next(); reads = read.Reads {
			once := *r
			resp, err = a.operate(read.Context(), p.call(), target, &once)
		}
	} else {
		resp, err = a.operate(ctx, p.call(), target, r)
	}
	if err != nil {
		return nil, err
	}
	resp = resp.Compressed(p.Coding)
	p.Share.Keep(int64(len(resp.Body)))
	if reads != nil {
		a.keep(p, resp, reads)
	}
	return resp, nil
}

// remote is the address of the client.
func (p *pipeline) remote() netip.Addr {
	if p.member != nil {
		return p.member.Remote
	}
	return p.api.ClientAddress(p.Req)
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
	var result any
	switch t.op {
	case OpList:
		result, err = t.Entry.list.List(ctx, r)
	case OpGet:
		result, err = t.Entry.get.Get(ctx, r, t.ID)
	default:
		return a.change(ctx, c, t, r)
	}
	if err != nil {
		return nil, err
	}
	return a.respond(ctx, c, t, r, result)
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

// respond encodes the result of a List or Get.
func (a *API) respond(ctx context.Context, c call, t *target, r *Request, result any) (*response.Response, error) {
	result = chosen(r.choice, result)
	list, isList := result.(List)
	if isList {
		result = list.encodable()
	}
	resp, err := c.format.RespondWithin(ctx, a.opts.Limits.Response, t.op == OpList, result)
	if err != nil {
		return nil, refused(err)
	}
	if isList {
		t.Entry.addDeprecation(resp, r.Filter)
	}
	if isList && list.Bare && list.Params != nil {
		list.Params.addHeaders(resp, c.url)
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
	c, ok, renewal := partsOf(a).cache.Get(p.Outer(), p.Req, p.key, response.Variant(p.Coding))
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
	partsOf(a).cache.Put(p.Req, p.key, response.Variant(p.Coding), c, reads, c.Size())
}

// A cachedResponse is a response in the response cache.
type cachedResponse = packed.Response[Route]

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
		p.Rate, err = partsOf(a).admission.Count(p.user.client(), 1)
	}
	return refused(err)
}
