package shopapi

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/netip"
	"runtime/debug"
	"time"

	"github.com/shopapi/shopapi/internal/admission"
	"github.com/shopapi/shopapi/internal/budget"
	"github.com/shopapi/shopapi/internal/conditional"
	"github.com/shopapi/shopapi/internal/exchange"
	"github.com/shopapi/shopapi/internal/packed"
	"github.com/shopapi/shopapi/internal/query"
	"github.com/shopapi/shopapi/internal/respcache"
	"github.com/shopapi/shopapi/internal/response"
	"github.com/shopapi/shopapi/internal/route"
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
	r := &Request{User: p.user, Remote: p.remote(), api: a, http: p.Req}
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
	var resp *response.Response
	var reads *driver.ReadSet
	switch {
	case target.op != OpGet && target.op != OpList:
		if p.member == nil {
			defer partsOf(a).admission.Write()()
		}
		resp, err = a.change(ctx, p.call(), target, r)
	case p.member == nil && target.cacheable():
		for read := partsOf(a).cache.Read(ctx); read.Next(); reads = read.Reads {
			once := *r
			resp, err = a.read(read.Context(), p.call(), target, &once)
		}
	default:
		resp, err = a.read(ctx, p.call(), target, r)
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

// matches reports whether the request is a PUT with match.
func (a *API) matches(p *pipeline, segments []string) (*entry, bool) {
	if p.Req.Method != http.MethodPut || len(segments) != 1 || !p.Query.Has("match") {
		return nil, false
	}
	e := partsOf(a).registry.Top[segments[0]]
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
		return nil, refused(err)
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

// method returns what the endpoint does for an HTTP method, or a 405.
func (e *Endpoint) method(name string) (Method, error) {
	if name == http.MethodHead {
		name = http.MethodGet
	}
	if m, ok := e.Methods[name]; ok {
		return m, nil
	}
	return Method{}, refused(route.NotAmong(func(name string) bool { _, ok := e.Methods[name]; return ok }))
}

// serveEndpoint is the request pipeline of an endpoint from the method on (§2).
func (a *API) serveEndpoint(ctx context.Context, p *pipeline, e *Endpoint, values []string) (*response.Response, error) {
	p.done.Route = Route{Endpoint: e.Address}
	m, err := e.method(p.Req.Method)
	if err != nil {
		return nil, err
	}
	if p.member != nil && (p.member.Atomic || m.RawBody || m.RawJSON || m.Unlimited || len(m.MediaTypes) > 0) {
		return nil, Errorf(http.StatusBadRequest, "%s cannot be in a batch.", e.Address)
	}
	r := &EndpointRequest{
		Request: &Request{User: p.user, Remote: p.remote(), api: a, http: p.Req},
		Method:  p.Req.Method, Segments: values, Header: p.Req.Header,
	}
	if r.Method == http.MethodHead {
		r.Method = http.MethodGet
	}
	if r.MediaType, err = p.Choose(m.MediaTypes); err != nil {
		return nil, refused(err)
	}
	for _, privilege := range m.Privileges {
		if !p.user.Can(privilege) {
			return nil, Forbidden(privilege)
		}
	}
	if m.Unlimited {
		var cancel context.CancelFunc
		ctx, cancel = a.life.Unlimited(budget.With(p.Req.Context(), p.Share))
		defer cancel()
	}
	if err := a.readEndpointInput(ctx, p, e, m, r); err != nil {
		return nil, err
	}
	if m.Unlimited && !m.RawBody {
		p.Conn.Clear()
	}
	ctx = WithLanguage(WithUser(ctx, p.user), r.language)
	var reads *driver.ReadSet
	var answer *Response
	if m.Cacheable && r.Method == http.MethodGet && p.member == nil {
		for read := partsOf(a).cache.Read(ctx); read.Next(); reads = read.Reads {
			answer, err = m.Serve(read.Context(), r)
		}
	} else {
		answer, err = m.Serve(ctx, r)
	}
	if r.rate.IsLimited() {
		p.Rate = r.rate
	}
	if err != nil {
		return nil, err
	}
	if reads != nil {
		ctx = driver.WithReadSet(ctx, reads)
	}
	resp, err := a.respondEndpoint(ctx, p, m, r, answer)
	if err == nil {
		resp = resp.Compressed(p.Coding)
		p.Share.Keep(int64(len(resp.Body)))
	}
	if err == nil && reads != nil && resp.Status == http.StatusOK && resp.Stream == nil {
		a.keep(p, resp, reads)
	}
	return resp, err
}

// readEndpointInput reads the query and, with POST and PUT, the body.
func (a *API) readEndpointInput(ctx context.Context, p *pipeline, e *Endpoint, m Method, r *EndpointRequest) (err error) {
	writes := r.Method == http.MethodPost || r.Method == http.MethodPut
	most := m.MaxBody
	if most == 0 {
		most = a.opts.Limits.Body
	}
	switch {
	case writes && m.RawBody:
		p.Conn.BodyRead = true
		body := p.Req.Body
		if m.Unlimited {
			body = &slowio.Reader{ReadCloser: body, Control: http.NewResponseController(p.W), Time: a.opts.Limits.Time}
		}
		r.Body = http.MaxBytesReader(p.W, body, most)
	case writes && m.RawJSON: // after the query
	case writes:
		if r.Payload, err = p.readFields(ctx, most); err != nil {
			return err
		}
	}
	if err := checkQuery(p.Query, p.QueryErr); err != nil {
		return err
	}
	r.Filter = query.Filter(p.Query)
	if err := r.ReadLanguage(); err != nil {
		return err
	}
	if writes && m.RawJSON {
		r.JSON, err = p.ReadJSON(ctx, most)
		return refused(err)
	}
	if r.Method == http.MethodPost && !m.RawBody {
		address := e.Address
		for _, value := range r.Segments {
			address += "/" + value
		}
		return r.readIdempotencyKey(p.Req.Header, address)
	}
	return nil
}

// respondEndpoint returns the response of an endpoint.
func (a *API) respondEndpoint(ctx context.Context, p *pipeline, m Method, r *EndpointRequest, answer *Response) (*response.Response, error) {
	status := answer.Status
	if status == 0 {
		status = http.StatusOK
	}
	var resp *response.Response
	switch {
	case answer.Stream != nil && p.Req.Method == http.MethodHead:
		resp = response.Empty(status)
	case answer.Stream != nil:
		leave, err := partsOf(a).admission.EnterStream(p.user.client())
		if err != nil {
			return nil, refused(err)
		}
		resp = response.Empty(status)
		parent, user, language := p.Req.Context(), p.user, r.language // p itself must not escape to the heap
		resp.Stream = func(w io.Writer) error {
			defer leave()
			ctx, cancel := a.life.Unlimited(parent)
			defer cancel()
			return answer.Stream(WithLanguage(WithUser(ctx, user), language), w)
		}
	case answer.Body == nil:
		resp = response.Empty(status)
	case r.Method == http.MethodGet:
		var err error
		if resp, err = p.Format.RespondWithin(ctx, a.opts.Limits.Response, true, answer.Body); err != nil {
			return nil, refused(err)
		}
		resp.Status = status
	default:
		var err error
		if resp, err = p.Format.Respond(status, answer.Body); err != nil {
			return nil, err
		}
	}
	resp.Replace(answer.Header)
	if m.Cacheable && r.Method == http.MethodGet && status == http.StatusOK && resp.Stream == nil {
		resp.Tag()
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
