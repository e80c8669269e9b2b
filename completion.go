package shopapi

import (
	"context"
	"log/slog"
	"runtime/debug"
	"time"
)

// A Completion is how a request went, for [Options.Completed]. What was not known
// when the request was refused is empty: a request without good credentials has no
// user and no route, one for an address that does not exist no route.
type Completion struct {
	Route

	// User made the request, nil when it was refused before that was known.
	User *User

	// Status is the status of the response, 0 when the connection was cut before
	// there was one.
	Status int

	// Bytes are those of the body that were written.
	Bytes int64

	// Duration runs from the call of ServeHTTP until the response was written.
	Duration time.Duration

	// Cached says that the response came from the response cache.
	Cached bool
}

// complete tells the host how the request went. What goes wrong there is no
// matter of the client's.
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
