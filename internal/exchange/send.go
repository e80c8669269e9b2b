package exchange

import (
	"fmt"
	"io"
	"net/http"
	"runtime/debug"
	"time"

	"github.com/shopapi/shopapi/internal/response"
	"github.com/shopapi/shopapi/internal/slowio"
)

// Send writes a response except its stream. HEAD gets the headers of GET.
func (e *Exchange) Send(r *response.Response) {
	e.Sent = true
	limited := e.Conn.LimitWrite()
	h := e.W.Header()
	for _, f := range r.Fields {
		h[f.Name] = f.Values
	}
	h["Vary"] = append(h["Vary"], e.Rules.Vary) // the host may have named others
	e.Rules.CORS.AddTo(h, e.Req)
	if e.Rate.IsLimited() {
		h["Ratelimit-Policy"] = e.Rate.Policy()
		h["Ratelimit"] = []string{e.Rate.Limit()}
	}
	e.Status = r.Status
	e.W.WriteHeader(r.Status)
	if e.Req.Method != http.MethodHead && len(r.Body) > 0 {
		// The client may be gone. The change is committed all the same.
		n, _ := e.W.Write(r.Body)
		e.Bytes = int64(n)
	}
	if limited {
		e.Conn.UnlimitWrite()
	}
}

// SendStream writes the body of a response as it comes. It returns the error of the stream unless the
// client is gone, and always an error for a panic of the stream. The connection must not be used
// again after an error.
func (e *Exchange) SendStream(stream func(io.Writer) error) error {
	most := time.Duration(0)
	if e.Conn.Server() != nil {
		most = e.Rules.Time
	}
	w := slowio.NewWriter(e.W, most)
	panicked, err := run(stream, w)
	e.Bytes = w.Bytes
	if err == nil || e.Req.Context().Err() != nil {
		w.End()
		return panicked
	}
	w.Break()
	return err
}

// run calls stream. It returns a panic as the error of both, unless it is [http.ErrAbortHandler].
func run(stream func(io.Writer) error, w io.Writer) (panicked, err error) {
	defer func() {
		v := recover()
		if v == http.ErrAbortHandler {
			panic(v)
		}
		if v != nil {
			panicked = fmt.Errorf("panic: %v\n%s", v, debug.Stack())
			err = panicked
		}
	}()
	return nil, stream(w)
}
