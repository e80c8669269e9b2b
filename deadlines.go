package shopapi

import (
	"net/http"
	"time"
)

// drainTime is how long the server waits for a body that nobody reads before it
// responds, and closes the connection where the body did not come.
const drainTime = time.Second

// server is that of net/http which serves the request, nil where another one does.
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

// limitWrite ends the writing of a response that the client does not read, where
// the server has no limit of its own, and reports whether it did. Before it begins to
// write, net/http reads what is left of a body.
func (p *pipeline) limitWrite() bool {
	now := time.Now()
	end := now.Add(p.api.opts.Limits.Time)
	if p.limitRead(now.Add(drainTime)) {
		end = end.Add(drainTime)
	}
	s := p.server()
	if s == nil || s.WriteTimeout > 0 {
		return false
	}
	return http.NewResponseController(p.w).SetWriteDeadline(end) == nil
}

// unlimitWrite sends what is buffered within the limit and takes the limit back: what
// a host writes later, on this connection or in this response, has none of ours.
func (p *pipeline) unlimitWrite() {
	c := http.NewResponseController(p.w)
	_ = c.Flush() // a client that went away is told nothing
	_ = c.SetWriteDeadline(time.Time{})
}
