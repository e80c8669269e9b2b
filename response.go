package shopapi

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/shopapi/shopapi/internal/jsonenc"
)

// A pipeline is one request on its way through the checks, and what is known of it
// so far.
type pipeline struct {
	api    *API
	w      http.ResponseWriter
	req    *http.Request
	query  url.Values
	format format
	sent   bool

	queryErr error // of reading query
	bodyRead bool  // as far as it comes

	user *User   // nil until it is known
	key  userKey // of user, where responses are cached

	condition *precondition // nil when there is none

	start    time.Time // where somebody wants to know
	deadline time.Time // zero until something is asked that can take time
	done     Completion
}

// context is that of what is done for the request: it ends when the request's time
// is over, counted from the first call.
func (p *pipeline) context() (context.Context, context.CancelFunc) {
	if p.deadline.IsZero() {
		p.deadline = time.Now().Add(p.api.opts.Limits.Time)
	}
	return context.WithDeadline(p.req.Context(), p.deadline)
}

// identified notes the user of the request.
func (p *pipeline) identified(user *User, key userKey) {
	p.user, p.key, p.done.User = user, key, user
}

// A response is ready to be sent. Once it is complete it does not change: it may be
// cached and sent again.
type response struct {
	status int
	fields []field
	body   []byte
	etag   string // of responses to GET
}

// A field is one header of a response. Its values are shared between requests.
type field struct {
	name   string
	values []string
}

// The fields that many responses have.
var (
	isPrivate    = field{"Cache-Control", []string{"private, no-cache"}}
	isNotSniffed = field{"X-Content-Type-Options", []string{"nosniff"}}
	isJSON       = field{"Content-Type", []string{"application/json"}}
	isForm       = field{"Content-Type", []string{"text/plain; charset=utf-8"}}
	isHTML       = field{"Content-Type", []string{"text/html; charset=utf-8"}}
)

// usualFields is how many fields the response to the GET of an object has.
const usualFields = 5

// newResponse returns a response with a body.
func newResponse(status int, contentType field, body []byte) *response {
	length := field{"Content-Length", []string{strconv.Itoa(len(body))}}
	fields := append(make([]field, 0, usualFields), isPrivate, isNotSniffed, contentType, length)
	return &response{status: status, body: body, fields: fields}
}

// noContent is the response to DELETE.
var noContent = &response{status: http.StatusNoContent, fields: []field{isPrivate, isNotSniffed}}

// add adds a header.
func (r *response) add(name, value string) {
	r.fields = append(r.fields, field{name, []string{value}})
}

// acceptable is the check 406.
func (p *pipeline) acceptable() (format, error) {
	f, ok := negotiate(p.req.Header)
	if !ok {
		return f, Errorf(http.StatusNotAcceptable, "The formats in Accept cannot be produced. Available: application/json, text/plain.")
	}
	return f, nil
}

// respond returns a response of any size: what is told of a change that is
// committed must not fail.
func (f format) respond(status int, v any) (*response, error) {
	body, err := f.encode(v, jsonenc.Unlimited)
	return newResponse(status, f.contentType(), body), err
}

// respondRead returns a response of what was read, within the limit of a response
// and the request's time.
func (a *API) respondRead(ctx context.Context, f format, t *target, v any) (*response, error) {
	most := a.opts.Limits.Response
	body, err := f.encode(v, func() *jsonenc.Limit { return jsonenc.Within(ctx, most) })
	if errors.Is(err, jsonenc.ErrTooLarge) {
		return nil, f.tooLarge(t.op == OpList, most)
	}
	return newResponse(http.StatusOK, f.contentType(), body), err
}

// failure turns an error into a response, in the format that Accept chose or else
// in JSON (§5). What the client is not told goes into the log.
func (p *pipeline) failure(err error) *response {
	p.format, _ = negotiate(p.req.Header)
	e := asError(err)
	var extra []field
	set := func(name, value string) { extra = append(extra, field{name, []string{value}}) }
	message := e.Message
	switch e.Status {
	case http.StatusUnauthorized:
		set("Www-Authenticate", `Basic realm=`+strconv.Quote(p.api.opts.Realm)+`, charset="UTF-8"`)
	case http.StatusMethodNotAllowed:
		set("Allow", strings.Join(e.allow, ", "))
	}
	if e.retryAfter > 0 {
		seconds := (e.retryAfter + time.Second - 1) / time.Second
		set("Retry-After", strconv.Itoa(int(seconds)))
	}
	if p.user == nil && (e.Status == http.StatusUnauthorized || e.Status == http.StatusTooManyRequests) {
		p.refused(e)
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
	r, err := p.format.respond(e.Status, body)
	if err != nil { // texts and a number always encode
		panic(err)
	}
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
		h[f.name] = f.values
	}
	h["Vary"] = append(h["Vary"], "Accept, Authorization") // the host may have named others
	p.done.Status = r.status
	p.w.WriteHeader(r.status)
	if p.req.Method != http.MethodHead && len(r.body) > 0 {
		// A client that went away is told nothing; the change is committed.
		n, _ := p.w.Write(r.body)
		p.done.Bytes = int64(n)
	}
	if limited {
		p.unlimitWrite()
	}
}

// recoverPanic answers 500 for a panic, which goes to the log alone.
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
