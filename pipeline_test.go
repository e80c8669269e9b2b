package shopapi_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/shopapi/shopapi"
)

func prefixes(list ...string) []netip.Prefix {
	var all []netip.Prefix
	for _, p := range list {
		all = append(all, netip.MustParsePrefix(p))
	}
	return all
}

// §2: each request passes the checks in order, and the first that fails answers.
// Every request here fails the check of its row and all checks after it.
func TestOrderOfChecks(t *testing.T) {
	clerk := as("clerk@example.com", "key")
	image := with("Accept", "image/png")
	xml := with("Content-Type", "text/xml")
	big := string(make([]byte, 2<<20))
	for _, test := range []struct {
		name     string
		method   string
		address  string
		body     string
		headers  []header
		may      []string
		want     int
		wantText string
	}{
		{"origin", "PUT", "/api/2.0/nothing", big, []header{anonymous, image, xml, with("Sec-Fetch-Site", "cross-site")}, nil, 403, "another site"},
		{"credentials", "PUT", "/api/2.0/nothing", big, []header{anonymous, image, xml}, nil, 401, ""},
		{"version", "PUT", "/api/9.0/aisles", big, []header{clerk, image, xml}, nil, 404, "Version"},
		{"entity", "PUT", "/api/2.0/nothing", big, []header{clerk, image, xml}, nil, 404, "no entity"},
		{"child", "PUT", "/api/2.0/aisles/9/labels", big, []header{clerk, image, xml}, nil, 404, "under aisles"},
		{"depth", "PUT", "/api/2.0/aisles/9/shelves/9/labels/9/aisles", big, []header{clerk, image, xml}, nil, 404, "too deep"},
		{"PUT without id", "PUT", "/api/2.0/aisles/9/shelves", big, []header{clerk, image, xml}, nil, 405, "needs the id"},
		{"DELETE without id", "DELETE", "/api/2.0/aisles/9/shelves", big, []header{clerk, image, xml}, nil, 405, "needs the id"},
		{"POST with id", "POST", "/api/2.0/aisles/9/shelves/9", big, []header{clerk, image, xml}, nil, 405, "takes no id"},
		{"method", "PATCH", "/api/2.0/aisles/9", big, []header{clerk, image, xml}, nil, 405, "Allowed"},
		{"Accept", "PUT", "/api/2.0/aisles/9", big, []header{clerk, image, xml}, nil, 406, "Accept"},
		{"privilege", "PUT", "/api/2.0/aisles/9", big, []header{clerk, xml}, nil, 403, "manage_aisles"},
		{"privilege of the parent", "PUT", "/api/2.0/aisles/9/shelves/9", big, []header{clerk, xml}, []string{"manage_shelves"}, 403, "view_aisles"},
		{"privilege of the child", "PUT", "/api/2.0/aisles/9/shelves/9", big, []header{clerk, xml}, []string{"view_aisles"}, 403, "manage_shelves"},
		{"Content-Type", "PUT", "/api/2.0/aisles/9/shelves/9", big, []header{xml}, nil, 415, "Content-Type"},
		{"Content-Type before an empty body", "PUT", "/api/2.0/aisles/9/shelves/9", "", []header{xml}, nil, 415, "Content-Type"},
		{"size", "PUT", "/api/2.0/aisles/9/shelves/9", big, []header{asJSON}, nil, 413, "1048576 bytes"},
		{"malformed", "PUT", "/api/2.0/aisles/9/shelves/9", "{", []header{asJSON}, nil, 400, "not valid JSON"},
		{"empty", "PUT", "/api/2.0/aisles/9/shelves/9", "{}", []header{asJSON}, nil, 405, "payload is empty"},
		{"empty POST", "POST", "/api/2.0/aisles/9/shelves", "", nil, nil, 405, "payload is empty"},
		{"parent", "PUT", "/api/2.0/aisles/9/shelves/9/labels/9", "count=x", nil, nil, 404, `id \"9\"`},
		{"operation", "PUT", "/api/2.0/aisles/1/shelves/1", "count=x", nil, nil, 400, "count"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newShop(t)
			for _, p := range test.may {
				s.clerk[p] = true
			}
			s.do(test.method, test.address, test.body, test.headers...).want(test.want).contains(test.wantText)
			if test.want != 404 && test.want != 400 && len(s.trace) > 0 {
				t.Errorf("operations ran: %q", s.trace)
			}
		})
	}
}

// §2: a request without valid credentials learns nothing, not even which entities
// exist.
func TestOrderOfChecks_NothingWithoutCredentials(t *testing.T) {
	s := newShop(t)
	want := s.do("GET", "/api/2.0/aisles", "", anonymous).want(401).Body.String()
	for _, address := range []string{"/api/2.0/nothing", "/api/9.0/aisles", "/", "/api/aisles/1", "/api.php?_d=aisles", "/api/?version"} {
		for _, method := range []string{"GET", "POST", "PUT", "DELETE", "BREW"} {
			s.do(method, address, "{", asJSON, anonymous).want(401).is(want)
		}
	}
}

// §2: parents are read outermost first; the first error of a parent is the response.
func TestNesting_ParentsAreRead(t *testing.T) {
	s := newShop(t)
	s.do("PUT", "/api/2.0/aisles/1/shelves/2/labels/3", "name=new").want(200)
	if diff := cmp.Diff([]string{"get aisles 1", "get shelves 2", "update labels 3"}, s.trace); diff != "" {
		t.Error(diff)
	}
	got := s.labels.saw.Parents
	if len(got) != 2 || got[0].Entity != "aisles" || got[0].ID != "1" || got[1].Entity != "shelves" || got[1].ID != "2" || got[1].Data.(thing).Count != 20 {
		t.Errorf("parents %+v", got)
	}
	if p, ok := s.labels.saw.Parent(); !ok || p.Entity != "shelves" {
		t.Errorf("the parent directly above is %+v", p)
	}
	if p := s.shelves.saw.Parents; len(p) != 1 || s.shelves.saw.Payload != nil {
		t.Errorf("the read of a parent got parents %+v and payload %v", p, s.shelves.saw.Payload)
	}

	s.trace = nil
	s.do("PUT", "/api/2.0/aisles/9/shelves/2/labels/3", "name=new").want(404)
	if diff := cmp.Diff([]string{"get aisles 9"}, s.trace); diff != "" {
		t.Error(diff)
	}

	s.shelves.fail = shopapi.Errorf(http.StatusConflict, "The shelf is being moved.")
	s.do("GET", "/api/2.0/aisles/1/shelves/2/labels", "").want(409).is(`{"message":"The shelf is being moved.","status":409}`)
}

// The generic rules of the specification for each operation.
func TestOperations(t *testing.T) {
	s := newShop(t)
	s.do("POST", "/api/2.0/aisles", `{"name":"A","count":7}`, asJSON).want(201).is(`{"thing_id":"4"}`)
	s.do("GET", "/api/2.0/aisles/4", "").want(200).is(`{"thing_id":"4","name":"A","count":"7"}`)
	s.do("PUT", "/api/2.0/aisles/4", "name=B").want(200).is(`{"thing_id":"4"}`)
	s.do("GET", "/api/2.0/aisles/4", "").want(200).is(`{"thing_id":"4","name":"B","count":"7"}`)
	s.do("DELETE", "/api/2.0/aisles/4", "").want(204).is("").has("Content-Type", "")
	for _, method := range []string{"GET", "PUT", "DELETE"} {
		s.do(method, "/api/2.0/aisles/4", "name=C").want(404)
	}
	s.do("PUT", "/api/2.0/aisles/1", "unknown=1").want(200).is(`{"thing_id":"1"}`)
	s.do("PUT", "/api/2.0/aisles/1", "thing_id=2&name=first").want(200)
	s.do("GET", "/api/2.0/aisles/1", "").is(`{"thing_id":"1","name":"first","count":"10"}`)
}

func TestCompleted_CalledForEveryRequest(t *testing.T) {
	var got []shopapi.Completion
	s := newShop(t, func(o *shopapi.Options) {
		o.Completed = func(_ *http.Request, c shopapi.Completion) { got = append(got, c) }
	})
	route := func(entity string, op shopapi.Operation, parents ...string) shopapi.Route {
		return shopapi.Route{Entity: entity, Operation: op, Parents: parents}
	}
	for _, c := range []struct {
		name, method, address, body string
		header                      header
		status                      int
		user                        int64 // its id, 0 for none
		route                       shopapi.Route
	}{
		{"a list", "GET", "/api/aisles", "", asJSON, 200, 1, route("aisles", shopapi.OpList)},
		{"HEAD", "HEAD", "/api/aisles/1", "", asJSON, 200, 1, route("aisles", shopapi.OpGet)},
		{"a nested object", "GET", "/api/2.0/aisles/1/shelves/2", "", asJSON, 200, 1, route("shelves", shopapi.OpGet, "aisles")},
		{"the script form", "GET", "/api.php?_d=aisles/1/shelves/2/labels", "", asJSON, 200, 1, route("labels", shopapi.OpList, "aisles", "shelves")},
		{"a create", "POST", "/api/aisles", `{"name": "x"}`, asJSON, 201, 1, route("aisles", shopapi.OpCreate)},
		{"an update", "PUT", "/api/aisles/1", `{"name": "x"}`, asJSON, 200, 1, route("aisles", shopapi.OpUpdate)},
		{"a delete", "DELETE", "/api/aisles/1", "", asJSON, 204, 1, route("aisles", shopapi.OpDelete)},
		{"no credentials", "GET", "/api/aisles", "", anonymous, 401, 0, shopapi.Route{}},
		{"no such address", "GET", "/api/nothing", "", asJSON, 404, 1, shopapi.Route{}},
		{"no such method", "PUT", "/api/aisles", "", asJSON, 405, 1, route("aisles", "")},
		{"no such format", "GET", "/api/aisles", "", with("Accept", "image/png"), 406, 1, route("aisles", shopapi.OpList)},
		{"no privilege", "GET", "/api/aisles/1", "", as("clerk@example.com", "key"), 403, 2, route("aisles", shopapi.OpGet)},
		{"no such object", "GET", "/api/aisles/99", "", asJSON, 404, 1, route("aisles", shopapi.OpGet)},
		{"a bad body", "POST", "/api/aisles", `{"count": "x"}`, asJSON, 400, 1, route("aisles", shopapi.OpCreate)},
	} {
		t.Run(c.name, func(t *testing.T) {
			got = nil
			r := s.do(c.method, c.address, c.body, c.header).want(c.status)
			if len(got) != 1 {
				t.Fatalf("told %d times, want once", len(got))
			}
			var id int64
			if got[0].User != nil {
				id = got[0].User.ID
			}
			want := shopapi.Completion{Route: c.route, Status: c.status, Bytes: int64(r.Body.Len())}
			if diff := cmp.Diff(want, got[0], cmpopts.IgnoreFields(shopapi.Completion{}, "Duration", "User"), cmpopts.EquateEmpty()); diff != "" || id != c.user {
				t.Errorf("user %d, want %d; (-want +got):\n%s", id, c.user, diff)
			}
		})
	}
}

func TestCompleted_DurationAndShutdown(t *testing.T) {
	var got shopapi.Completion
	s := newShop(t, func(o *shopapi.Options) {
		o.Identify = func(*http.Request) (*shopapi.User, error) { time.Sleep(2 * time.Millisecond); return nil, nil }
		o.Completed = func(_ *http.Request, c shopapi.Completion) { got = c }
	})
	s.do("GET", "/api/aisles", "")
	if got.Duration < 2*time.Millisecond {
		t.Errorf("a request of 2 ms took %s", got.Duration)
	}
	if err := s.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.do("GET", "/api/aisles", "")
	if got.Status != 503 || got.Entity != "" || got.User != nil {
		t.Errorf("refused by Shutdown: got %+v", got)
	}
}

func TestCompleted_CachedResponses(t *testing.T) {
	var got shopapi.Completion
	user := &shopapi.User{ID: 5, Root: true}
	api := cachedNotes(t, &notes{}, &shopapi.Options{
		Identify:  func(*http.Request) (*shopapi.User, error) { return user, nil },
		Completed: func(_ *http.Request, c shopapi.Completion) { got = c },
	})
	for _, cached := range []bool{false, true} {
		w := askNotes(t, api, "GET", "/api/notes", "")
		want := shopapi.Completion{
			Route: shopapi.Route{Entity: "notes", Operation: shopapi.OpList}, User: user,
			Status: 200, Bytes: int64(w.Body.Len()), Cached: cached,
		}
		if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(shopapi.Completion{}, "Duration")); diff != "" {
			t.Errorf("cached %v (-want +got):\n%s", cached, diff)
		}
	}
	req := httptest.NewRequest("GET", "/api/notes", nil)
	req.Header.Set("If-None-Match", "*")
	api.ServeHTTP(httptest.NewRecorder(), req)
	if got.Status != 304 || got.Bytes != 0 || !got.Cached {
		t.Errorf("not modified: got %+v", got)
	}
}

func TestCompleted_PanicIsLoggedAndHidden(t *testing.T) {
	s := newShop(t, func(o *shopapi.Options) {
		o.Completed = func(*http.Request, shopapi.Completion) { panic("no metrics") }
	})
	s.do("GET", "/api/aisles/1", "").want(200).contains(`"name":"aisles"`)
	if !strings.Contains(s.log.String(), "no metrics") {
		t.Error("the log lacks the panic")
	}
}

// A connection that an entity aborts stays aborted, and Completed gets it without a
// status.
func TestCompleted_CutConnection(t *testing.T) {
	var got *shopapi.Completion
	s := newShop(t, func(o *shopapi.Options) {
		o.Completed = func(_ *http.Request, c shopapi.Completion) { got = &c; panic("no metrics") }
	})
	if err := s.Register(panicking{answers{http.ErrAbortHandler}}); err != nil {
		t.Fatal(err)
	}
	func() {
		defer func() {
			if p := recover(); p != http.ErrAbortHandler {
				t.Errorf("the server got the panic %v", p)
			}
		}()
		s.do("GET", "/api/answers", "")
	}()
	if got == nil || got.Status != 0 || got.Entity != "answers" {
		t.Errorf("got %+v", got)
	}
}

// A panic of an entity is a 500, in Completed as for the client.
func TestCompleted_EntityThatPanics(t *testing.T) {
	var got shopapi.Completion
	s := newShop(t, func(o *shopapi.Options) { o.Completed = func(_ *http.Request, c shopapi.Completion) { got = c } })
	if err := s.Register(panicking{answers{"boom"}}); err != nil {
		t.Fatal(err)
	}
	s.do("GET", "/api/answers", "").want(500)
	if got.Status != 500 || got.Bytes == 0 || got.Operation != shopapi.OpList {
		t.Errorf("got %+v", got)
	}
}

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
	api := cachedNotes(t, &notes{}, &shopapi.Options{
		Dialect: shopapi.DialectLive, Banner: shopapi.Banner{Brand: "Shop", Version: "4.18.3", Edition: "Single"},
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

// A body that arrives late but in time is read, and an unread body does not close the
// connection.
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

// A fixed entity of the host has one object.
type fixed struct{ object any }

func (fixed) Describe() shopapi.Description {
	return shopapi.Description{Name: "fixed", Privileges: shopapi.Privileges{View: "view_fixed"}}
}

func (f fixed) Get(context.Context, *shopapi.Request, string) (any, error) { return f.object, nil }

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

// The write limit of a response does not affect a host's handler on the same connection.
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

// Long parts of a request cost nothing before the user is known.
func TestLimits_LongRequestsCostNothing(t *testing.T) {
	asked := false
	s := newShop(t, func(o *shopapi.Options) {
		o.Dialect, o.Banner = shopapi.DialectLive, shopapi.Banner{Brand: "a", Version: "b", Edition: "c"}
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

func TestEntityTag_AnswersNotModifiedUntilTheObjectChanges(t *testing.T) {
	n := &notes{}
	h, _ := cachedNotesAndUsers(t, n, shopapi.Options{})
	get := func(method, address, known string) *httptest.ResponseRecorder {
		req := httptest.NewRequestWithContext(t.Context(), method, address, nil)
		req.SetBasicAuth("a@example.org", "key")
		if known != "" {
			req.Header.Set("If-None-Match", known)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, req)
		return w
	}
	first := get("GET", "/api/notes", "")
	tag := first.Header().Get("ETag")
	if first.Code != 200 || tag == "" {
		t.Fatalf("got %d with the tag %q", first.Code, tag)
	}
	for _, c := range []struct {
		name, method, known string
		want                int
	}{
		{"the tag", "GET", tag, 304},
		{"HEAD", "HEAD", tag, 304},
		{"a weak one", "GET", "W/" + tag, 304},
		{"one of several", "GET", `"other", ` + tag, 304},
		{"any", "GET", "*", 304},
		{"another", "GET", `"other"`, 200},
		{"without quotation marks", "GET", tag[1 : len(tag)-1], 200},
	} {
		w := get(c.method, "/api/notes", c.known)
		if w.Code != c.want || w.Header().Get("ETag") != tag {
			t.Errorf("%s: got %d with the tag %q, want %d and %q", c.name, w.Code, w.Header().Get("ETag"), c.want, tag)
		}
		if c.want == 304 && w.Body.Len() > 0 {
			t.Errorf("%s: 304 has the body %s", c.name, w.Body)
		}
	}
	askNotes(t, h, "POST", "/api/notes", `{"text": "new"}`)
	if w := get("GET", "/api/notes", tag); w.Code != 200 || w.Header().Get("ETag") == tag {
		t.Errorf("after a change got %d with the tag %q", w.Code, w.Header().Get("ETag"))
	}
	if w := get("GET", "/api/nothing", "*"); w.Code != 404 {
		t.Errorf("an error got %d", w.Code)
	}
}

// An entity that does not heed preconditions in a transaction of its own has them
// checked before the operation (§25).
func TestPreconditions_HandWrittenEntity(t *testing.T) {
	s := newShop(t)
	tag := s.do("GET", "/api/aisles/1", "").Header().Get("Etag")
	s.do("PUT", "/api/aisles/1", "name=x", with("If-Match", `"other"`)).want(412).contains("If-Match")
	got := s.do("PUT", "/api/aisles/1", "name=x", with("If-Match", tag)).want(200).Header().Get("Etag")
	if now := s.do("GET", "/api/aisles/1", "").Header().Get("Etag"); got != now || got == tag || !strings.HasPrefix(got, `"`) {
		t.Errorf("PUT answered the Etag %s, GET %s", got, now)
	}
	s.do("DELETE", "/api/aisles/1", "", with("If-Match", tag)).want(412)
	s.do("DELETE", "/api/aisles/1", "", with("If-Match", got)).want(204)
	s.do("DELETE", "/api/aisles/1", "", with("If-Match", got)).want(404)
}

// A costly is an entity whose requests use as much as a test wants. The user of a request
// is the number in its header User.
type costly struct {
	size int           // bytes of an item
	hold chan struct{} // long operations end when it is closed; nil does not hold them
	long atomic.Int64  // long operations that run
}

func (c *costly) Describe() shopapi.Description {
	return shopapi.Description{Name: "costly", IDField: "id", Privileges: shopapi.Privileges{View: "v", Manage: "m"}}
}

func (c *costly) List(ctx context.Context, _ *shopapi.Request) (any, error) {
	c.runLong(ctx)
	return shopapi.List{Name: "costly", Items: []string{strings.Repeat("x", c.size)}}, ctx.Err()
}

func (c *costly) runLong(ctx context.Context) {
	c.long.Add(1)
	if c.hold != nil {
		select {
		case <-c.hold:
		case <-ctx.Done():
		}
	}
}

func (c *costly) Get(context.Context, *shopapi.Request, string) (any, error) {
	return strings.Repeat("x", c.size), nil
}

// Create takes long if the payload has a text.
func (c *costly) Create(ctx context.Context, r *shopapi.Request) (shopapi.Reply, error) {
	if r.Payload.Has("text") {
		c.runLong(ctx)
	}
	return shopapi.Reply{ID: "1"}, nil
}

func (c *costly) serve(t *testing.T, limits shopapi.Limits) *shopapi.API {
	t.Helper()
	api := shopapi.New(&shopapi.Options{Limits: limits, Identify: func(r *http.Request) (*shopapi.User, error) {
		id, err := strconv.ParseInt(r.Header.Get("User"), 10, 64)
		return &shopapi.User{ID: id, Type: shopapi.Administrator, Root: true}, err
	}})
	if err := api.Register(c); err != nil {
		t.Fatal(err)
	}
	return api
}

func sendAs(h http.Handler, user int, method, address string, body io.Reader, length int64) *httptest.ResponseRecorder {
	req := httptest.NewRequest(method, address, body)
	req.Header.Set("User", fmt.Sprint(user))
	req.Header.Set("Content-Type", "application/json")
	req.ContentLength = length
	w := httptest.NewRecorder()
	h.ServeHTTP(w, req)
	return w
}

const (
	costlyList = "/api/costly"
	costlyOne  = "/api/costly/1"
)

// TestMemory_BodiesThatDoNotEnd: a user whose bodies lack their last byte holds no more
// than the user's share, and waits for it; other users do not wait.
func TestMemory_BodiesThatDoNotEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := (&costly{}).serve(t, shopapi.Limits{Memory: 64 << 20}) // 4 MiB of bodies for one user
		var reading atomic.Int64
		var wg sync.WaitGroup
		statuses := make(chan int, 20)
		for range 20 {
			wg.Go(func() {
				body := &endless{reading: &reading, until: make(chan struct{})}
				time.AfterFunc(8*time.Second, func() { close(body.until) })
				statuses <- sendAs(api, 1, "POST", costlyList, body, 1<<20).Code
			})
		}
		synctest.Wait()
		if n := reading.Load(); n != 4 {
			t.Errorf("%d bodies of one user are being read, want 4", n)
		}
		if w := sendAs(api, 2, "POST", costlyList, strings.NewReader(`{"a": 1}`), 8); w.Code != 201 {
			t.Errorf("another user is answered %d %s", w.Code, w.Body)
		}
		if w := sendAs(api, 1, "GET", costlyOne, http.NoBody, 0); w.Code != 200 {
			t.Errorf("the user's own GET is answered %d %s", w.Code, w.Body)
		}
		wg.Wait()
		refused := 0
		for range 20 {
			if <-statuses == 429 {
				refused++
			}
		}
		if refused != 16 {
			t.Errorf("%d requests are 429, want 16", refused)
		}
	})
}

// An endless is a body that does not come until it fails.
type endless struct {
	reading *atomic.Int64
	until   chan struct{}
}

func (e *endless) Read([]byte) (int, error) {
	e.reading.Add(1)
	<-e.until
	return 0, io.ErrUnexpectedEOF
}

// TestMemory_LongOperationsTakeTurns: one user runs only so many lists, or writes with large
// bodies, at once. The others wait and are then 429 with Retry-After. Operations of others,
// and the user's own objects and small writes, do not wait.
func TestMemory_LongOperationsTakeTurns(t *testing.T) {
	large := `{"text": "` + strings.Repeat("x", 64<<10) + `"}`
	cpus := int64(runtime.GOMAXPROCS(0))
	for _, test := range []struct {
		name, method, body string
		most               int64 // at once
	}{
		{"lists", "GET", "", max(2, cpus)},
		{"large bodies", "POST", large, max(1, cpus/2)},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := &costly{hold: make(chan struct{})}
				api := c.serve(t, shopapi.Limits{})
				send := func(user int) *httptest.ResponseRecorder {
					return sendAs(api, user, test.method, costlyList, strings.NewReader(test.body), int64(len(test.body)))
				}
				var wg sync.WaitGroup
				var refused atomic.Int64
				for range 50 {
					wg.Go(func() {
						if w := send(1); w.Code == 429 && w.Header().Get("Retry-After") != "" {
							refused.Add(1)
						}
					})
				}
				synctest.Wait()
				runs := c.long.Load()
				if runs != test.most {
					t.Fatalf("%d of one user run at once, want %d", runs, test.most)
				}
				wg.Go(func() { send(2) })
				synctest.Wait()
				if c.long.Load() != runs+1 {
					t.Error("another user waits")
				}
				if w := sendAs(api, 1, "GET", costlyOne, http.NoBody, 0); w.Code != 200 {
					t.Errorf("GET of an object is answered %d", w.Code)
				}
				if w := sendAs(api, 1, "POST", costlyList, strings.NewReader(`{"a": 1}`), 8); w.Code != 201 {
					t.Errorf("a small write is answered %d", w.Code)
				}
				time.Sleep(21 * time.Second)
				close(c.hold)
				wg.Wait()
				if refused.Load() != 50-runs {
					t.Errorf("%d are 429, want %d", refused.Load(), 50-runs)
				}
			})
		})
	}
}

// TestMemory_OneRequest: a response that needs more than one user may use is 400, and what
// it used is given back.
func TestMemory_OneRequest(t *testing.T) {
	c := &costly{size: 8 << 20}
	api := c.serve(t, shopapi.Limits{Memory: 16 << 20}) // 3 MiB for one user
	for range 10 {
		if w := sendAs(api, 1, "GET", costlyList, http.NoBody, 0); w.Code != 400 || !strings.Contains(w.Body.String(), "memory") {
			t.Fatalf("a large list is answered %d %.200s", w.Code, w.Body)
		}
	}
	c.size = 100
	for range 10 {
		if w := sendAs(api, 1, "GET", costlyList, http.NoBody, 0); w.Code != 200 {
			t.Fatalf("a small list is answered %d %.200s", w.Code, w.Body)
		}
	}
}

// TestMemory_Nodes: a body of many empty objects, or of many values, is refused before it
// becomes a tree.
func TestMemory_Nodes(t *testing.T) {
	api := (&costly{}).serve(t, shopapi.Limits{})
	for _, item := range []string{"{}", "[]", "1", `""`} {
		body := `{"variants": [` + strings.TrimSuffix(strings.Repeat(item+",", 300_000/len(item)), ",") + `]}`
		if w := sendAs(api, 1, "POST", costlyList, strings.NewReader(body), int64(len(body))); w.Code != 400 || !strings.Contains(w.Body.String(), "more than") {
			t.Errorf("many %s are answered %d %.200s", item, w.Code, w.Body)
		}
	}
	body := `{"text": "` + strings.Repeat(",{[", 100_000) + `"}`
	if w := sendAs(api, 1, "POST", costlyList, strings.NewReader(body), int64(len(body))); w.Code != 201 {
		t.Errorf("a long text is answered %d %.200s", w.Code, w.Body)
	}
}

// Each user has a separate limit; cached responses and errors count; requests without a
// user do not.
func TestE10_Rate(t *testing.T) {
	s := newShop(t, func(o *shopapi.Options) { o.RateLimit = shopapi.RateLimit{Requests: 3, Seconds: 10} })
	policy := func(r *reply, left string) *reply {
		t.Helper()
		return r.has("RateLimit-Policy", `"default";q=3;w=10`).has("RateLimit", left)
	}
	policy(s.do("GET", "/api/aisles", "").want(200), `"default";r=2;t=10`)
	s.now = s.now.Add(2500 * time.Millisecond)
	policy(s.do("GET", "/api/nothing", "").want(404), `"default";r=1;t=8`)
	policy(s.do("GET", "/api/aisles", "").want(200), `"default";r=0;t=8`)
	operations := len(s.trace)
	policy(s.do("POST", "/api/aisles", "name=x").want(429), `"default";r=0;t=8`).has("Retry-After", "8").contains("3 requests in 10 seconds")
	if len(s.trace) != operations {
		t.Error("an operation ran beyond the limit")
	}
	s.do("GET", "/api/aisles", "", anonymous).want(401).has("RateLimit", "").has("RateLimit-Policy", "")
	s.now = s.now.Add(7500 * time.Millisecond)
	policy(s.do("POST", "/api/aisles", "name=x").want(201), `"default";r=2;t=10`)
}

func TestE10_Rate_CachedResponses(t *testing.T) {
	n := &notes{}
	h, _ := cachedNotesAndUsers(t, n, shopapi.Options{RateLimit: shopapi.RateLimit{Requests: 2, Seconds: 60}})
	for _, want := range []int{200, 200, 429} {
		if w := askNotes(t, h, "GET", "/api/notes", ""); w.Code != want {
			t.Errorf("the response is %d, want %d", w.Code, want)
		}
	}
	if n.asked.Load() != 1 {
		t.Errorf("the entity was asked %d times", n.asked.Load())
	}
}

func TestE10_Rate_Each_User(t *testing.T) {
	s := newShop(t, func(o *shopapi.Options) {
		o.RateLimit = shopapi.RateLimit{Requests: 1, Seconds: 60}
		o.Identify = func(r *http.Request) (*shopapi.User, error) {
			return &shopapi.User{Root: true, Type: shopapi.Administrator, Email: r.Header.Get("X-User")}, nil
		}
	})
	for _, user := range []string{"ann", "bob"} {
		s.do("GET", "/api/aisles", "", with("X-User", user)).want(200)
		s.do("GET", "/api/aisles", "", with("X-User", user)).want(429)
	}
}

func TestE10_Rate_Off(t *testing.T) {
	r := newShop(t).do("GET", "/api/aisles", "").want(200)
	for name := range r.Result().Header {
		if strings.HasPrefix(name, "Ratelimit") {
			t.Errorf("the response has the header %s", name)
		}
	}
}

// A probe is an entity that notes which functions called it.
type probe struct{ frames []string }

func (p *probe) Describe() shopapi.Description {
	return shopapi.Description{
		Name: "probes", IDField: "probe_id", Transactional: true,
		Privileges: shopapi.Privileges{View: "view", Manage: "manage"},
	}
}

// note notes the functions between ServeHTTP and the entity.
func (p *probe) note() {
	p.frames = nil
	callers := make([]uintptr, 100)
	frames := runtime.CallersFrames(callers[:runtime.Callers(3, callers)])
	for more := true; more; {
		var f runtime.Frame
		f, more = frames.Next()
		if strings.HasSuffix(f.Function, ".ServeHTTP") {
			return
		}
		p.frames = append(p.frames, f.Function)
	}
}

func (p *probe) Get(context.Context, *shopapi.Request, string) (any, error) {
	p.note()
	return struct{}{}, nil
}

func (p *probe) Create(context.Context, *shopapi.Request) (shopapi.Reply, error) {
	p.note()
	return shopapi.Reply{ID: "1"}, nil
}

// A trace of an entity shows its own functions: those of the pipeline are few.
func TestPipeline_IsShallow(t *testing.T) {
	s := newShop(t)
	p := &probe{}
	if err := s.Register(p); err != nil {
		t.Fatal(err)
	}
	s.do("GET", "/api/2.0/probes/1", "").want(200)
	if len(p.frames) > 4 {
		t.Errorf("a GET passes %d functions: %s", len(p.frames), p.frames)
	}
	s.do("POST", "/api/2.0/probes", "name=A").want(201)
	if len(p.frames) > 5 {
		t.Errorf("a POST passes %d functions: %s", len(p.frames), p.frames)
	}
}
