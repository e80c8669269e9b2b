package exchange

import (
	"io"
	"net/http"
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

// SendStream writes the body of a response as it comes, and returns its error unless the client
// is gone. The connection must not be used again after an error.
func (e *Exchange) SendStream(stream func(io.Writer) error) error {
	most := time.Duration(0)
	if e.Conn.Server() != nil {
		most = e.Rules.Time
	}
	w := slowio.NewWriter(e.W, most)
	err := stream(w)
	e.Bytes = w.Bytes
	if err == nil || e.Req.Context().Err() != nil {
		w.End()
		return nil
	}
	return err
}
