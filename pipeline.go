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

	"github.com/shopapi/shopapi/internal/budget"
	"github.com/shopapi/shopapi/internal/compress"
	"github.com/shopapi/shopapi/internal/ratelimit"
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

// clearDeadlines frees a request without a time limit from the deadlines that the server
// has set for its connection: they would end its context, or cut its response.
func (p *pipeline) clearDeadlines() {
	if p.server() == nil {
		return
	}
	control := http.NewResponseController(p.w)
	_ = control.SetReadDeadline(time.Time{})
	_ = control.SetWriteDeadline(time.Time{})
	p.unlimited = true
}
