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
)

// An exchange is one request on its way and the answer to come.
type exchange struct {
	api    *API
	w      http.ResponseWriter
	req    *http.Request
	query  url.Values
	format format
	sent   bool

	user *User   // nil until it is known
	key  userKey // of user, where responses are cached

	start    time.Time // where somebody wants to know
	deadline time.Time // zero until something is asked that can take time
	done     Completion
}

// context is that of what is done for the request: it ends when the request's time
// is over, counted from the first call.
func (x *exchange) context() (context.Context, context.CancelFunc) {
	if x.deadline.IsZero() {
		x.deadline = time.Now().Add(x.api.opts.Limits.Time)
	}
	return context.WithDeadline(x.req.Context(), x.deadline)
}

// identified notes who makes the request.
func (x *exchange) identified(user *User, key userKey) {
	x.user, x.key, x.done.User = user, key, user
}

// An answer is ready to be sent. Once it is complete it does not change: it may be
// remembered and sent again.
type answer struct {
	status int
	fields []field
	body   []byte
	etag   string // of answers to GET
}

// A field is one header of an answer. Its values are shared between requests.
type field struct {
	name   string
	values []string
}

// The fields that many answers have.
var (
	isPrivate    = field{"Cache-Control", []string{"private, no-cache"}}
	isNotSniffed = field{"X-Content-Type-Options", []string{"nosniff"}}
	isJSON       = field{"Content-Type", []string{"application/json"}}
	isForm       = field{"Content-Type", []string{"text/plain; charset=utf-8"}}
	isHTML       = field{"Content-Type", []string{"text/html; charset=utf-8"}}
)

// newAnswer returns an answer with a body.
func newAnswer(status int, contentType field, body []byte) *answer {
	length := field{"Content-Length", []string{strconv.Itoa(len(body))}}
	return &answer{status: status, body: body, fields: []field{isPrivate, isNotSniffed, contentType, length}}
}

// noContent is the answer to DELETE.
var noContent = &answer{status: http.StatusNoContent, fields: []field{isPrivate, isNotSniffed}}

// add adds a header.
func (a *answer) add(name, value string) {
	a.fields = append(a.fields, field{name, []string{value}})
}

// acceptable is the check 406 of the road.
func (x *exchange) acceptable() (format, error) {
	f, ok := negotiate(x.req.Header)
	if !ok {
		return f, Errorf(http.StatusNotAcceptable, "The formats in Accept cannot be produced. Available: application/json, text/plain.")
	}
	return f, nil
}

// limitBody ends the reading of a body that does not come, where the server can.
func (x *exchange) limitBody() {
	if x.req.Body != nil && x.req.Body != http.NoBody {
		// A server that cannot has a read timeout of its own.
		_ = http.NewResponseController(x.w).SetReadDeadline(x.deadline)
	}
}

func (x *exchange) encode(status int, v any) (*answer, error) {
	body, err := x.format.encode(v)
	return newAnswer(status, x.format.contentType(), body), err
}

// failure turns an error into an answer, in the format that Accept chose or else
// in JSON (§5). What the client is not told goes into the log.
func (x *exchange) failure(err error) *answer {
	x.format, _ = negotiate(x.req.Header)
	e := asError(err)
	var extra []field
	set := func(name, value string) { extra = append(extra, field{name, []string{value}}) }
	message := e.Message
	switch e.Status {
	case http.StatusUnauthorized:
		set("Www-Authenticate", `Basic realm=`+strconv.Quote(x.api.opts.Realm)+`, charset="UTF-8"`)
	case http.StatusMethodNotAllowed:
		set("Allow", strings.Join(e.allow, ", "))
	}
	if e.retryAfter > 0 {
		seconds := (e.retryAfter + time.Second - 1) / time.Second
		set("Retry-After", strconv.Itoa(int(seconds)))
	}
	if e.Status >= 500 {
		id := rand.Text()
		set("X-Request-Id", id)
		x.log(id, e)
		if e.Status == http.StatusInternalServerError {
			message = "The request could not be served. Its id in the log is " + id + "."
		}
	}
	body := Map{{"message", message}, {"status", e.Status}}
	if len(e.Fields) > 0 {
		body = append(body, Member{"errors", e.Fields})
	}
	a, err := x.encode(e.Status, body)
	if err != nil { // texts and a number always encode
		panic(err)
	}
	a.fields = append(a.fields, extra...)
	return a
}

func (x *exchange) log(id string, e *Error) {
	level := slog.LevelError
	if e.Status == http.StatusServiceUnavailable {
		level = slog.LevelWarn
		if errors.Is(x.req.Context().Err(), context.Canceled) {
			level = slog.LevelDebug // the client went away, nothing is wrong
		}
	}
	cause := e.Message
	if e.cause != nil {
		cause = e.cause.Error()
	}
	x.api.opts.Logger.LogAttrs(context.WithoutCancel(x.req.Context()), level, "a request failed",
		slog.String("request", id), slog.String("method", x.req.Method), slog.String("path", x.req.URL.Path),
		slog.Int("status", e.Status), slog.String("error", cause))
}

// send writes the answer. HEAD gets the headers of GET.
func (x *exchange) send(a *answer) {
	x.sent = true
	h := x.w.Header()
	for _, f := range a.fields {
		h[f.name] = f.values
	}
	h["Vary"] = append(h["Vary"], "Accept, Authorization") // the host may have named others
	x.done.Status = a.status
	x.w.WriteHeader(a.status)
	if x.req.Method != http.MethodHead && len(a.body) > 0 {
		// A client that went away is told nothing; the change is committed.
		n, _ := x.w.Write(a.body)
		x.done.Bytes = int64(n)
	}
}

// recoverPanic answers 500 for a panic, which goes to the log alone.
func (x *exchange) recoverPanic() {
	p := recover()
	if p == nil {
		return
	}
	if p == http.ErrAbortHandler || x.sent {
		panic(p)
	}
	x.send(x.failure(fmt.Errorf("panic: %v\n%s", p, debug.Stack())))
}

// errShuttingDown answers requests that come after [API.Shutdown].
var errShuttingDown = &Error{
	Status:     http.StatusServiceUnavailable,
	Message:    "The service is shutting down. Try again later.",
	retryAfter: retryLater,
}
