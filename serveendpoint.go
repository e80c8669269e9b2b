package shopapi

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/shopapi/shopapi/internal/budget"
	"github.com/shopapi/shopapi/internal/slowio"
	"github.com/shopapi/shopapi/store/driver"
)

// serveEndpoint is the request pipeline of an endpoint from the method on (§2).
func (a *API) serveEndpoint(ctx context.Context, p *pipeline, e *endpoint, values []string) (*response, error) {
	p.done.Route = Route{Endpoint: e.Address}
	m, err := e.method(p.req.Method)
	if err != nil {
		return nil, err
	}
	if p.member != nil && (p.member.atomic || m.RawBody || m.Unlimited || len(m.MediaTypes) > 0) {
		return nil, Errorf(http.StatusBadRequest, "%s cannot be in a batch.", e.Address)
	}
	r := &EndpointRequest{
		Request: &Request{User: p.user, Remote: p.remote(), api: a},
		Method:  p.req.Method, Segments: values, Header: p.req.Header, http: p.req,
	}
	if r.Method == http.MethodHead {
		r.Method = http.MethodGet
	}
	if p.format, r.MediaType, err = p.acceptableOr(m.MediaTypes); err != nil {
		return nil, err
	}
	for _, privilege := range m.Privileges {
		if !p.user.Can(privilege) {
			return nil, forbidden(privilege)
		}
	}
	if m.Unlimited {
		var cancel context.CancelFunc
		ctx, cancel = a.unlimited(budget.With(p.req.Context(), p.share))
		defer cancel()
	}
	if err := a.readEndpointInput(p, e, m, r); err != nil {
		return nil, err
	}
	if m.Unlimited && !m.RawBody {
		p.clearDeadlines()
	}
	ctx = WithLanguage(WithUser(ctx, p.user), r.language)
	var reads *driver.ReadSet
	if m.Cacheable && r.Method == http.MethodGet && p.member == nil && a.cache.Enabled() {
		reads = &driver.ReadSet{}
		ctx = driver.WithReadSet(ctx, reads)
	}
	var answer *Response
	if m.isBatch {
		answer, err = a.serveBatch(ctx, p, r)
	} else {
		answer, err = m.Serve(ctx, r)
	}
	if err != nil {
		return nil, err
	}
	resp, err := a.respondEndpoint(ctx, p, m, r, answer)
	if err == nil {
		resp = resp.compressed(p.coding)
		p.share.Keep(int64(len(resp.body)))
	}
	if err == nil && reads != nil && resp.status == http.StatusOK && resp.stream == nil {
		c := &cachedResponse{resp, p.done.Route}
		a.cache.Put(p.req, p.key, variant(p.coding), c, reads, c.size())
	}
	return resp, err
}

// readEndpointInput reads the query and, with POST and PUT, the body.
func (a *API) readEndpointInput(p *pipeline, e *endpoint, m Method, r *EndpointRequest) (err error) {
	writes := r.Method == http.MethodPost || r.Method == http.MethodPut
	most := m.MaxBody
	if most == 0 {
		most = a.opts.Limits.Body
	}
	switch {
	case writes && m.RawBody:
		p.bodyRead = true
		body := p.req.Body
		if m.Unlimited {
			body = &slowio.Reader{ReadCloser: body, Control: http.NewResponseController(p.w), Time: a.opts.Limits.Time}
		}
		r.Body = http.MaxBytesReader(p.w, body, most)
	case writes:
		if r.Payload, err = p.readFields(most); err != nil {
			return err
		}
	}
	if err := checkQuery(p.query, p.queryErr); err != nil {
		return err
	}
	r.Filter = filterOf(p.query)
	if err := r.readLanguage(); err != nil {
		return err
	}
	if r.Method == http.MethodPost && !m.RawBody {
		address := e.Address
		for _, value := range r.Segments {
			address += "/" + value
		}
		return r.readIdempotencyKey(p.req.Header, address)
	}
	return nil
}

// respondEndpoint returns the response of an endpoint.
func (a *API) respondEndpoint(ctx context.Context, p *pipeline, m Method, r *EndpointRequest, answer *Response) (*response, error) {
	status := answer.Status
	if status == 0 {
		status = http.StatusOK
	}
	var resp *response
	switch {
	case answer.Stream != nil && p.req.Method == http.MethodHead:
		resp = &response{status: status, fields: []header{isPrivate, isNotSniffed}}
	case answer.Stream != nil:
		leave, err := a.slots.enter(p.user)
		if err != nil {
			return nil, err
		}
		resp = &response{status: status, fields: []header{isPrivate, isNotSniffed}}
		parent, user, language := p.req.Context(), p.user, r.language // p itself must not escape to the heap
		resp.stream = func(w io.Writer) error {
			defer leave()
			ctx, cancel := a.unlimited(parent)
			defer cancel()
			return answer.Stream(WithLanguage(WithUser(ctx, user), language), w)
		}
	case answer.Body == nil:
		resp = &response{status: status, fields: []header{isPrivate, isNotSniffed}}
	case r.Method == http.MethodGet:
		var err error
		if resp, err = a.respondRead(ctx, p.format, true, answer.Body); err != nil {
			return nil, err
		}
		resp.status = status
	default:
		var err error
		if resp, err = p.format.respond(status, answer.Body); err != nil {
			return nil, err
		}
	}
	for name, values := range answer.Header {
		resp.fields = slices.DeleteFunc(resp.fields, func(f header) bool { return f.Name == name })
		resp.fields = append(resp.fields, header{Name: name, Values: values})
	}
	slices.SortStableFunc(resp.fields, func(a, b header) int { return strings.Compare(a.Name, b.Name) })
	if m.Cacheable && r.Method == http.MethodGet && status == http.StatusOK && resp.stream == nil {
		resp.tag()
	}
	return resp, nil
}

// unlimited returns a context without the time limit of a request. It ends with the
// connection, or with [API.EndStreams].
func (a *API) unlimited(parent context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(parent)
	stop := context.AfterFunc(a.streams, func() { cancel(errShuttingDown) })
	return ctx, func() { stop(); cancel(nil) }
}

// EndStreams ends the contexts of streams and of requests that wait without a time limit,
// as [API.Shutdown] does. A host gives it to [http.Server.RegisterOnShutdown], since
// [http.Server.Shutdown] waits for them.
func (a *API) EndStreams() { a.endStreams() }

// sendStream writes the body of a response as it comes.
func (p *pipeline) sendStream(stream func(io.Writer) error) {
	most := time.Duration(0)
	if p.server() != nil {
		most = p.api.opts.Limits.Time
	}
	w := slowio.NewWriter(p.w, most)
	err := stream(w)
	p.done.Bytes = w.Bytes
	if err == nil || p.req.Context().Err() != nil {
		w.End()
		return
	}
	p.api.opts.Logger.LogAttrs(context.WithoutCancel(p.req.Context()), slog.LevelError, "a stream failed",
		slog.String("path", short(p.req.URL.Path)), slog.String("error", fmt.Sprint(err)))
	panic(http.ErrAbortHandler)
}

// EnterWait counts the request among the requests that wait ([Limits.Streams]) until leave is
// called. It returns the 429 of a request beyond the limits. Responses with a Stream are
// counted by the API.
func (r *EndpointRequest) EnterWait() (leave func(), err error) { return r.api.slots.enter(r.User) }

// Identify returns the user of the request with the privileges of now. A response that
// takes long asks before each part that it sends. The error is the response to
// credentials that are no longer valid.
func (r *EndpointRequest) Identify(ctx context.Context) (*User, error) {
	user, err := r.api.hostsUser(ctx, r.http)
	if err != nil || user != nil {
		return user, err
	}
	if user, _, ok := r.api.cache.User(ctx, r.http.Header); ok {
		return user, nil
	}
	credentials, err := credentialsOf(r.http.Header)
	if err != nil {
		return nil, err
	}
	user, _, err = r.api.userOf(ctx, r.http, credentials)
	return user, err
}
