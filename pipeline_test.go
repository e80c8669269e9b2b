package shopapi_test

import (
	"github.com/shopapi/shopapi/internal/notestest"

	"context"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"runtime"
	"strings"
	"testing"
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
	api := notestest.Serve(t, &notestest.Notes{}, &shopapi.Options{
		Identify:  func(*http.Request) (*shopapi.User, error) { return user, nil },
		Completed: func(_ *http.Request, c shopapi.Completion) { got = c },
	})
	for _, cached := range []bool{false, true} {
		w := notestest.Ask(t, api, "GET", "/api/notes", "")
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
	n := &notestest.Notes{}
	h, _ := notestest.ServeUsers(t, n, shopapi.Options{})
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
	notestest.Ask(t, h, "POST", "/api/notes", `{"text": "new"}`)
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
	n := &notestest.Notes{}
	h, _ := notestest.ServeUsers(t, n, shopapi.Options{RateLimit: shopapi.RateLimit{Requests: 2, Seconds: 60}})
	for _, want := range []int{200, 200, 429} {
		if w := notestest.Ask(t, h, "GET", "/api/notes", ""); w.Code != want {
			t.Errorf("the response is %d, want %d", w.Code, want)
		}
	}
	if n.Asked.Load() != 1 {
		t.Errorf("the entity was asked %d times", n.Asked.Load())
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

// What a cached response costs must not grow unseen.
func TestCache_HotGETAllocatesOnce(t *testing.T) {
	var told int
	for name, opts := range map[string]*shopapi.Options{
		"alone":          {},
		"with Completed": {Completed: func(*http.Request, shopapi.Completion) { told++ }},
	} {
		t.Run(name, func(t *testing.T) {
			opts.Authenticator = notestest.Authenticator{AuthenticatorFunc: func(context.Context, shopapi.Credentials) (*shopapi.User, error) {
				return &shopapi.User{ID: 1, Root: true, Privileges: map[string]bool{"a": true, "b": true}}, nil
			}}
			api := notestest.Serve(t, &notestest.Notes{}, opts)
			req := httptest.NewRequest("GET", "/api/notes", nil)
			req.SetBasicAuth("a@example.org", "key")
			w := &discard{header: http.Header{}}
			allocations := testing.AllocsPerRun(100, func() {
				clear(w.header)
				api.ServeHTTP(w, req)
			})
			if allocations > 1 || w.status != 200 {
				t.Errorf("status %d with %v allocations, want at most 1", w.status, allocations)
			}
		})
	}
	if told == 0 {
		t.Error("Completed was not told")
	}
}

// A discard is a response writer that notes the status.
type discard struct {
	header http.Header
	status int
}

func (d *discard) Header() http.Header         { return d.header }
func (d *discard) WriteHeader(status int)      { d.status = status }
func (d *discard) Write(p []byte) (int, error) { return len(p), nil }

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

// A trace of an entity shows its own functions, and few functions of the pipeline.
func TestPipeline_IsShallow(t *testing.T) {
	s := newShop(t)
	p := &probe{}
	if err := s.Register(p); err != nil {
		t.Fatal(err)
	}
	s.do("GET", "/api/2.0/probes/1", "").want(200)
	if len(p.frames) > 3 {
		t.Errorf("a GET passes %d functions: %s", len(p.frames), p.frames)
	}
	s.do("POST", "/api/2.0/probes", "name=A").want(201)
	if len(p.frames) > 4 {
		t.Errorf("a POST passes %d functions: %s", len(p.frames), p.frames)
	}
}
