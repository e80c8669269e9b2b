package load

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestSpreadOf(t *testing.T) {
	for _, test := range []struct {
		values []float64
		want   Spread
	}{
		{nil, Spread{}},
		{[]float64{7}, Spread{7, 7, 7}},
		{[]float64{9, 1, 5}, Spread{5, 1, 9}},
		{[]float64{4, 1, 3, 8}, Spread{3.5, 1, 8}},
	} {
		if diff := cmp.Diff(test.want, SpreadOf(test.values)); diff != "" {
			t.Errorf("%v: (-want +got)\n%s", test.values, diff)
		}
	}
}

func TestSpreadOf_LeavesTheValuesInTheirOrder(t *testing.T) {
	values := []float64{3, 1, 2}
	SpreadOf(values)
	if diff := cmp.Diff([]float64{3, 1, 2}, values); diff != "" {
		t.Error(diff)
	}
}

func TestRatios(t *testing.T) {
	for _, test := range []struct {
		name   string
		of, by []float64
		want   Spread
	}{
		{"round by round", []float64{10, 30, 20}, []float64{10, 10, 10}, Spread{2, 1, 3}},
		{"a slow phase of both cancels out", []float64{100, 1, 100}, []float64{50, 0.5, 50}, Spread{2, 2, 2}},
		{"a round without a partner", []float64{4, 8, 100}, []float64{2, 4}, Spread{2, 2, 2}},
		{"nothing to divide by", []float64{4, 8}, []float64{0, 4}, Spread{2, 2, 2}},
		{"no rounds", nil, []float64{1}, Spread{}},
	} {
		if diff := cmp.Diff(test.want, Ratios(test.of, test.by)); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", test.name, diff)
		}
	}
}

func read(answer string) (status int, body string, rest int, err error) {
	r := bufio.NewReader(strings.NewReader(answer))
	var b bytes.Buffer
	status, err = readAnswer(r, nil, &b)
	return status, b.String(), r.Buffered(), err
}

func TestReadAnswer(t *testing.T) {
	for _, test := range []struct {
		name, answer string
		status       int
		body         string
		rest         int
	}{
		{"a length", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}next", 200, "{}", 4},
		{"a length in capitals", "HTTP/1.1 201 Created\r\nCONTENT-LENGTH:3\r\n\r\nabc", 201, "abc", 0},
		{"no body by its status", "HTTP/1.1 204 No Content\r\nX: y\r\n\r\nnext", 204, "", 4},
		{"chunks", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nA;x=y\r\n0123456789\r\n0\r\n\r\nnext", 200, "abc0123456789", 4},
		{"trailers", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX: y\r\n\r\nnext", 200, "", 4},
	} {
		status, body, rest, err := read(test.answer)
		if err != nil || status != test.status || body != test.body || rest != test.rest {
			t.Errorf("%s: status %d, body %q, %d bytes left, error %v", test.name, status, body, rest, err)
		}
	}
}

func TestReadAnswer_RefusesEndlessResponses(t *testing.T) {
	for name, answer := range map[string]string{
		"nothing":                  "",
		"no status":                "HELLO\r\n\r\n",
		"a status of letters":      "HTTP/1.1 2xx OK\r\nContent-Length: 0\r\n\r\n",
		"no length":                "HTTP/1.1 200 OK\r\n\r\n",
		"a negative length":        "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
		"a length beyond reason":   "HTTP/1.1 200 OK\r\nContent-Length: 999999999999\r\n\r\n",
		"less than the length":     "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabc",
		"more than the chunk says": "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nabc\r\n0\r\n\r\n",
		"no last chunk":            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n",
		"headers without an end":   "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n",
	} {
		if status, body, _, err := read(answer); err == nil {
			t.Errorf("%s: status %d, body %q", name, status, body)
		}
	}
}

// FuzzReadAnswer compares the reader with net/http on input that both accept.
func FuzzReadAnswer(f *testing.F) {
	f.Add([]byte("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"))
	f.Add([]byte("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"))
	f.Add([]byte("HTTP/1.1 204 No Content\r\n\r\n"))
	f.Fuzz(func(t *testing.T, answer []byte) {
		var body bytes.Buffer
		status, err := readAnswer(bufio.NewReader(bytes.NewReader(answer)), nil, &body)
		if err != nil {
			return
		}
		if status < 0 || status > 999 {
			t.Fatalf("status %d", status)
		}
		theirs, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(answer)), nil)
		if err != nil {
			return
		}
		want, err := io.ReadAll(theirs.Body)
		if err != nil {
			return
		}
		if status != theirs.StatusCode || body.String() != string(want) {
			t.Fatalf("status %d, body %q; net/http reads %d, %q", status, body.String(), theirs.StatusCode, want)
		}
	})
}

func TestRun(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || r.Method != "PUT" || r.URL.Path != "/x" || r.Header.Get("Authorization") != "Token t" || string(body) != `{"a":1}` {
			w.WriteHeader(http.StatusBadRequest)
		}
	}))
	defer server.Close()
	addr := server.Listener.Addr().String()
	good := Pool{Requests: [][]byte{Request("PUT", "/x", "Token t", `{"a":1}`)}, Status: 200}
	count, err := Run(t.Context(), addr, good, 3, 20*time.Millisecond)
	if err != nil || count.Requests == 0 || count.Elapsed <= 0 {
		t.Errorf("%+v, %v", count, err)
	}
	good.Requests = append(good.Requests, good.Requests[0], good.Requests[0], good.Requests[0])
	if count, err := Each(t.Context(), addr, good, 3); err != nil || count.Requests != 4 {
		t.Errorf("each of 4 requests: %+v, %v", count, err)
	}
	bad := Pool{Requests: [][]byte{Request("GET", "/x", "Token t", "")}, Status: 200}
	if count, err := Run(t.Context(), addr, good, 3, 0); err != nil || count.Requests != 3 {
		t.Errorf("in no time %d requests were answered over 3 connections: %v", count.Requests, err)
	}
	if _, err := Run(t.Context(), addr, bad, 3, 20*time.Millisecond); err == nil {
		t.Error("answers of another status counted")
	}
	bad.Refusal = http.StatusBadRequest
	if count, err := Each(t.Context(), addr, bad, 1); err != nil || count.Requests != 0 {
		t.Errorf("refusals: %+v, %v", count, err)
	}
}
