// Package exchange has the HTTP side of a request: its time limit, its query and body, and the
// connection to which its response goes.
package exchange

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"github.com/shopapi/shopapi/internal/budget"
	"github.com/shopapi/shopapi/internal/clienterror"
	"github.com/shopapi/shopapi/internal/compress"
	"github.com/shopapi/shopapi/internal/cors"
	"github.com/shopapi/shopapi/internal/format"
	"github.com/shopapi/shopapi/internal/ratelimit"
	"github.com/shopapi/shopapi/internal/slowio"
	"github.com/shopapi/shopapi/store/driver"
)

// Rules are what all exchanges of a handler have in common.
type Rules struct {
	Time     time.Duration // of a request
	Query    int64         // bytes of a query
	Vary     string        // of every response
	CORS     *cors.Policy  // nil without allowed origins
	Compress bool
}

// An Exchange is a request and its response.
type Exchange struct {
	Rules *Rules
	W     http.ResponseWriter
	Req   *http.Request
	Conn  slowio.Conn

	Query    url.Values
	QueryErr error         // of reading Query
	Share    *budget.Share // of the memory for all requests, nil at first

	Format    format.Format
	Coding    compress.Choice // of the response
	Uncodable bool            // no coding of the response is acceptable
	Rate      ratelimit.Count // zero where no request is counted

	Sent   bool
	Status int   // 0 before the response
	Bytes  int64 // of the body that were written

	Deadline time.Time // zero until something is asked that can take time

	asking context.Context // of [driver.AskOnce], nil where no store has to be asked
}

// Context returns the context of the request. It ends when the time limit of the request
// is over, which begins with the first call.
func (e *Exchange) Context() (context.Context, context.CancelFunc) {
	if e.Deadline.IsZero() {
		e.Deadline = time.Now().Add(e.Rules.Time)
	}
	return context.WithDeadline(e.Outer(), e.Deadline)
}

// Outer is the context of the request without its time limit, in which cached responses
// and users are valid or not.
func (e *Exchange) Outer() context.Context {
	if e.asking != nil {
		return e.asking
	}
	return e.Req.Context()
}

// AskOnce has a store be asked once what is valid in the cache, within the time limit of
// the request. The returned function releases the context.
func (e *Exchange) AskOnce() context.CancelFunc {
	ctx, cancel := e.Context()
	e.asking = driver.AskOnce(ctx)
	return cancel
}

// ReadQuery reads the query, unless it is too long. It reads a malformed query as far as
// possible, because the address may be in it.
func (e *Exchange) ReadQuery() error {
	if most := e.Rules.Query; int64(len(e.Req.URL.RawQuery)) > most {
		return clienterror.Errorf(http.StatusBadRequest, "The query is longer than the %d bytes that are allowed.", most)
	}
	e.Query, e.QueryErr = url.ParseQuery(e.Req.URL.RawQuery)
	return nil
}

// ChooseCoding chooses the coding of the response to GET or HEAD by Accept-Encoding.
func (e *Exchange) ChooseCoding() {
	if e.Rules.Compress && (e.Req.Method == http.MethodGet || e.Req.Method == http.MethodHead) {
		var ok bool
		e.Coding, ok = compress.Choose(e.Req.Header["Accept-Encoding"])
		e.Uncodable = !ok
	}
}

// Choose is the check 406: it chooses the format by Accept, or one of further media types that
// can be produced. It returns the media type, "" for a format.
func (e *Exchange) Choose(mediaTypes []string) (mediaType string, err error) {
	e.Format, mediaType, err = format.Choose(e.Req.Header, mediaTypes)
	if e.Uncodable {
		return "", clienterror.Errorf(http.StatusNotAcceptable, "The codings in Accept-Encoding cannot be produced. Available: gzip, zstd, identity.")
	}
	return mediaType, err
}
