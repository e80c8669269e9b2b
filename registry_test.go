package shopapi_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi"
)

// A described entity has a description and no capability.
type described shopapi.Description

func (d described) Describe() shopapi.Description { return shopapi.Description(d) }

type getter struct{ described }

func (getter) Get(context.Context, *shopapi.Request, string) (any, error) { return 1, nil }

type creator struct{ described }

func (creator) Create(context.Context, *shopapi.Request) (shopapi.Reply, error) {
	return shopapi.Reply{}, nil
}

type deleter struct{ described }

func (deleter) Delete(context.Context, *shopapi.Request, string) error { return nil }

// What would only show at a request is found when an entity is registered.
func TestRegister_Checks(t *testing.T) {
	both := shopapi.Privileges{View: "v", Manage: "m"}
	shown := func(d shopapi.Display) shopapi.Entity {
		return getter{described{Name: "pages", Privileges: both, Display: d, Object: reflect.TypeFor[struct {
			Title string `json:"title"`
			Owner int64  `json:"owner_id"`
		}]()}}
	}
	for _, test := range []struct {
		entity shopapi.Entity
		want   string // "" when it is accepted
	}{
		{nil, "is nil"},
		{getter{described{Name: "pages", Privileges: both}}, ""},
		{getter{described{Name: "p_2", Privileges: both}}, ""},
		{getter{described{Name: "aisles", Privileges: both}}, "registered already"},
		{getter{described{Name: "", Privileges: both}}, "entity name"},
		{getter{described{Name: "Pages", Privileges: both}}, "entity name"},
		{getter{described{Name: "a/b", Privileges: both}}, "entity name"},
		{getter{described{Name: "2pages", Privileges: both}}, "entity name"},
		{getter{described{Name: "seiten-ü", Privileges: both}}, "entity name"},
		{described{Name: "pages", Privileges: both}, "no capability"},
		{getter{described{Name: "pages", Privileges: shopapi.Privileges{Manage: "m"}}}, "privilege View"},
		{creator{described{Name: "pages", IDField: "id", Privileges: shopapi.Privileges{View: "v"}}}, "privilege Manage"},
		{deleter{described{Name: "pages", Privileges: shopapi.Privileges{View: "v"}}}, "privilege Manage"},
		{deleter{described{Name: "pages", Privileges: shopapi.Privileges{Manage: "m"}}}, ""},
		{creator{described{Name: "pages", Privileges: both}}, "no IDField"},
		{getter{described{Name: "pages", Privileges: both, Parents: []string{"x", "x"}}}, "repeated"},
		{getter{described{Name: "pages", Privileges: both, Parents: []string{"X"}}}, "not an entity name"},
		{getter{described{Name: "pages", Privileges: both}}, ""},
		{shown(shopapi.Display{Label: "title", Columns: []string{"title", "owner_id"}, Relations: map[string]string{"owner_id": "users"}, Widgets: map[string]shopapi.Widget{"title": shopapi.WidgetLines}}), ""},
		{shown(shopapi.Display{Label: "name"}), `Display.Label "name"`},
		{shown(shopapi.Display{Columns: []string{"title", "name"}}), `"name" in Display.Columns`},
		{shown(shopapi.Display{Relations: map[string]string{"owner": "users"}}), `"owner": "users" in Display.Relations`},
		{shown(shopapi.Display{Relations: map[string]string{"owner_id": "Users"}}), `"owner_id": "Users" in Display.Relations`},
		{shown(shopapi.Display{Widgets: map[string]shopapi.Widget{"name": shopapi.WidgetTime}}), `"name": "time" in Display.Widgets`},
		{shown(shopapi.Display{Widgets: map[string]shopapi.Widget{"title": "clock"}}), `one of ["time" "money" "country" "lines" "html" "secret" "json"]`},
	} {
		err := newShop(t).Register(test.entity)
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%+v: error %v, want %q", test.entity, err, test.want)
		}
	}
}

// An entity may exist only under one parent.
func TestRegister_Under(t *testing.T) {
	s := newShop(t)
	p := shopapi.Privileges{View: "v", Manage: "m"}
	notes := getter{described{Name: "notes", Privileges: p}}
	if err := s.RegisterUnder("no/name", notes); err == nil || !strings.Contains(err.Error(), "not an entity name") {
		t.Errorf("error %v", err)
	}
	if err := s.Register(getter{described{Name: "books", Privileges: p}}); err != nil {
		t.Fatal(err)
	}
	if err := s.RegisterUnder("books", notes); err != nil {
		t.Fatal(err)
	}
	if err := s.RegisterUnder("books", notes); err == nil {
		t.Error("one name twice under one parent")
	}
	if s.Registered("notes") || !s.Registered("books") {
		t.Error("an entity under a parent exists at the top")
	}
	s.do("GET", "/api/books/1/notes/1", "").want(200).is("1")
	s.do("GET", "/api/notes/1", "").want(404)
	s.do("GET", "/api/aisles/1/notes/1", "").want(404)
}

// A nested address exists when the child names the parent, in its description or
// beside it, and the parent can be read.
func TestRegister_ParentsAreDeclaredByTheChild(t *testing.T) {
	s := newShop(t)
	p := shopapi.Privileges{View: "v", Manage: "m"}
	for _, e := range []shopapi.Entity{
		getter{described{Name: "books", Privileges: p}},
		getter{described{Name: "films", Privileges: p}},
		deleter{described{Name: "heaps", Privileges: p}},
		getter{described{Name: "notes", Privileges: p, Parents: []string{"books", "heaps", "unregistered"}}},
	} {
		if err := s.Register(e); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.DeclareParent("notes", "aisles"); err != nil {
		t.Fatal(err)
	}
	s.do("GET", "/api/books/1/notes/1", "").want(200).is("1")
	s.do("GET", "/api/aisles/1/notes/1", "").want(200).is("1")
	s.do("GET", "/api/films/1/notes/1", "").want(404).contains("no entity")
	s.do("GET", "/api/heaps/1/notes/1", "").want(404).contains("no entity")
	s.do("GET", "/api/notes/1/books/1", "").want(404).contains("no entity")
	if err := s.DeclareParent("notes", "films"); err == nil {
		t.Error("a parent was declared while serving")
	}
}

// An entity that lists its operations has no others.
func TestRegister_Operations(t *testing.T) {
	s := newShop(t)
	e := newThings("books", &s.trace)
	e.Operations = []shopapi.Operation{shopapi.OpGet, shopapi.OpUpdate}
	if err := s.Register(e); err != nil {
		t.Fatal(err)
	}
	s.do("GET", "/api/books/1", "").want(200)
	s.do("GET", "/api/books", "").want(405)
	s.do("DELETE", "/api/books/1", "").want(405).has("Allow", "GET, HEAD, PUT")
}

func TestRegister_WhileServing(t *testing.T) {
	s := newShop(t)
	s.do("GET", "/api/aisles", "").want(200)
	if err := s.Register(newThings("books", &s.trace)); err == nil || !strings.Contains(err.Error(), "before the first request") {
		t.Errorf("error %v", err)
	}
	s.do("GET", "/api/books", "").want(404)
}

// A privilege renamed to nothing would open an entity to everybody.
func TestRegister_RenamedToNothing(t *testing.T) {
	s := newShop(t, func(o *shopapi.Options) { o.Privileges = map[string]shopapi.Privileges{"books": {View: "v"}} })
	if err := s.Register(newThings("books", &s.trace)); err == nil || !strings.Contains(err.Error(), "privilege Manage") {
		t.Errorf("error %v", err)
	}
}

func TestDescriptions(t *testing.T) {
	api := shopapi.New(&shopapi.Options{Privileges: map[string]shopapi.Privileges{"pages": {View: "read_pages", Manage: "write_pages"}}})
	p := shopapi.Privileges{View: "v", Manage: "m"}
	for _, e := range []shopapi.Entity{
		getter{described{Name: "pages", Privileges: p, Parents: []string{"stores"}}},
		deleter{described{Name: "files", Privileges: p}},
	} {
		if err := api.Register(e); err != nil {
			t.Fatal(err)
		}
	}
	if err := api.RegisterUnder("files", getter{described{Name: "parts", Privileges: p}}); err != nil {
		t.Fatal(err)
	}
	for _, parent := range []string{"products", "categories", "stores"} {
		if err := api.DeclareParent("pages", parent); err != nil {
			t.Fatal(err)
		}
	}
	want := []shopapi.Description{
		{Name: "files", Privileges: p, Operations: []shopapi.Operation{shopapi.OpDelete}},
		{
			Name: "pages", Privileges: shopapi.Privileges{View: "read_pages", Manage: "write_pages"},
			Operations: []shopapi.Operation{shopapi.OpGet}, Parents: []string{"stores", "categories", "products"},
		},
	}
	if diff := cmp.Diff(want, api.Descriptions()); diff != "" {
		t.Errorf("Descriptions (-want +got):\n%s", diff)
	}
}

func TestEntityPaths(t *testing.T) {
	api := shopapi.New(nil)
	p := shopapi.Privileges{View: "v", Manage: "m"}
	for _, e := range []shopapi.Entity{
		getter{described{Name: "products", Privileges: p, Parents: []string{"categories"}}},
		getter{described{Name: "categories", Privileges: p, Parents: []string{"stores"}}},
		getter{described{Name: "discussions", Privileges: p, Parents: []string{"products"}}},
		getter{described{Name: "stores", Privileges: p}},
		deleter{described{Name: "files", Privileges: p, Parents: []string{"discussions"}}},
	} {
		if err := api.Register(e); err != nil {
			t.Fatal(err)
		}
	}
	if err := api.RegisterUnder("stores", getter{described{Name: "keys", Privileges: p}}); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, place := range api.EntityPaths() {
		got = append(got, place.String())
		if only := place.String() == "stores/{id}/keys"; place.OnlyHere != only {
			t.Errorf("%s: OnlyHere is %v", place, place.OnlyHere)
		}
	}
	want := []string{
		"categories", "categories/{id}/products", "categories/{id}/products/{id}/discussions",
		"discussions", "discussions/{id}/files",
		"files",
		"products", "products/{id}/discussions", "products/{id}/discussions/{id}/files",
		"stores", "stores/{id}/categories", "stores/{id}/categories/{id}/products", "stores/{id}/keys",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// withEndpoints returns a shop with the endpoints tills, tills/{id}/receipts and
// aisles/{id}/map.
func withEndpoints(t *testing.T) *shop {
	t.Helper()
	s := newShop(t)
	for _, e := range []shopapi.Endpoint{
		{Address: "tills", Methods: map[string]shopapi.Method{
			"GET": {Privileges: []string{"view_tills"}, MediaTypes: []string{"text/event-stream"}, Serve: s.tills},
			"POST": {MaxBody: 20, Serve: func(_ context.Context, r *shopapi.EndpointRequest) (*shopapi.Response, error) {
				return &shopapi.Response{Status: 202, Header: http.Header{"Location": {"tills/1"}, "Cache-Control": {"no-store"}}, Body: shopapi.Map{{Name: "name", Value: shopapi.JSON(r.Payload.Raw("name"))}}}, nil
			}},
		}},
		{Address: "tills/{id}/receipts", Methods: map[string]shopapi.Method{
			"PUT": {RawBody: true, MaxBody: 5, Serve: func(_ context.Context, r *shopapi.EndpointRequest) (*shopapi.Response, error) {
				body, err := io.ReadAll(r.Body)
				return &shopapi.Response{Body: shopapi.Map{{Name: "of", Value: r.Segments[0]}, {Name: "body", Value: string(body)}}}, err
			}},
			"DELETE": {Serve: func(context.Context, *shopapi.EndpointRequest) (*shopapi.Response, error) {
				return &shopapi.Response{Status: 204}, nil
			}},
		}},
		{Address: "aisles/{id}/map", OfEntity: true, Methods: map[string]shopapi.Method{"GET": {Cacheable: true, Serve: func(_ context.Context, r *shopapi.EndpointRequest) (*shopapi.Response, error) {
			return &shopapi.Response{Body: shopapi.Map{{Name: "aisle", Value: r.Segments[0]}}}, nil
		}}}},
	} {
		if err := s.RegisterEndpoint(e); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func (s *shop) tills(_ context.Context, r *shopapi.EndpointRequest) (*shopapi.Response, error) {
	if r.MediaType == "" {
		return &shopapi.Response{Body: shopapi.Map{{Name: "tills", Value: []string{r.Filter.Get("open")}}}}, nil
	}
	return &shopapi.Response{Header: http.Header{"Content-Type": {r.MediaType}}, Stream: func(ctx context.Context, w io.Writer) error {
		if shopapi.UserFrom(ctx) == nil {
			return errors.New("no user")
		}
		_, _ = io.WriteString(w, "data: 1\n\n")
		w.(http.Flusher).Flush()
		if r.Filter.Has("fail") {
			return errors.New("out of paper")
		}
		if r.Filter.Has("panic") {
			panic("the drawer is stuck")
		}
		return nil
	}}, nil
}

// The 404 of an id behind the address of an endpoint or of an action says that it takes none (§5).
func TestEndpoint_TakesNoID(t *testing.T) {
	s := withEndpoints(t)
	for _, method := range []string{"GET", "POST", "PUT", "DELETE"} {
		s.do(method, "/api/aisles/1/map/2", "").want(404).contains(`The address \"aisles/1/map\" takes no id.`)
	}
	s.do("GET", "/api.php?_d=tills/1/receipts/2", "").want(404).contains(`The address \"tills/1/receipts\" takes no id.`)
	for _, address := range []string{"tills/1", "aisles/1/map/2/3", "tills/1/2/3"} {
		s.do("GET", "/api/"+address, "").want(404).contains("There is no entity named")
	}
	newActingShop(t).do("POST", "/api/boxes/2/open_box/3", "").want(404).contains(`The address \"boxes/2/open_box\" takes no id.`)
}

// §2: an endpoint passes the checks of an entity in their order.
func TestEndpoint_OrderOfChecks(t *testing.T) {
	t.Parallel()
	clerk, image, xml := as("clerk@example.com", "key"), with("Accept", "image/png"), with("Content-Type", "text/xml")
	for _, test := range []struct {
		name, method, address, body string
		headers                     []header
		want                        int
		wantText                    string
	}{
		{"origin", "POST", "/api/2.0/tills", "x", []header{anonymous, with("Sec-Fetch-Site", "cross-site")}, 403, "another site"},
		{"credentials", "PUT", "/api/2.0/tills", "x", []header{anonymous, image}, 401, ""},
		{"address", "GET", "/api/2.0/tills/1", "", nil, 404, "no entity"},
		{"method", "PUT", "/api/2.0/tills", "x", []header{clerk, image, xml}, 405, "GET, HEAD, POST"},
		{"Accept", "GET", "/api/2.0/tills", "", []header{clerk, image}, 406, "text/event-stream"},
		{"privilege", "GET", "/api/2.0/tills", "", []header{clerk}, 403, "view_tills"},
		{"Content-Type", "POST", "/api/2.0/tills", "x", []header{clerk, xml}, 415, ""},
		{"size", "POST", "/api/2.0/tills", `{"name":"12345678901234567890"}`, []header{asJSON}, 413, "20 bytes"},
		{"size of a raw body", "PUT", "/api/2.0/tills/7/receipts", "123456", []header{xml}, 413, "5 bytes"},
		{"query", "GET", "/api/2.0/tills?a=%ff", "", nil, 400, "UTF-8"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			withEndpoints(t).do(test.method, test.address, test.body, test.headers...).want(test.want).contains(test.wantText)
		})
	}
}

func TestEndpoint_Responses(t *testing.T) {
	t.Parallel()
	s := withEndpoints(t)
	s.do("GET", "/api.php?_d=tills&open=Y", "").want(200).is(`{"tills":["Y"]}`)
	s.do("GET", "/api/tills?open=Y", "", with("Accept", "text/plain")).want(200).is(`tills[0]=Y`)
	s.do("POST", "/api/tills", `name=x`, as("clerk@example.com", "key")).want(202).is(`{"name":"x"}`).has("Location", "tills/1").has("Cache-Control", "no-store")
	s.do("POST", "/api/tills", ``).want(202)
	s.do("PUT", "/api/2.0/tills/7/receipts", "<a/>", with("Content-Type", "text/xml")).want(200).is(`{"of":"7","body":"<a/>"}`)
	s.do("DELETE", "/api/2.0/tills/7/receipts", "").want(204).is("")
	tag := s.do("GET", "/api/2.0/aisles/9/map", "").want(200).is(`{"aisle":"9"}`).Header().Get("Etag")
	s.do("GET", "/api/2.0/aisles/9/map", "", with("If-None-Match", tag)).want(304)
	s.do("HEAD", "/api/2.0/aisles/9/map", "").want(200).is("")
}

func TestEndpoint_Stream(t *testing.T) {
	t.Parallel()
	s := withEndpoints(t)
	events := with("Accept", "text/event-stream")
	s.do("GET", "/api/tills", "", events).want(200).is("data: 1\n\n").has("Content-Type", "text/event-stream").has("Cache-Control", "private, no-cache")
	s.do("HEAD", "/api/tills", "", events).want(200).is("")

	recovering := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() { _ = recover() }() // as some middleware does, also of http.ErrAbortHandler
		s.ServeHTTP(w, r)
	})
	for name, handler := range map[string]http.Handler{"alone": s.API, "below a middleware that recovers": recovering} {
		server := httptest.NewServer(handler)
		defer server.Close()
		for query, logged := range map[string]string{"fail=Y": "out of paper", "panic=Y": "panic: the drawer is stuck"} {
			req, _ := http.NewRequest("GET", server.URL+"/api/tills?"+query, nil)
			req.SetBasicAuth("root@example.com", "key")
			req.Header.Set("Accept", "text/event-stream")
			resp, err := server.Client().Do(req)
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			if body, err := io.ReadAll(resp.Body); err == nil {
				t.Errorf("%s, %s: a stream that failed ended well: %q", name, query, body)
			}
			if !strings.Contains(s.log.String(), logged) {
				t.Errorf("%s, %s: the log lacks the error: %s", name, query, s.log)
			}
		}
	}
}

func TestEndpoint_NamesAreReserved(t *testing.T) {
	t.Parallel()
	s := withEndpoints(t)
	get := map[string]shopapi.Method{"GET": {Serve: s.tills}}
	if err := s.Register(newThings("tills", &s.trace)); err == nil {
		t.Error("an entity took the name of an endpoint")
	}
	for _, address := range []string{"tills", "aisles", "", "Tills", "{id}", "a//b", "a/b/c/d/e/f/g"} {
		if err := s.RegisterEndpoint(shopapi.Endpoint{Address: address, Methods: get}); err == nil {
			t.Errorf("the endpoint %q was registered", address)
		}
	}
	if route, ok := s.Match(httptest.NewRequest("GET", "/api/tills/7/receipts", nil)); !ok || route.Endpoint != "tills/{id}/receipts" {
		t.Errorf("route %+v", route)
	}
	s.do("GET", "/api/tills", "").want(200)
	if err := s.RegisterEndpoint(shopapi.Endpoint{Address: "late", Methods: get}); err == nil {
		t.Error("an endpoint was registered after the first request")
	}
}

// What runs without a time limit ends when the API shuts down.
func TestEndpoint_EndStreams(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	started := make(chan bool)
	wait := func(ctx context.Context, _ *shopapi.EndpointRequest) (*shopapi.Response, error) {
		close(started)
		<-ctx.Done()
		return &shopapi.Response{Body: shopapi.Map{}}, nil
	}
	if err := s.RegisterEndpoint(shopapi.Endpoint{Address: "wait", Methods: map[string]shopapi.Method{"GET": {Unlimited: true, Serve: wait}}}); err != nil {
		t.Fatal(err)
	}
	answered := make(chan *reply)
	go func() { answered <- s.do("GET", "/api/wait", "") }()
	<-started
	if err := s.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	(<-answered).want(200)
}

// A method without a time limit outlives the timeouts of the server.
func TestEndpoint_UnlimitedOutlivesServerTimeouts(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	const timeout = 50 * time.Millisecond
	err := s.RegisterEndpoint(shopapi.Endpoint{Address: "tills", Methods: map[string]shopapi.Method{
		"GET": {Unlimited: true, Serve: func(ctx context.Context, r *shopapi.EndpointRequest) (*shopapi.Response, error) {
			leave, err := r.EnterWait()
			if err != nil {
				return nil, err
			}
			defer leave()
			select {
			case <-ctx.Done():
				return nil, ctx.Err()
			case <-time.After(4 * timeout):
			}
			user, err := r.Identify(ctx)
			if err != nil || user.ID != r.User.ID {
				return nil, fmt.Errorf("the user is %v, %v", user, err)
			}
			return &shopapi.Response{Body: shopapi.Map{{Name: "open", Value: "Y"}}}, nil
		}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(s)
	server.Config.ReadTimeout, server.Config.WriteTimeout = timeout, timeout
	server.Start()
	defer server.Close()
	req, err := http.NewRequestWithContext(t.Context(), "GET", server.URL+"/api/2.0/tills", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.SetBasicAuth("root@example.com", "key")
	resp, err := server.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if body, err := io.ReadAll(resp.Body); err != nil || resp.StatusCode != 200 || string(body) != `{"open":"Y"}` {
		t.Errorf("a request that takes longer than the timeouts: %d %s %v", resp.StatusCode, body, err)
	}
}
