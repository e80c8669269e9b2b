package shopapi

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
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
	"github.com/shopapi/shopapi/internal/pace"
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
	opts     Options
	parts    any // *parts, see partsOf
	proxies  clientaddr.Proxies
	hooks    hooks.Hooks // of deletions and moves
	erasers  []EraseFunc
	recorder Recorder // of the change log; nil: there is none
	settings *settings
	isUpload func(ctx context.Context, reference string) (bool, error) // nil: nothing is uploaded

	exports exports
	match   MatchFunc // nil without PUT with match
	life    *lifecycle.Lifecycle

	cors        *cors.Policy // nil without allowed origins
	rules       exchange.Rules
	warnOfProxy sync.Once
}

// parts are the fields of an API with generic types in them. A package that sees such a type
// compiles all its methods again, and the packages of all entities would see them in an [API].
// Thus an API has its parts as any, no method has them as a result, and exported methods that
// use them are not inlined.
type parts struct {
	registry  route.Registry[*entry]
	limiter   *loginlimit.Limiter
	refusals  *refusals.Log
	events    *events.Queue[Operation, *User]
	cache     *respcache.Cache[*User, *cachedResponse]
	keyUses   keyuse.Uses
	admission *admission.Control
	endpoints apipath.Routes[*Endpoint]

	crossOrigin *http.CrossOriginProtection
}

func partsOf(a *API) *parts { return a.parts.(*parts) }

// New returns an API without entities. Options may be nil. It panics when
// [Options.Validate] refuses them.
func New(opts *Options) *API {
	if err := opts.Validate(); err != nil {
		panic(err)
	}
	a := &API{
		opts:     opts.withDefaults(),
		parts:    &parts{registry: route.New[*entry](), refusals: refusals.New()},
		settings: newSettings(opts),
		life:     lifecycle.New(),
	}
	p := partsOf(a)
	a.addVersion()
	p.crossOrigin = cors.Protection(a.opts.TrustedOrigins, a.opts.AllowedOrigins)
	a.cors = cors.New(a.opts.AllowedOrigins)
	a.rules = exchange.Rules{
		Time: a.opts.Limits.Time, Query: a.opts.Limits.Query, Vary: a.opts.vary(), CORS: a.cors, Compress: a.opts.Compress,
	}
	p.events = newEvents(&a.opts)
	p.limiter = loginlimit.New(a.opts.Limits.LoginFailures, a.opts.Limits.LoginWindow, a.opts.Limits.LoginEntries)
	bytes := a.opts.Limits.responseCache()
	p.cache = respcache.New[*User](bytes, cachesUsers(a.opts.Authenticator), packed.New(bytes-bytes/3, (*Route).key))
	p.admission = admission.New(admission.Limits{
		Memory: a.opts.Limits.Memory, Streams: a.opts.Limits.Streams, UserStreams: a.opts.Limits.UserStreams,
		Requests: a.opts.RateLimit.Requests, Seconds: a.opts.RateLimit.Seconds,
	}, a.opts.Clock)
	a.proxies = clientaddr.Proxies{Trusted: a.opts.TrustedProxies, Header: a.opts.ProxyHeader}
	return a
}

// Shutdown refuses new requests with 503 and waits until running requests and the functions
// of [API.Background] have ended and the observer has received their changes. If ctx ends
// before that, Shutdown returns its error.
func (a *API) Shutdown(ctx context.Context) error {
	if err := a.life.Shutdown(ctx); err != nil {
		return err
	}
	return partsOf(a).events.Flush(ctx)
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
	ctx, p.Share = partsOf(a).admission.OpenMember(ctx, m.User.client())
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
	if m.Atomic || m.Method == http.MethodGet || m.Refused != nil {
		return a.serveMember(ctx, m)
	}
	err = partsOf(a).admission.RunBulk(ctx, func() (err error) {
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

// BulkWrite runs fn in a transaction of st as a bulk write: bulk writes run one at a time,
// of each user in turn, and while others write for at most half of the time. It is undone, and
// a 413 [*Error], after most, its repeats included; 0 means that it has no limit of its own.
func (a *API) BulkWrite(ctx context.Context, st store.Store, most time.Duration, fn func(ctx context.Context, tx store.Tx) error) error {
	return a.BulkRun(ctx, most, func(ctx context.Context, begun func()) error {
		return st.Update(driver.Bulk(ctx), func(ctx context.Context, tx store.Tx) error {
			begun()
			return fn(ctx, tx)
		})
	})
}

// BulkRun is [API.BulkWrite] for a function that begins the transaction itself, and calls begun
// in it.
func (a *API) BulkRun(ctx context.Context, most time.Duration, run func(ctx context.Context, begun func()) error) error {
	return partsOf(a).admission.RunBulk(ctx, func() error {
		// Settings are cached from reads outside of transactions alone: a long transaction would
		// read them again for each object.
		if _, err := a.DefaultLanguage(ctx); err != nil {
			return err
		}
		err := pace.Within(ctx, most, run)
		if errors.Is(err, pace.ErrLate) {
			return Errorf(http.StatusRequestEntityTooLarge, "The transaction would take longer than %s and was undone. Send fewer requests at once.", most)
		}
		return err
	})
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
