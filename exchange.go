package shopapi

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"maps"
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
}

// An answer is ready to be sent. Once it is complete it does not change: it may be
// remembered and sent again.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// newAnswer returns an answer with the headers that its body needs. One without
// content has no content type.
func newAnswer(status int, contentType string, body []byte) *answer {
	a := &answer{status: status, body: body, header: http.Header{
		"Cache-Control":          {"private, no-cache"},
		"X-Content-Type-Options": {"nosniff"},
	}}
	if contentType != "" {
		a.header["Content-Type"] = []string{contentType}
		a.header["Content-Length"] = []string{strconv.Itoa(len(body))}
	}
	return a
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
func (x *exchange) limitBody(limit time.Duration) {
	if x.req.Body != nil && x.req.Body != http.NoBody {
		// A server that cannot has a read timeout of its own.
		_ = http.NewResponseController(x.w).SetReadDeadline(time.Now().Add(limit))
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
	header := http.Header{}
	message := e.Message
	switch e.Status {
	case http.StatusUnauthorized:
		header.Set("WWW-Authenticate", `Basic realm=`+strconv.Quote(x.api.opts.Realm)+`, charset="UTF-8"`)
	case http.StatusMethodNotAllowed:
		header.Set("Allow", strings.Join(e.allow, ", "))
	}
	if e.retryAfter > 0 {
		seconds := (e.retryAfter + time.Second - 1) / time.Second
		header.Set("Retry-After", strconv.Itoa(int(seconds)))
	}
	if e.Status >= 500 {
		id := rand.Text()
		header.Set("X-Request-Id", id)
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
	maps.Copy(a.header, header)
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
	maps.Copy(h, a.header)
	h["Vary"] = append(h["Vary"], "Accept, Authorization") // the host may have named others
	x.w.WriteHeader(a.status)
	if x.req.Method != http.MethodHead {
		// A client that went away is told nothing; the change is committed.
		_, _ = x.w.Write(a.body)
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
