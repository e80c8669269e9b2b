package slowio

import (
	"net/http"
	"time"
)

// A Conn sets the deadlines of the connection of a request. They bind only what the server
// itself does not limit.
type Conn struct {
	W        http.ResponseWriter
	Req      *http.Request
	Time     time.Duration // of a response that the client does not read
	BodyRead bool          // as far as it comes

	unlimited bool
}

// drainTime is how long the server waits for the rest of a body that is not read before
// it responds. It closes the connection if the body does not come.
const drainTime = time.Second

// Server returns the http.Server of the request, nil for another kind of server.
func (c *Conn) Server() *http.Server {
	s, _ := c.Req.Context().Value(http.ServerContextKey).(*http.Server)
	return s
}

// LimitRead ends the reading of a body that does not come by the given time, where
// the server can, and reports whether there is one. A server that has a shorter limit
// of its own is left alone.
func (c *Conn) LimitRead(end time.Time) bool {
	if c.BodyRead || c.Req.Body == nil || c.Req.Body == http.NoBody {
		return false
	}
	if s := c.Server(); s == nil || s.ReadTimeout == 0 || s.ReadTimeout > time.Until(end) {
		_ = http.NewResponseController(c.W).SetReadDeadline(end)
	}
	return true
}

// LimitWrite sets a write deadline for a response that the client does not read, if the
// server has none, and reports whether it did. Before net/http writes, it reads the rest
// of a body.
func (c *Conn) LimitWrite() bool {
	now := time.Now()
	end := now.Add(c.Time)
	if c.LimitRead(now.Add(drainTime)) {
		end = end.Add(drainTime)
	}
	s := c.Server()
	if s == nil || s.WriteTimeout > 0 && !c.unlimited {
		return false
	}
	return http.NewResponseController(c.W).SetWriteDeadline(end) == nil
}

// UnlimitWrite flushes within the deadline and removes it: later writes of a host, on
// this connection or in this response, have no deadline of ours.
func (c *Conn) UnlimitWrite() {
	control := http.NewResponseController(c.W)
	_ = control.Flush() // a disconnected client gets no response
	_ = control.SetWriteDeadline(time.Time{})
}

// Clear frees a request without a time limit from the deadlines that the server has set for
// its connection: they would end its context, or cut its response.
func (c *Conn) Clear() {
	if c.Server() == nil {
		return
	}
	control := http.NewResponseController(c.W)
	_ = control.SetReadDeadline(time.Time{})
	_ = control.SetWriteDeadline(time.Time{})
	c.unlimited = true
}
