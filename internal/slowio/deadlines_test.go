package slowio_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/memory"
)

// An aisles is an entity with a List that is cached, and with objects that are all alike.
type aisles struct {
	st     store.Store
	object any // nil: an object with its id
}

type aisle struct {
	ID int64 `json:"thing_id" store:"key"`
}

var table = store.MustTable[aisle]("aisles")

func (*aisles) Describe() shopapi.Description {
	return shopapi.Description{Name: "aisles", IDField: "thing_id", Privileges: shopapi.Privileges{View: "view", Manage: "manage"}, Cacheable: true}
}

func (a *aisles) List(ctx context.Context, _ *shopapi.Request) (list any, err error) {
	err = a.st.View(ctx, func(_ context.Context, tx store.Tx) error {
		list, err = table.Select(tx, store.Query{})
		return err
	})
	return list, err
}

func (a *aisles) Get(_ context.Context, _ *shopapi.Request, id string) (any, error) {
	if a.object != nil {
		return a.object, nil
	}
	return shopapi.Map{{Name: "thing_id", Value: id}}, nil
}

func (*aisles) Create(context.Context, *shopapi.Request) (shopapi.Reply, error) {
	return shopapi.Reply{ID: "1"}, nil
}

func (*aisles) Update(_ context.Context, _ *shopapi.Request, id string) (shopapi.Reply, error) {
	return shopapi.Reply{ID: id}, nil
}

func (a *aisles) Delete(context.Context, *shopapi.Request, string) error { return nil }

// An authenticator knows one user, and allows the API to cache the user.
type authenticator struct{}

func (authenticator) Authenticate(_ context.Context, c shopapi.Credentials) (*shopapi.User, error) {
	if c.Key != "key" {
		return nil, shopapi.ErrBadCredentials
	}
	return &shopapi.User{ID: 1, Root: true, Type: shopapi.Administrator}, nil
}

func (authenticator) CacheUsers() bool { return true }

// newAPI returns an API with aisles.
func newAPI(t *testing.T, a *aisles, o shopapi.Options) *shopapi.API {
	t.Helper()
	a.st = memory.New()
	if err := a.st.Migrate(t.Context(), table.Schema()); err != nil {
		t.Fatal(err)
	}
	o.Authenticator = authenticator{}
	api := shopapi.New(&o)
	if err := api.Register(a); err != nil {
		t.Fatal(err)
	}
	return api
}

const authorization = "Authorization: Basic cm9vdEBleGFtcGxlLmNvbTprZXk=" // root@example.com:key

// patience is far longer than the expected waits, and short enough for a failing test.
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
	t.Parallel()
	api := newAPI(t, &aisles{}, shopapi.Options{
		Dialect: shopapi.DialectLive, Banner: shopapi.Banner{Brand: "Shop", Version: "4.18.3", Edition: "Single"},
		Limits: shopapi.Limits{Time: time.Hour},
	})
	server := httptest.NewServer(api)
	defer server.Close()
	const wrong = "Authorization: Basic cm9vdEBleGFtcGxlLmNvbTp3cm9uZw==" // root@example.com:wrong
	first := httptest.NewRequest("GET", "/api/aisles", nil)
	first.SetBasicAuth("root@example.com", "key")
	api.ServeHTTP(httptest.NewRecorder(), first)
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
		"in the cache":     {"GET /api/aisles", authorization, 200},
		"not in the cache": {"GET /api/aisles?x=1", authorization, 200},
		"the banner":       {"GET /api/?version", "X: y", 200},
		"no credentials":   {"POST /api/aisles", "X: y", 401},
		"wrong ones":       {"POST /api/aisles", wrong, 401},
		"no entity":        {"DELETE /api/nothing/1", authorization, 404},
		"another media":    {"POST /api/aisles", authorization, 415},
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

// A body that arrives late but in time is read, and an unread body does not close the
// connection.
func TestDeadlines_ConnectionStaysOpen(t *testing.T) {
	server := httptest.NewServer(newAPI(t, &aisles{}, shopapi.Options{}))
	defer server.Close()
	conn := dial(t, server, "GET /api/aisles/1 HTTP/1.1", "Host: x", authorization, "Content-Length: 2", "", "{}PUT /api/aisles/1 HTTP/1.1", "Host: x", authorization, "Content-Length: 6")
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
	t.Parallel()
	completed := make(chan shopapi.Completion, 1)
	server := httptest.NewServer(newAPI(t, &aisles{object: shopapi.JSON(`"` + strings.Repeat("x", 15<<20) + `"`)}, shopapi.Options{
		Limits:    shopapi.Limits{Time: time.Second},
		Completed: func(_ *http.Request, c shopapi.Completion) { completed <- c },
	}))
	defer server.Close()
	dial(t, server, "GET /api/aisles/1 HTTP/1.1", "Host: x", authorization)
	select {
	case c := <-completed:
		if c.Status != 200 || c.Bytes >= 15<<20 {
			t.Errorf("completed with %d, %d bytes", c.Status, c.Bytes)
		}
	case <-time.After(patience):
		t.Error("the request is still held")
	}
}

// The write limit of a response does not affect a host's handler on the same connection.
func TestDeadlines_HostsSlowHandler(t *testing.T) {
	t.Parallel()
	const limit = 300 * time.Millisecond
	api := newAPI(t, &aisles{}, shopapi.Options{Limits: shopapi.Limits{Time: limit}})
	mux := http.NewServeMux()
	mux.Handle("/api/", api)
	mux.HandleFunc("/report", func(w http.ResponseWriter, r *http.Request) {
		for range 2 {
			time.Sleep(limit)
			_, _ = io.WriteString(w, "line\n")
			_ = http.NewResponseController(w).Flush()
		}
	})
	mux.HandleFunc("/after", func(w http.ResponseWriter, r *http.Request) {
		r.URL.Path = "/api/nothing"
		api.ServeHTTP(unmeasured{w}, r)
		time.Sleep(2 * limit)
		_, _ = io.WriteString(w, "line\n")
	})
	server := httptest.NewServer(mux)
	defer server.Close()
	client := server.Client()
	for _, c := range []struct{ address, want string }{
		{"/api/aisles/1", `"thing_id":"1"`}, {"/report", "line\nline\n"}, {"/api/aisles/2", `"thing_id":"2"`}, {"/after", "line\n"}, {"/report", "line\nline\n"},
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
			w := &timed{ResponseRecorder: httptest.NewRecorder()}
			req := httptest.NewRequest("PUT", "/api/aisles/1", strings.NewReader("name=x"))
			req.SetBasicAuth("root@example.com", "key")
			if c.server != nil {
				req = req.WithContext(context.WithValue(req.Context(), http.ServerContextKey, c.server))
			}
			newAPI(t, &aisles{}, shopapi.Options{}).ServeHTTP(w, req)
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
