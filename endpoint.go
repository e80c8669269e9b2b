package shopapi

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"slices"
	"sync/atomic"

	"github.com/shopapi/shopapi/internal/apipath"
	"github.com/shopapi/shopapi/internal/budget"
	"github.com/shopapi/shopapi/internal/query"
	"github.com/shopapi/shopapi/internal/ratelimit"
	"github.com/shopapi/shopapi/internal/respcache"
	"github.com/shopapi/shopapi/internal/response"
	"github.com/shopapi/shopapi/internal/route"
	"github.com/shopapi/shopapi/internal/slowio"
	"github.com/shopapi/shopapi/store/driver"
)

// An Endpoint is an address of the API that is not an entity's: it answers in a form of
// its own, such as a report, a stream or an upload. An endpoint passes the checks of the
// request pipeline in their order (§2).
type Endpoint struct {
	// Address is the address below the entry point, such as "jobs/{id}/errors". A
	// segment in braces matches any one segment.
	Address string

	// OfEntity means that the first segment is the name of an entity below whose objects
	// the endpoint lies, such as "users/{id}/keys". Otherwise the first segment is
	// reserved, and no entity can have that name.
	OfEntity bool

	// Methods are the methods of the address by their HTTP names: GET, which includes
	// HEAD, POST, PUT and DELETE. All others are refused with 405.
	Methods map[string]Method
}

// A Method is what an [Endpoint] does for one HTTP method.
type Method struct {
	// Serve answers the request. It returns after the change is committed. An [*Error] is
	// the response; another error gets a 500 and only logged.
	Serve func(ctx context.Context, r *EndpointRequest) (*Response, error)

	// Privileges are the names of the privileges that the user needs, all of them; none
	// where every user may call the method.
	Privileges []string

	// MediaTypes are media types that the method can produce beside the API's own
	// formats, such as "text/event-stream". The client chooses by Accept.
	MediaTypes []string

	// MaxBody is the greatest length of the body of a POST or PUT in bytes. 0 means
	// [Limits.Body].
	MaxBody int64

	// RawBody leaves the body of a POST or PUT, of any Content-Type, to Serve. Otherwise the
	// body is an object (§4), which may be empty. BodyTypes are the media types that Serve
	// understands, for the OpenAPI document; none are all.
	RawBody   bool
	BodyTypes []string

	// Unlimited frees the method from [Limits.Time]: its context ends when the client
	// goes away, or with [API.EndStreams].
	Unlimited bool

	// Cacheable is [Description.Cacheable] for GET. Such responses have an ETag.
	Cacheable bool

	// Summary is a sentence for the OpenAPI document. Parameters describe the query,
	// by name. Payload and Answer are the types of the body and of the response, nil where
	// there is none or it is not known.
	Summary         string
	Parameters      map[string]string
	Payload, Answer reflect.Type

	// Success is the status of a success in the OpenAPI document, such as 201; 0 means 200.
	Success int

	// RawJSON leaves the body, which must be JSON, to Serve in [EndpointRequest.JSON].
	RawJSON bool
}

// An EndpointRequest is a request for an [Endpoint].
type EndpointRequest struct {
	// Request has the user, the query as Filter, and the body as Payload.
	*Request

	Method string // in capitals; HEAD is GET

	// Segments are the segments of the address that the braces of [Endpoint.Address]
	// matched, in their order.
	Segments []string

	// MediaType is the one of [Method.MediaTypes] that the client prefers, "" for one of
	// the API's own formats.
	MediaType string

	Header http.Header
	Body   io.Reader // with [Method.RawBody], limited to [Method.MaxBody]
	JSON   []byte    // with [Method.RawJSON]

	http  *http.Request
	rate  ratelimit.Count                 // of CountRequests, zero without it
	watch atomic.Pointer[respcache.Watch] // of the user, nil where none is possible
}

// A Response is the response of an [Endpoint].
type Response struct {
	Status int         // 0 means 200
	Header http.Header // in addition to the usual headers, or in their place
	Body   any         // is encoded in the format that the client prefers; nil for none

	// Stream writes the body, instead of Body; Header has its Content-Type. To send
	// written data at once, flush w, which is an [http.Flusher]. A client that reads
	// nothing for [Limits.Time] loses the connection. If Stream returns an error, the
	// connection is closed and the error logged. Streams count in
	// [Limits.Streams]: one beyond it is answered 429.
	Stream func(ctx context.Context, w io.Writer) error
}

// RegisterEndpoint adds an endpoint. It fails when the address is registered already, or
// when an entity, a host's for instance, has the name that the endpoint reserves. Endpoints
// are registered before the first request is served.
func (a *API) RegisterEndpoint(e Endpoint) error {
	if a.life.Serving() {
		return errServing
	}
	if err := e.check(); err != nil {
		return err
	}
	if name := apipath.First(e.Address); !e.OfEntity && a.Registered(name) {
		return fmt.Errorf("shopapi: an entity is named %s, so the address %s cannot be switched on", name, e.Address)
	}
	if err := partsOf(a).endpoints.Add(e.Address, &e); err != nil {
		return fmt.Errorf("shopapi: %w", err)
	}
	if !e.OfEntity {
		partsOf(a).endpoints.Reserve(e.Address)
	}
	return nil
}

// Endpoints returns the registered endpoints in the order of their addresses.
func (a *API) Endpoints() []Endpoint {
	list := []Endpoint{}
	for _, e := range partsOf(a).endpoints.All() {
		list = append(list, *e)
	}
	return list
}

// check finds mistakes in an endpoint beside its address.
func (e *Endpoint) check() error {
	if len(e.Methods) == 0 {
		return fmt.Errorf("shopapi: the endpoint %s has no method", e.Address)
	}
	for name, m := range e.Methods {
		if m.Serve == nil || !slices.Contains([]string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodDelete}, name) {
			return fmt.Errorf("shopapi: the endpoint %s cannot answer %s", e.Address, name)
		}
	}
	return nil
}

// EndpointAt returns the [Endpoint.Address] of the endpoint at an address below the entry
// point. ok is false where there is none.
func (a *API) EndpointAt(segments ...string) (address string, ok bool) {
	e, _, ok := partsOf(a).endpoints.Find(segments)
	if !ok {
		return "", false
	}
	return e.Address, true
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
		Request: &Request{User: p.user, Remote: p.remote(), api: a},
		Method:  p.Req.Method, Segments: values, Header: p.Req.Header, http: p.Req,
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
		return bodyError(err)
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

// CountRequests counts the request as n requests for the rate limit. It returns a 413 where
// these are more than a user may make at all, and a 429 where they are too many now.
func (r *EndpointRequest) CountRequests(n int) error {
	if r.User == nil {
		return nil
	}
	count, err := partsOf(r.api).admission.CountBatch(r.User.client(), n)
	if count.IsLimited() {
		r.rate = count
	}
	return refused(err)
}

// EnterWait counts the request among the requests that wait ([Limits.Streams]) until leave is
// called. It returns the 429 of a request beyond the limits. Responses with a Stream are
// counted by the API.
func (r *EndpointRequest) EnterWait() (leave func(), err error) {
	leave, err = partsOf(r.api).admission.EnterStream(r.User.client())
	return leave, refused(err)
}

// Identify returns the user of the request with the privileges of now. A response that
// takes long asks before each part that it sends. The error is the response to
// credentials that are no longer valid.
func (r *EndpointRequest) Identify(ctx context.Context) (*User, error) {
	user, watch, err := r.identify(ctx)
	r.watch.Store(watch)
	return user, err
}

// identify returns the user, and a watch of it where the host does not identify its users.
func (r *EndpointRequest) identify(ctx context.Context) (*User, *respcache.Watch, error) {
	user, err := r.api.hostsUser(ctx, r.http)
	if err != nil || user != nil {
		return user, nil, err
	}
	if user, watch, ok := partsOf(r.api).cache.WatchedUser(ctx, r.http.Header); ok {
		return user, watch, nil
	}
	credentials, err := credentialsOf(r.http.Header)
	if err != nil {
		return nil, nil, err
	}
	ctx, lookup := partsOf(r.api).cache.Lookup(ctx)
	user, _, err = r.api.userOf(ctx, r.http, credentials, lookup)
	if err != nil {
		return nil, nil, err
	}
	return user, lookup.Watch(), nil
}

// UserChanged reports whether the user that [EndpointRequest.Identify] returned last may have
// changed since, so that a response that waits knows when to ask again. It reads no row;
// contexts of [driver.AskOnce] share one question to the database. It cannot report changes
// of users of the host's, nor changes by other processes where the store does not notice
// them. It may run beside Identify.
func (r *EndpointRequest) UserChanged(ctx context.Context) bool {
	w := r.watch.Load()
	return w != nil && w.Changed(ctx)
}
