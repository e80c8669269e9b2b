package shopapi_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/shopapi/shopapi"
)

// patience is far longer than what is waited for, and far shorter than for ever.
const patience = 20 * time.Second

// dial sends a request and returns the connection.
func dial(t *testing.T, server *httptest.Server, lines ...string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	fmt.Fprint(conn, strings.Join(lines, "\r\n")+"\r\n\r\n")
	return conn
}

// A body that is announced, does not come and is not read by anyone holds nothing:
// neither where the response is in the cache, nor at the banner, nor where the
// request is refused.
func TestDeadlines_BodyThatDoesNotCome(t *testing.T) {
	api := cachedNotes(t, &notes{}, &shopapi.Options{
		Dialect: shopapi.Live, Banner: shopapi.Banner{Brand: "Shop", Version: "4.18.3", Edition: "Single"},
		Limits: shopapi.Limits{Time: time.Hour},
		Authenticator: cacheableAuthenticator{func(_ context.Context, c shopapi.Credentials) (*shopapi.User, error) {
			if c.Key != "key" {
				return nil, shopapi.ErrBadCredentials
			}
			return &shopapi.User{ID: 1, Root: true}, nil
		}},
	})
	server := httptest.NewServer(api)
	defer server.Close()
	good, wrong := "Authorization: "+basic("a@example.org:key"), "Authorization: "+basic("a@example.org:wrong")
	askNotes(t, api, "GET", "/api/notes", "")
	type ask struct {
		name string
		conn net.Conn
		want int
	}
	var asks []ask // all at once: each takes a second
	for name, c := range map[string]struct {
		request, authorization string
		want                   int
	}{
		"in the cache":     {"GET /api/notes", good, 200},
		"not in the cache": {"GET /api/notes?x=1", good, 200},
		"the banner":       {"GET /api/?version", "X: y", 200},
		"no credentials":   {"POST /api/notes", "X: y", 401},
		"wrong ones":       {"POST /api/notes", wrong, 401},
		"no entity":        {"DELETE /api/nothing/1", good, 404},
		"another media":    {"POST /api/notes", good, 415},
	} {
		for _, length := range []string{"Content-Length: 10", "Content-Length: 1000000", "Transfer-Encoding: chunked"} {
			conn := dial(t, server, c.request+" HTTP/1.1", "Host: x", c.authorization, "Content-Type: text/xml", length)
			asks = append(asks, ask{name + ", " + length, conn, c.want})
		}
	}
	for _, ask := range asks {
		t.Run(ask.name, func(t *testing.T) {
			r := bufio.NewReader(ask.conn)
			resp, err := http.ReadResponse(r, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			if _, err := io.ReadAll(resp.Body); resp.StatusCode != ask.want || err != nil {
				t.Errorf("status %d, want %d; %v", resp.StatusCode, ask.want, err)
			}
			if _, err := r.ReadByte(); err != io.EOF {
				t.Errorf("the connection is still open: %v", err)
			}
		})
	}
}

// A body that comes late but in time is read, and one that is there is no reason to
// close the connection.
func TestDeadlines_ConnectionStaysOpen(t *testing.T) {
	s := newShop(t)
	server := httptest.NewServer(s.API)
	defer server.Close()
	auth := "Authorization: " + basic("root@example.com:key")
	conn := dial(t, server, "GET /api/aisles/1 HTTP/1.1", "Host: x", auth, "Content-Length: 2", "", "{}PUT /api/aisles/1 HTTP/1.1", "Host: x", auth, "Content-Length: 6")
	fmt.Fprint(conn, "name=x")
	r := bufio.NewReader(conn)
	for range 2 {
		resp, err := http.ReadResponse(r, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadAll(resp.Body); resp.StatusCode != 200 || resp.Close || err != nil {
			t.Errorf("status %d, closed %v, %v", resp.StatusCode, resp.Close, err)
		}
		resp.Body.Close()
	}
}

// A client that does not read its response does not hold the request longer than
// its time.
func TestDeadlines_ClientThatDoesNotRead(t *testing.T) {
	completed := make(chan shopapi.Completion, 1)
	s := newShop(t, func(o *shopapi.Options) {
		o.Limits.Time = 2 * time.Second
		o.Completed = func(_ *http.Request, c shopapi.Completion) { completed <- c }
	})
	if err := s.Register(fixed{shopapi.JSON(`"` + strings.Repeat("x", 15<<20) + `"`)}); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(s.API)
	defer server.Close()
	dial(t, server, "GET /api/fixed/1 HTTP/1.1", "Host: x", "Authorization: "+basic("root@example.com:key"))
	select {
	case c := <-completed:
		if c.Status != 200 || c.Bytes >= 15<<20 {
			t.Errorf("completed with %d, %d bytes", c.Status, c.Bytes)
		}
	case <-time.After(patience):
		t.Error("the request is still held")
	}
}

// The limit of a response is none of what a host does on the same connection.
func TestDeadlines_HostsSlowHandler(t *testing.T) {
	const limit = 300 * time.Millisecond
	s := newShop(t, func(o *shopapi.Options) { o.Limits.Time = limit })
	mux := http.NewServeMux()
	mux.Handle("/api/", s.API)
	mux.HandleFunc("/report", func(w http.ResponseWriter, r *http.Request) {
		for range 3 {
			time.Sleep(limit)
			_, _ = io.WriteString(w, "line\n")
			_ = http.NewResponseController(w).Flush()
		}
	})
	mux.HandleFunc("/after", func(w http.ResponseWriter, r *http.Request) {
		r.URL.Path = "/api/nothing"
		s.ServeHTTP(unmeasured{w}, r)
		time.Sleep(3 * limit)
		_, _ = io.WriteString(w, "line\n")
	})
	server := httptest.NewServer(mux)
	defer server.Close()
	client := server.Client()
	for _, c := range []struct{ address, want string }{
		{"/api/aisles/1", `"thing_id":"1"`}, {"/report", "line\nline\nline\n"}, {"/api/aisles/2", `"thing_id":"2"`}, {"/after", "line\n"}, {"/report", "line\nline\nline\n"},
	} {
		req, err := http.NewRequest("GET", server.URL+c.address, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.SetBasicAuth("root@example.com", "key")
		resp, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || !strings.Contains(string(body), c.want) {
			t.Errorf("%s: %s, %v", c.address, body, err)
		}
	}
}

// unmeasured drops the length, so that a host may write more behind a response.
type unmeasured struct{ http.ResponseWriter }

func (u unmeasured) WriteHeader(status int) {
	u.Header().Del("Content-Length")
	u.ResponseWriter.WriteHeader(status)
}

func (u unmeasured) Unwrap() http.ResponseWriter { return u.ResponseWriter }

// A server that has limits of its own keeps them.
func TestDeadlines_ServersOwn(t *testing.T) {
	for name, c := range map[string]struct {
		server      *http.Server
		write, read int // limits that are set
	}{
		"no server of net/http":  {nil, 0, 1},
		"without limits":         {&http.Server{}, 2, 1},
		"with a write limit":     {&http.Server{WriteTimeout: time.Hour}, 0, 1},
		"with a long read limit": {&http.Server{ReadTimeout: time.Hour}, 2, 1},
	} {
		t.Run(name, func(t *testing.T) {
			s := newShop(t)
			w := &timed{ResponseRecorder: httptest.NewRecorder()}
			req := httptest.NewRequest("PUT", "/api/aisles/1", strings.NewReader("name=x"))
			req.SetBasicAuth("root@example.com", "key")
			if c.server != nil {
				req = req.WithContext(context.WithValue(req.Context(), http.ServerContextKey, c.server))
			}
			s.ServeHTTP(w, req)
			if len(w.write) != c.write || len(w.read) != c.read || w.Code != 200 {
				t.Errorf("status %d, deadlines %v and %v", w.Code, w.write, w.read)
			}
			if len(w.write) > 0 && (w.write[0].IsZero() || !w.write[1].IsZero()) {
				t.Errorf("write deadlines %v, want one and then none", w.write)
			}
		})
	}
}

// timed notes the deadlines that are set.
type timed struct {
	*httptest.ResponseRecorder
	read, write []time.Time
}

func (t *timed) SetReadDeadline(end time.Time) error {
	t.read = append(t.read, end)
	return nil
}

func (t *timed) SetWriteDeadline(end time.Time) error {
	t.write = append(t.write, end)
	return nil
}

// What a client may make long costs nothing before it is known who it is.
func TestLimits_LongRequestsCostNothing(t *testing.T) {
	asked := false
	s := newShop(t, func(o *shopapi.Options) {
		o.Dialect, o.Banner = shopapi.Live, shopapi.Banner{Brand: "a", Version: "b", Edition: "c"}
		o.Authenticator = shopapi.AuthenticatorFunc(func(context.Context, shopapi.Credentials) (*shopapi.User, error) {
			asked = true
			return nil, shopapi.ErrBadCredentials
		})
		o.Limits.LoginFailures = 1000
	})
	long := strings.Repeat("a", 800_000)
	for name, c := range map[string]struct {
		path, query string
		headers     []header
		asked       bool
	}{
		"path":               {"/api/" + long, "", nil, true},
		"path of slashes":    {"/api/" + strings.Repeat("a/", 400_000), "", nil, true},
		"path in the banner": {"/api/" + long, "version", nil, true},
		"query":              {"/api/", long, nil, true},
		"query of pairs":     {"/api/", strings.Repeat("a=1&", 200_000), nil, true},
		"query to banner":    {"/api/", "version&" + strings.Repeat("a=1&", 200_000), nil, true},
		"Accept":             {"/api/", "", []header{with("Accept", strings.Repeat("a/b,", 200_000))}, true},
		"Accept lines":       {"/api/", "", slicesOf(200, with("Accept", strings.Repeat("a/b,", 1000))), true},
		"e-mail":             {"/api/", "", []header{as(long[:255], "key")}, false},
		"long e-mail":        {"/api/", "", []header{as(strings.Repeat("ß", 300_000), "key")}, false},
		"key":                {"/api/", "", []header{as("root@example.com", long[:1100])}, false},
		"long key":           {"/api/", "", []header{as("root@example.com", long)}, false},
		"scheme":             {"/api/", "", []header{anonymous, with("Authorization", long)}, false},
		"254 bytes":          {"/api/", "", []header{as(" "+long[:254]+" ", "key")}, true},
	} {
		t.Run(name, func(t *testing.T) {
			req := httptest.NewRequest("GET", "/", nil)
			req.URL.Path, req.URL.RawQuery = c.path, c.query
			req.SetBasicAuth("root@example.com", "wrong")
			for _, set := range c.headers {
				set(req)
			}
			w := httptest.NewRecorder()
			var before, after runtime.MemStats
			asked = false
			runtime.ReadMemStats(&before)
			s.ServeHTTP(w, req)
			runtime.ReadMemStats(&after)
			if w.Code != 401 || asked != c.asked {
				t.Errorf("status %d, the authenticator was asked: %v", w.Code, asked)
			}
			if allocated := after.TotalAlloc - before.TotalAlloc; allocated > 4<<20 {
				t.Errorf("%d bytes were allocated", allocated)
			}
		})
	}
}

func slicesOf(n int, h header) (list []header) {
	for range n {
		list = append(list, h)
	}
	return list
}

// Lengths of a path and a query are limited, also for who is known.
func TestLimits_PathAndQuery(t *testing.T) {
	s := newShop(t, func(o *shopapi.Options) { o.Limits.Query = 1000 })
	s.do("GET", "/api/"+strings.Repeat("a", 8000), "").want(404).contains("no entity")
	s.do("GET", "/api/"+strings.Repeat("a", 8<<10), "").want(404).contains("nothing at this address")
	s.do("GET", "/api/aisles/"+strings.Repeat("%20", 3<<10), "").want(404).contains("nothing at this address")
	s.do("GET", "/api/aisles?name="+strings.Repeat("a", 995), "").want(200)
	s.do("GET", "/api/aisles?name="+strings.Repeat("a", 996), "").want(400).contains("longer than the 1000 bytes")
	s.do("GET", "/api.php?_d=aisles&name="+strings.Repeat("a", 996), "").want(400).contains("longer than the 1000 bytes")
	s.do("DELETE", "/api/nothing/1?name="+strings.Repeat("a", 996), "").want(400)
	s.do("GET", "/api/aisles?name="+strings.Repeat("a", 996), "", anonymous).want(401)
}
