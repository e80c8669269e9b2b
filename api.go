package shopapi

import (
	"context"
	"fmt"
	"net/http"
	"net/netip"
	"runtime/debug"
	"sync"
	"time"

	"github.com/shopapi/shopapi/internal/admission"
	"github.com/shopapi/shopapi/internal/apipath"
	"github.com/shopapi/shopapi/internal/batch"
	"github.com/shopapi/shopapi/internal/clientaddr"
	"github.com/shopapi/shopapi/internal/cors"
	"github.com/shopapi/shopapi/internal/events"
	"github.com/shopapi/shopapi/internal/exchange"
	"github.com/shopapi/shopapi/internal/format"
	"github.com/shopapi/shopapi/internal/hooks"
	"github.com/shopapi/shopapi/internal/keyuse"
	"github.com/shopapi/shopapi/internal/lifecycle"
	"github.com/shopapi/shopapi/internal/loginlimit"
	"github.com/shopapi/shopapi/internal/packed"
	"github.com/shopapi/shopapi/internal/refusals"
	"github.com/shopapi/shopapi/internal/respcache"
	"github.com/shopapi/shopapi/internal/response"
	"github.com/shopapi/shopapi/internal/route"
	"github.com/shopapi/shopapi/internal/slowio"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver"
)

// An API is the store-administration REST API as an [http.Handler]. Make one
// with [New], register entities, then serve.
type API struct {
	opts      Options
	registry  route.Registry[*entry]
	limiter   *loginlimit.Limiter
	refusals  *refusals.Log
	proxies   clientaddr.Proxies
	events    *events.Queue[Operation, *User]
	hooks     hooks.Hooks // of deletions and moves
	erasers   []EraseFunc
	recorder  Recorder // of the change log; nil: there is none
	cache     *respcache.Cache[*User, *cachedResponse]
	settings  *settings
	keyUses   keyuse.Uses
	isUpload  func(ctx context.Context, reference string) (bool, error) // nil: nothing is uploaded
	admission *admission.Control

	endpoints apipath.Routes[*Endpoint]
	exports   exports
	match     MatchFunc // nil without PUT with match
	life      *lifecycle.Lifecycle

	crossOrigin *http.CrossOriginProtection
	cors        *cors.Policy // nil without allowed origins
	rules       exchange.Rules
	warnOfProxy sync.Once
}

// New returns an API without entities. Options may be nil. It panics when
// [Options.Validate] refuses them.
func New(opts *Options) *API {
	if err := opts.Validate(); err != nil {
		panic(err)
	}
	a := &API{
		opts:     opts.withDefaults(),
		registry: route.New[*entry](),
		refusals: refusals.New(),
		settings: newSettings(opts),
		life:     lifecycle.New(),
	}
	a.addVersion()
	a.crossOrigin = cors.Protection(a.opts.TrustedOrigins, a.opts.AllowedOrigins)
	a.cors = cors.New(a.opts.AllowedOrigins)
	a.rules = exchange.Rules{
		Time: a.opts.Limits.Time, Query: a.opts.Limits.Query, Vary: a.opts.vary(), CORS: a.cors, Compress: a.opts.Compress,
	}
	a.events = newEvents(&a.opts)
	a.limiter = loginlimit.New(a.opts.Limits.LoginFailures, a.opts.Limits.LoginWindow, a.opts.Limits.LoginEntries)
	bytes := a.opts.Limits.responseCache()
	a.cache = respcache.New[*User](bytes, cachesUsers(a.opts.Authenticator), packed.New(bytes, (*Route).key).Pack)
	a.admission = admission.New(admission.Limits{
		Memory: a.opts.Limits.Memory, Streams: a.opts.Limits.Streams, UserStreams: a.opts.Limits.UserStreams,
		Requests: a.opts.RateLimit.Requests, Seconds: a.opts.RateLimit.Seconds,
	}, a.opts.Clock)
	a.proxies = clientaddr.Proxies{Trusted: a.opts.TrustedProxies, Header: a.opts.ProxyHeader}
	return a
}

// ServeHTTP answers one request.
func (a *API) ServeHTTP(w http.ResponseWriter, req *http.Request) {
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
	if a.cache.Asks() {
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
	ctx, p.Share = a.admission.Open(ctx, p.user.client())
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
	if e, values, ok := a.endpoints.Find(segments); ok {
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
		defer a.admission.Write()()
	}
	var resp *response.Response
	var reads *driver.ReadSet
	if p.member == nil && target.cacheable() {
		for read := a.track(ctx); read.Next(); reads = read.reads {
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

// enter counts a request as in flight, unless the API is shutting down or was set
// up wrong.
func (a *API) enter() error {
	if err := a.Start(); err != nil {
		return err
	}
	if !a.life.Enter() {
		return errShuttingDown
	}
	return nil
}

// Shutdown refuses new requests with 503 and waits until running requests and the functions
// of [API.Background] have ended and the observer has received their changes. If ctx ends
// before that, Shutdown returns its error.
func (a *API) Shutdown(ctx context.Context) error {
	if err := a.life.Shutdown(ctx); err != nil {
		return err
	}
	return a.events.Flush(ctx)
}

// EndStreams ends the contexts of streams and of requests that wait without a time limit,
// as [API.Shutdown] does. A host gives it to [http.Server.RegisterOnShutdown], since
// [http.Server.Shutdown] waits for them.
func (a *API) EndStreams() { a.life.EndStreams() }

// errShuttingDown answers requests that come after [API.Shutdown].
var errShuttingDown = &Error{Status: http.StatusServiceUnavailable, Message: "The service is shutting down. Try again later.", retryAfter: retryLater}

// Background adds a function that runs beside requests, such as a sender of webhooks.
// It runs once, from [API.Start] on. Its context ends with [API.Shutdown], which waits until
// the function has returned. Call Background before Start.
func (a *API) Background(run func(ctx context.Context)) {
	a.life.Background(run)
}

// Start begins what runs beside requests, such as the sending of webhooks. The first
// request starts it too; a host calls Start so that it does not wait for a request. All
// entities are registered before. Start returns the error of [API.Check]. Further calls do
// nothing and return the same.
func (a *API) Start() error { return a.life.Start(a.Check) }

// A BatchMember is a request of a batch (E6), which package bulk sends into the pipeline.
type BatchMember struct {
	batch.Member
	User   *User
	Remote netip.Addr

	Atomic bool
	Store  store.Store // that an atomic batch writes to

	Prepared    any   // the result of [API.PrepareMember]
	PrepareErr  error // its error
	Refused     error // the response without further checks; nil for none
	MaxResponse int64 // bytes of the body of the response to GET
}

// literal says of each segment of the address whether a reference filled it in: such a
// segment is never read as a code.
func (m *BatchMember) literal() []bool {
	if m == nil {
		return nil
	}
	return m.Address.Literal
}

// admit refuses what an atomic batch cannot hold, and hands over the prepared result.
func (m *BatchMember) admit(t *target, r *Request) error {
	r.inBatch, r.prepared = true, m.Prepared
	if m.PrepareErr != nil {
		return m.PrepareErr
	}
	if m.Atomic && t.Entry.st != m.Store {
		return Errorf(http.StatusBadRequest, "%s cannot be in an atomic batch with the others: its objects are in another store.", t.Entry.Name)
	}
	return nil
}

// memberPipeline returns the pipeline of a member, and the context of its operation.
func (a *API) memberPipeline(ctx context.Context, m *BatchMember) (*pipeline, context.Context) {
	p := &pipeline{api: a, user: m.User, member: m, leave: func() {}, Exchange: exchange.Exchange{
		Rules: &a.rules, W: batch.Discard{}, Req: m.Request(ctx), Query: m.Address.Query,
	}}
	ctx, p.Share = a.admission.OpenMember(ctx, m.User.client())
	return p, ctx
}

// PrepareMember does what the entity of a member does before the transaction of an atomic
// batch, and returns the result.
func (a *API) PrepareMember(ctx context.Context, m *BatchMember) (any, error) {
	t, err := a.resolve(m.Address.Segments)
	if err != nil || t.Entry.prepare == nil {
		return nil, nil
	}
	p, ctx := a.memberPipeline(ctx, m)
	defer func() { p.Share.Release() }()
	if t, err = a.admit(p, m.Address.Segments); err != nil {
		return nil, err
	}
	r := &Request{User: p.user, Remote: m.Remote, api: a}
	if err := a.readInput(ctx, p, t, r); err != nil {
		return nil, err
	}
	result, _, err := a.prepare(WithLanguage(WithUser(ctx, p.user), r.language), t.Entry.st, t, r)
	return result, err
}

// A MemberResponse is the response to a member.
type MemberResponse struct {
	*response.Response
	IsJSON bool // and no text of another format
}

// ServeMember carries out a member. In an atomic batch it returns the error of the member.
// Otherwise that is the response, changes wait for their turn among bulk writes, and an error
// says that the wait took too long.
func (a *API) ServeMember(ctx context.Context, m *BatchMember) (resp *MemberResponse, err error) {
	if m.Atomic || m.Method == http.MethodGet {
		return a.serveMember(ctx, m)
	}
	err = a.admission.RunBulk(ctx, func() (err error) {
		resp, err = a.serveMember(ctx, m)
		return err
	})
	return resp, err
}

func (a *API) serveMember(ctx context.Context, m *BatchMember) (*MemberResponse, error) {
	p, ctx := a.memberPipeline(ctx, m)
	defer func() { p.Share.Release() }()
	resp, err := a.dispatchMember(ctx, p)
	switch {
	case err != nil && m.Atomic:
		return nil, err
	case err != nil:
		resp = p.failure(err)
	case m.Method == http.MethodGet:
		if resp = resp.UnlessKnown(p.Req.Header); int64(len(resp.Body)) > m.MaxResponse {
			resp = p.failure(Errorf(http.StatusRequestEntityTooLarge, "The responses of the batch would be larger than the %d bytes that are allowed.", a.opts.Limits.Response))
		}
	}
	return &MemberResponse{resp, p.Format == format.JSON}, nil
}

func (a *API) dispatchMember(ctx context.Context, p *pipeline) (resp *response.Response, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("panic: %v\n%s", v, debug.Stack())
		}
	}()
	if p.member.Refused != nil {
		return nil, p.member.Refused
	}
	return a.dispatch(ctx, p, p.member.Address.Segments)
}
