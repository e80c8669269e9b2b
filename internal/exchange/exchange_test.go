package exchange_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/shopapi/shopapi/internal/clienterror"
	"github.com/shopapi/shopapi/internal/exchange"
	"github.com/shopapi/shopapi/internal/response"
	"github.com/shopapi/shopapi/internal/slowio"
)

// newExchange returns the exchange of a request, and its response.
func newExchange(method, target, payload string, header http.Header) (*exchange.Exchange, *httptest.ResponseRecorder) {
	req := httptest.NewRequest(method, target, strings.NewReader(payload))
	req.Header = header
	w := httptest.NewRecorder()
	rules := &exchange.Rules{Time: time.Minute, Query: 20, Vary: "Accept", Compress: true}
	return &exchange.Exchange{Rules: rules, W: w, Req: req, Conn: slowio.Conn{W: w, Req: req, Time: time.Minute}}, w
}

// The time limit of a request begins once.
func TestContext(t *testing.T) {
	e, _ := newExchange("GET", "/", "", nil)
	first, cancel := e.Context()
	defer cancel()
	second, cancel := e.Context()
	defer cancel()
	a, _ := first.Deadline()
	b, ok := second.Deadline()
	if !ok || !a.Equal(b) {
		t.Errorf("the deadlines are %v and %v", a, b)
	}
	release := e.AskOnce()
	if e.Outer() == e.Req.Context() {
		t.Error("a store is asked again")
	}
	release()
}

func TestReadQuery(t *testing.T) {
	for query, status := range map[string]int{"a=1": 0, "a=%zz": 0, strings.Repeat("a", 21): 400} {
		e, _ := newExchange("GET", "/?"+query, "", nil)
		err := e.ReadQuery()
		var refused *clienterror.Error
		if status == 0 && err != nil || status != 0 && (!errors.As(err, &refused) || refused.Status != status) {
			t.Errorf("%s: %v", query, err)
		}
		if (e.QueryErr != nil) != strings.Contains(query, "%zz") {
			t.Errorf("%s: malformed: %v", query, e.QueryErr)
		}
	}
}

// A coding is chosen for GET alone. Where none is acceptable, the response is a 406.
func TestChoose(t *testing.T) {
	for _, c := range []struct {
		method, accept, coding string
		problem                string
	}{
		{"GET", "", "", ""},
		{"GET", "", "identity;q=0, *;q=0", "The codings in Accept-Encoding"},
		{"POST", "", "identity;q=0, *;q=0", ""},
		{"GET", "image/png", "", "The formats in Accept"},
	} {
		header := http.Header{}
		if c.accept != "" {
			header.Set("Accept", c.accept)
		}
		if c.coding != "" {
			header.Set("Accept-Encoding", c.coding)
		}
		e, _ := newExchange(c.method, "/", "", header)
		e.ChooseCoding()
		_, err := e.Choose(nil)
		if (err == nil) != (c.problem == "") || err != nil && !strings.HasPrefix(err.Error(), c.problem) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

func TestReadFields(t *testing.T) {
	for _, c := range []struct {
		contentType, payload string
		status               int
	}{
		{"application/json", `{"a": 1}`, 0},
		{"", "a=1", 0},
		{"application/json", `{`, 400},
		{"image/png", "x", 415},
	} {
		e, _ := newExchange("POST", "/", c.payload, http.Header{"Content-Type": {c.contentType}, "Idempotency-Key": {"k"}})
		fields, sum, err := e.ReadFields(t.Context(), 1<<10)
		var refused *clienterror.Error
		if c.status != 0 {
			if !errors.As(err, &refused) || refused.Status != c.status {
				t.Errorf("%s: %v", c.payload, err)
			}
			continue
		}
		if err != nil || len(fields) != 1 || sum == [32]byte{} {
			t.Errorf("%s: %v, %v", c.payload, fields, err)
		}
	}
	e, _ := newExchange("POST", "/", "a=1", http.Header{})
	if _, err := e.ReadJSON(t.Context(), 1<<10); err == nil {
		t.Error("a form is read as JSON")
	}
}

// HEAD gets the headers of GET. A stream that fails returns its error.
func TestSend(t *testing.T) {
	for method, want := range map[string]string{"GET": "text", "HEAD": ""} {
		e, w := newExchange(method, "/", "", nil)
		e.Send(response.New(200, response.NewField("Content-Type", "text/plain"), []byte("text")))
		if w.Code != 200 || w.Body.String() != want || w.Header().Get("Vary") != "Accept" || w.Header().Get("Content-Length") != "4" {
			t.Errorf("%s: %d %q %v", method, w.Code, w.Body, w.Header())
		}
		if !e.Sent || e.Status != 200 || e.Bytes != int64(len(want)) {
			t.Errorf("%s: it notes %t, %d, %d", method, e.Sent, e.Status, e.Bytes)
		}
	}
	e, _ := newExchange("GET", "/", "", nil)
	broken := errors.New("broken")
	err := e.SendStream(func(w io.Writer) error { _, _ = io.WriteString(w, "te"); return broken })
	if !errors.Is(err, broken) || e.Bytes != 2 {
		t.Errorf("after %d bytes the error is %v", e.Bytes, err)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	for what, ctx := range map[string]context.Context{"the client waits": t.Context(), "the client is gone": ended} {
		e, _ := newExchange("GET", "/", "", nil)
		e.Req = e.Req.WithContext(ctx)
		err := e.SendStream(func(io.Writer) error { panic("a mistake") })
		if err == nil || !strings.Contains(err.Error(), "panic: a mistake") {
			t.Errorf("%s: the error of a panic is %v", what, err)
		}
		if err := e.SendStream(func(io.Writer) error { return broken }); (err == nil) != (ctx == ended) {
			t.Errorf("%s: the error of a stream that fails is %v", what, err)
		}
	}
}
