package shopapi

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/shopapi/shopapi/internal/budget"
	"github.com/shopapi/shopapi/internal/compress"
	"github.com/shopapi/shopapi/internal/conditional"
	"github.com/shopapi/shopapi/internal/jsonenc"
	"github.com/shopapi/shopapi/internal/ratelimit"
	"github.com/shopapi/shopapi/internal/refusals"
	"github.com/shopapi/shopapi/internal/respcache"
	"github.com/shopapi/shopapi/store/driver"
)

// A pipeline is the state of one request while it passes the checks.
type pipeline struct {
	api    *API
	w      http.ResponseWriter
	req    *http.Request
	query  url.Values
	format format
	sent   bool

	queryErr error // of reading query
	bodyRead bool  // as far as it comes

	user *User             // nil until it is known
	key  respcache.UserKey // of user, where responses are cached

	condition *precondition // nil when there is none
	share     *budget.Share // of the memory for all requests, from the operation on
	exported  string        // the media type of an export, "" for other requests
	slot      *exportSlot   // of an export; nil for none

	asking  context.Context    // of [driver.AskOnce], nil where no store has to be asked
	renewal *respcache.Renewal // of the response, nil for none

	rate      ratelimit.Count // zero where no request is counted
	coding    compress.Choice // of the response
	uncodable bool            // no coding of the response is acceptable
	unlimited bool            // neither Limits.Time nor the server's timeouts hold

	member *member // of a batch, nil for other requests

	start    time.Time // where somebody wants to know
	deadline time.Time // zero until something is asked that can take time
	done     Completion
}

// context returns the context of the request. It ends when the time limit of the request
// is over, which begins with the first call.
func (p *pipeline) context() (context.Context, context.CancelFunc) {
	if p.deadline.IsZero() {
		p.deadline = time.Now().Add(p.api.opts.Limits.Time)
	}
	return context.WithDeadline(p.outer(), p.deadline)
}

// outer is the context of the request without its time limit, in which cached responses
// and users are valid or not.
func (p *pipeline) outer() context.Context {
	if p.asking != nil {
		return p.asking
	}
	return p.req.Context()
}

// askOnce has a store be asked once what is valid in the cache, within the time limit of
// the request. The returned function releases the context.
func (p *pipeline) askOnce() context.CancelFunc {
	ctx, cancel := p.context()
	p.asking = driver.AskOnce(ctx)
	return cancel
}

// remote is the address of the client.
func (p *pipeline) remote() netip.Addr {
	if p.member != nil {
		return p.member.remote
	}
	return p.api.ClientAddress(p.req)
}

// call returns what the operation of the request needs.
func (p *pipeline) call() call { return call{p.format, p.req.URL, p.condition} }

// identified notes the user of the request.
func (p *pipeline) identified(user *User, key respcache.UserKey) {
	p.user, p.key, p.done.User = user, key, user
}

// A response is ready to be sent. Once it is complete it does not change: it may be
// cached and sent again.
type response struct {
	status int
	fields []header
	body   []byte
	etag   string                // of responses to GET
	stream func(io.Writer) error // writes the body in place of body; nil for none
}

// A header is one header of a response.
type header = conditional.Field

func newHeader(name, value string) header { return header{Name: name, Values: []string{value}} }

// The fields that many responses have.
var (
	isPrivate    = newHeader("Cache-Control", "private, no-cache")
	isNotSniffed = newHeader("X-Content-Type-Options", "nosniff")
	isJSON       = newHeader("Content-Type", "application/json")
	isProblem    = newHeader("Content-Type", problemType)
	isForm       = newHeader("Content-Type", "text/plain; charset=utf-8")
	isHTML       = newHeader("Content-Type", "text/html; charset=utf-8")
)

// usualFields is how many fields the response to the GET of an object has.
const usualFields = 5

// newResponse returns a response with a body.
func newResponse(status int, contentType header, body []byte) *response {
	length := newHeader("Content-Length", strconv.Itoa(len(body)))
	fields := append(make([]header, 0, usualFields), isPrivate, isNotSniffed, contentType, length)
	return &response{status: status, body: body, fields: fields}
}

// noContent is the response to DELETE.
var noContent = &response{status: http.StatusNoContent, fields: []header{isPrivate, isNotSniffed}}

// add adds a header.
func (r *response) add(name, value string) {
	r.fields = append(r.fields, newHeader(name, value))
}

// tag gives a response to GET its ETag (RFC 9110 §8.8.3).
func (r *response) tag() {
	r.etag = conditional.Tag(r.fields, r.body)
	r.add("Etag", r.etag)
}

// unlessKnown returns the response 304 when the client has the response already (RFC
// 9110 §13.1.2), else the response itself.
func (r *response) unlessKnown(h http.Header) *response {
	if r.etag == "" || !conditional.NotModified(h["If-None-Match"], r.etag) {
		return r
	}
	return &response{status: http.StatusNotModified, fields: []header{isPrivate, isNotSniffed, newHeader("Etag", r.etag)}}
}

// A cachedResponse is a response in the response cache.
type cachedResponse struct {
	*response
	route Route
}

// size is the number of bytes that the response takes in the cache.
func (c *cachedResponse) size() int64 {
	const perResponse, perField, perText = 384, 40, 16 // names of headers are shared
	size := perResponse + cap(c.body) + perText*len(c.route.Parents)
	for _, f := range c.fields {
		size += perField
		for _, v := range f.Values {
			size += perText + len(v)
		}
	}
	return int64(size)
}

// track returns a context that records reads when the response of the target may be
// cached, else a nil read set.
func (a *API) track(ctx context.Context, t *target) (context.Context, *driver.ReadSet) {
	if !a.cache.Enabled() || t.op != OpGet && t.op != OpList || !t.entry.Cacheable {
		return ctx, nil
	}
	for _, step := range t.parents {
		if !step.entry.Cacheable {
			return ctx, nil
		}
	}
	reads := &driver.ReadSet{}
	return driver.WithReadSet(ctx, reads), reads
}

// acceptable is the check 406.
func (p *pipeline) acceptable() (format, error) {
	f, ok := negotiate(p.req.Header)
	if p.uncodable {
		return f, Errorf(http.StatusNotAcceptable, "The codings in Accept-Encoding cannot be produced. Available: gzip, zstd, identity.")
	}
	if !ok {
		return f, Errorf(http.StatusNotAcceptable, "The formats in Accept cannot be produced. Available: application/json, text/plain.")
	}
	return f, nil
}

// respond returns a response of any size: the response to a committed change must not
// fail.
func (f format) respond(status int, v any) (*response, error) {
	body, err := f.encode(v, jsonenc.Unlimited)
	return newResponse(status, f.contentType(), body), err
}

// respondRead returns the response to a GET, within the limits of a response's size and
// of the request's time.
func (a *API) respondRead(ctx context.Context, f format, isList bool, v any) (*response, error) {
	most := a.opts.Limits.Response
	body, err := f.encode(v, func() *jsonenc.Limit { return jsonenc.Within(ctx, most) })
	if errors.Is(err, jsonenc.ErrTooLarge) {
		return nil, f.tooLarge(isList, most)
	}
	return newResponse(http.StatusOK, f.contentType(), body), err
}

// failure turns an error into a response, in the format that Accept chose or else
// in JSON (§5). The log has the causes that the response leaves out.
func (p *pipeline) failure(err error) *response {
	p.format, _ = negotiate(p.req.Header)
	e := asError(err)
	var extra []header
	set := func(name, value string) { extra = append(extra, newHeader(name, value)) }
	message := e.Message
	switch e.Status {
	case http.StatusUnauthorized:
		if dest := p.req.Header.Get("Sec-Fetch-Dest"); dest != "" && dest != "document" {
			break // a browser would open a password dialog for a script or an image (E12)
		}
		set("Www-Authenticate", `Basic realm=`+strconv.Quote(p.api.opts.Realm)+`, charset="UTF-8"`)
	case http.StatusMethodNotAllowed:
		set("Allow", strings.Join(e.allow, ", "))
	}
	if e.retryAfter > 0 {
		seconds := (e.retryAfter + time.Second - 1) / time.Second
		set("Retry-After", strconv.Itoa(int(seconds)))
	}
	if p.user == nil && (e.Status == http.StatusUnauthorized || e.Status == http.StatusTooManyRequests) {
		refusal := refusals.Refusal{Address: p.api.ClientAddress(p.req), Status: e.Status, Message: e.Message}
		p.api.refusals.Refused(p.api.opts.Logger, p.req, refusal, p.api.opts.Clock())
	}
	if e.Status >= 500 {
		id := rand.Text()
		set("X-Request-Id", id)
		p.log(id, e)
		if e.Status == http.StatusInternalServerError {
			message = "The request could not be served. Its id in the log is " + id + "."
		}
	}
	body := Map{{"message", message}, {"status", e.Status}}
	if len(e.Fields) > 0 {
		body = append(body, Member{"errors", e.Fields})
	}
	body = append(body, e.Members...)
	contentType := p.format.contentType()
	if acceptsProblem(p.req.Header) {
		p.format, contentType = formatJSON, isProblem
		body = append(Map{{"type", "about:blank"}, {"title", http.StatusText(e.Status)}, {"detail", message}}, body...)
	}
	encoded, err := p.format.encode(body, jsonenc.Unlimited)
	if err != nil { // texts and a number always encode
		panic(err)
	}
	r := newResponse(e.Status, contentType, encoded)
	r.fields = append(r.fields, extra...)
	return r
}

func (p *pipeline) log(id string, e *Error) {
	level := slog.LevelError
	if e.Status == http.StatusServiceUnavailable {
		level = slog.LevelWarn
		if errors.Is(p.req.Context().Err(), context.Canceled) {
			level = slog.LevelDebug // the client went away, nothing is wrong
		}
	}
	cause := e.Message
	if e.cause != nil {
		cause = e.cause.Error()
	}
	p.api.opts.Logger.LogAttrs(context.WithoutCancel(p.req.Context()), level, "a request failed",
		slog.String("request", id), slog.String("method", short(p.req.Method)), slog.String("path", short(p.req.URL.Path)),
		slog.Int("status", e.Status), slog.String("error", cause))
}

// send writes the response. HEAD gets the headers of GET.
func (p *pipeline) send(r *response) {
	p.sent = true
	limited := p.limitWrite()
	h := p.w.Header()
	for _, f := range r.fields {
		h[f.Name] = f.Values
	}
	h["Vary"] = append(h["Vary"], p.api.vary) // the host may have named others
	p.api.cors.AddTo(h, p.req)
	if policy := p.rate.Policy(); policy != nil {
		h["Ratelimit-Policy"] = policy
		h["Ratelimit"] = []string{p.rate.Limit()}
	}
	p.done.Status = r.status
	p.w.WriteHeader(r.status)
	if p.req.Method != http.MethodHead && len(r.body) > 0 {
		// The client may be gone. The change is committed all the same.
		n, _ := p.w.Write(r.body)
		p.done.Bytes = int64(n)
	}
	if limited {
		p.unlimitWrite()
	}
	if r.stream != nil && p.req.Method != http.MethodHead {
		p.sendStream(r.stream)
	}
}

// recoverPanic answers 500 after a panic, and logs it.
func (p *pipeline) recoverPanic() {
	v := recover()
	if v == nil {
		return
	}
	if v == http.ErrAbortHandler || p.sent {
		panic(v)
	}
	p.send(p.failure(fmt.Errorf("panic: %v\n%s", v, debug.Stack())))
}

// A Completion is the result of a request, for [Options.Completed]. Fields that were not
// known when the request was refused are empty: a request with wrong credentials has
// no user and no route, a request for an unknown address has no route.
type Completion struct {
	Route

	// User made the request, nil when it was refused before that was known.
	User *User

	// Status is the status of the response, 0 when the connection was cut before
	// there was one.
	Status int

	// Bytes is the number of written bytes of the body.
	Bytes int64

	// Duration runs from the call of ServeHTTP until the response was written.
	Duration time.Duration

	// Cached says that the response came from the response cache.
	Cached bool
}

// complete calls [Options.Completed]. A panic of the callback is logged and not sent.
func (p *pipeline) complete() {
	told := p.api.opts.Completed
	if told == nil {
		return
	}
	p.done.Duration = time.Since(p.start)
	defer func() {
		if v := recover(); v != nil {
			p.api.opts.Logger.LogAttrs(context.WithoutCancel(p.req.Context()), slog.LevelError, "Options.Completed panicked",
				slog.Any("panic", v), slog.String("path", short(p.req.URL.Path)), slog.String("stack", string(debug.Stack())))
		}
	}()
	told(p.req, p.done)
}

// drainTime is how long the server waits for the rest of a body that is not read before
// it responds. It closes the connection if the body does not come.
const drainTime = time.Second

// server returns the http.Server of the request, nil for another kind of server.
func (p *pipeline) server() *http.Server {
	s, _ := p.req.Context().Value(http.ServerContextKey).(*http.Server)
	return s
}

// limitRead ends the reading of a body that does not come by the given time, where
// the server can, and reports whether there is one. A server that has a shorter limit
// of its own is left alone.
func (p *pipeline) limitRead(end time.Time) bool {
	if p.bodyRead || p.req.Body == nil || p.req.Body == http.NoBody {
		return false
	}
	if s := p.server(); s == nil || s.ReadTimeout == 0 || s.ReadTimeout > time.Until(end) {
		_ = http.NewResponseController(p.w).SetReadDeadline(end)
	}
	return true
}

// limitWrite sets a write deadline for a response that the client does not read, if the
// server has none, and reports whether it did. Before net/http writes, it reads the rest
// of a body.
func (p *pipeline) limitWrite() bool {
	now := time.Now()
	end := now.Add(p.api.opts.Limits.Time)
	if p.limitRead(now.Add(drainTime)) {
		end = end.Add(drainTime)
	}
	s := p.server()
	if s == nil || s.WriteTimeout > 0 && !p.unlimited {
		return false
	}
	return http.NewResponseController(p.w).SetWriteDeadline(end) == nil
}

// unlimitWrite flushes within the deadline and removes it: later writes of a host, on
// this connection or in this response, have no deadline of ours.
func (p *pipeline) unlimitWrite() {
	c := http.NewResponseController(p.w)
	_ = c.Flush() // a disconnected client gets no response
	_ = c.SetWriteDeadline(time.Time{})
}
