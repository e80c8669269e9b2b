package shopapi_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/shopapi/shopapi"
)

// §1: the three forms are one resource.
func TestAddresses_ThreeForms(t *testing.T) {
	s := newShop(t)
	want := s.do("GET", "/api/2.0/aisles/2", "").want(200).Body.String()
	for _, address := range []string{
		"/api/aisles/2",
		"/api/2/aisles/2",
		"/api.php?_d=aisles/2",
		"/api.php?_d=aisles%2F2",
		"/api.php?_d=2.0/aisles/2",
		"/api.php?_d=2/aisles/2",
		"/api.php?ajax_custom=1&_d=aisles/2&anything=else",
		"/api/2.0/aisles/2?ajax_custom=1",
		"/api/2.0/%61isles/2",
	} {
		s.do("GET", address, "").want(200).is(want)
	}
	for _, address := range []string{"/api/2.0/aisles/9", "/api/aisles/9", "/api.php?_d=aisles/9"} {
		s.do("GET", address, "").want(404)
		s.do("POST", address, "name=x").want(405)
		s.do("GET", address, "", anonymous).want(401)
	}
}

func TestAddresses_TrailingSlash(t *testing.T) {
	s := newShop(t)
	for _, address := range []string{"/api/2.0/aisles/", "/api/aisles/", "/api.php?_d=aisles/", "/api/2.0/aisles/1/", "/api/aisles/1/shelves/"} {
		s.do("GET", address, "").want(200)
	}
	s.do("POST", "/api/2.0/aisles/", "name=x").want(201)
	s.do("PUT", "/api/2.0/aisles/1/", "name=x").want(200)
}

func TestAddresses_NotFound(t *testing.T) {
	s := newShop(t)
	for _, address := range []string{
		"/", "/api", "/api/", "/api/2.0", "/api/2.0/", "/api.php", "/api.php?_d=", "/api.php?_d=2.0", "/apis/aisles", "/other",
		"/api//aisles", "/api/aisles//", "/api/aisles//1", "/api/aisles/./1", "/api/aisles/../aisles", "/api/aisles/..", "/api/aisles/%2e%2e", "/api/%2e/aisles",
		"/api.php?_d=aisles//1", "/api.php?_d=aisles/..", "/api.php?_d=aisles/%252e%252e",
		"/api/Aisles", "/api/nothing", "/api/aisles/1/nothing", "/api/aisles/1/labels", "/api/labels/1/shelves",
		"/api/aisles%2F1", "/api/aisles/1%2Fshelves",
		"/api/aisles/%00", "/api/aisles/%ff", "/api/%ff",
	} {
		s.do("GET", address, "").want(404)
	}
}

// Segments are decoded once: %2531 is the id "%31", not 1.
func TestAddresses_DecodedOnce(t *testing.T) {
	s := newShop(t)
	s.do("GET", "/api/aisles/%31", "").want(200)
	s.do("GET", "/api/aisles/%2531", "").want(404)
	s.do("GET", "/api.php?_d=aisles%2F%31", "").want(200)
	s.do("GET", "/api.php?_d=aisles%2F%2531", "").want(404)
}

// §1: products/12/features/3/images/7 is the deepest.
func TestAddresses_Depth(t *testing.T) {
	s := newShop(t)
	s.do("GET", "/api/2.0/aisles/1/shelves/2/labels/3", "").want(200).is(`{"thing_id":"3","name":"labels","count":"30"}`)
	s.do("GET", "/api/2.0/aisles/1/shelves/2/labels", "").want(200)
	s.do("GET", "/api/2.0/aisles/1/shelves/2/labels/3/more", "").want(404)
	s.do("GET", "/api/2.0/aisles/1/shelves/2/labels/3/aisles/1", "").want(404).contains("too deep")
}

// §13: another version is 404 and the answer names the supported one.
func TestVersions(t *testing.T) {
	s := newShop(t)
	for _, address := range []string{
		"/api/1.0/aisles", "/api/3/aisles", "/api/2.1/aisles", "/api/2.0.0/aisles", "/api/20/aisles", "/api/0/aisles",
		"/api.php?_d=4.0/aisles", "/api/3", "/api/2./aisles",
	} {
		s.do("GET", address, "").want(404).contains("supported version is 2.0")
		s.do("GET", address, "", anonymous).want(401)
	}
	s.do("GET", "/api/2.0/2.0/aisles", "").want(404)
	s.do("GET", "/api/v2/aisles", "").want(404).contains("no entity")
	s.do("GET", "/api/２/aisles", "").want(404).contains("no entity")
}

// §5: an invalid identifier is 404, with every method.
func TestAddresses_InvalidID(t *testing.T) {
	s := newShop(t)
	for _, id := range []string{"0", "-1", "+1", "1e3", "1.0", "９", "05", "0x1", "18446744073709551616", "9223372036854775808", "one", "%201", "1%20", "1%00", "1'--", "%ff"} {
		for _, method := range []string{"GET", "PUT", "DELETE"} {
			s.do(method, "/api/2.0/aisles/"+id, "name=x").want(404)
		}
		s.do("GET", "/api/2.0/aisles/"+id+"/shelves", "").want(404)
	}
	s.do("GET", "/api/2.0/aisles/9223372036854775807", "").want(404)
}

func TestAddresses_Head(t *testing.T) {
	s := newShop(t)
	for _, address := range []string{"/api/2.0/aisles", "/api/2.0/aisles/1", "/api/2.0/aisles/9", "/api/2.0/nothing", "/api/2.0/aisles?page=0"} {
		get := s.do("GET", address, "")
		head := s.do("HEAD", address, "").want(get.Code).is("")
		head.has("Content-Length", get.Result().Header.Get("Content-Length"))
		head.has("Content-Type", get.Result().Header.Get("Content-Type"))
	}
	s.do("HEAD", "/api/2.0/aisles", "", anonymous).want(401).is("")
	s.do("HEAD", "/api/2.0/aisles", "", with("Accept", "image/png")).want(406).is("")
}

func TestAddresses_OtherMethods(t *testing.T) {
	s := newShop(t)
	for _, method := range []string{"PATCH", "OPTIONS", "TRACE", "CONNECT", "PROPFIND", "BREW", "get", "Post"} {
		s.do(method, "/api/2.0/aisles", "name=x").want(405).has("Allow", "GET, HEAD, POST").contains(`"message":"The method`)
		s.do(method, "/api/2.0/aisles/1", "name=x").want(405).has("Allow", "GET, HEAD, PUT, DELETE")
		s.do(method, "/api/2.0/nothing", "").want(404)
	}
	if len(s.trace) != 0 {
		t.Errorf("operations ran: %q", s.trace)
	}
}

// §1: the handler is mounted at the root or under any prefix and never redirects.
func TestMountedUnderPrefix(t *testing.T) {
	s := newShop(t)
	mux := http.NewServeMux()
	mux.Handle("/shop/api/", http.StripPrefix("/shop", s.API))
	mux.Handle("/shop/api.php", http.StripPrefix("/shop", s.API))
	want := s.do("GET", "/api/2.0/aisles/1", "").want(200).Body.String()
	for _, address := range []string{"/shop/api/2.0/aisles/1", "/shop/api/aisles/1/", "/shop/api.php?_d=aisles/1", "/shop/api/aisles/%31"} {
		s.send(mux, httptest.NewRequest("GET", address, nil)).want(200).is(want)
	}
	s.send(mux, httptest.NewRequest("GET", "/shop/api/2.0/aisles/1%2F2", nil)).want(404)
}

// §10: only the header that the host names counts, in whatever form the proxy writes
// it, and a made-up one does not.
func TestProxyHeader(t *testing.T) {
	const proxy = "10.0.0.1:80"
	madeUp := with("X-Forwarded-For", "203.0.113.9")
	for _, test := range []struct {
		name, header, remote string
		sent                 []header
		want                 string
	}{
		{"Forwarded", "Forwarded", proxy, []header{madeUp, with("Forwarded", `for=203.0.113.9;proto=https, For="[2001:db8::9]:4711";by=10.0.0.1`)}, "2001:db8::9"},
		{"several of Forwarded", "forwarded", proxy, []header{with("Forwarded", "for=203.0.113.9"), with("Forwarded", "proto=https;for=198.51.100.1")}, "198.51.100.1"},
		{"Forwarded obfuscated", "Forwarded", proxy, []header{madeUp, with("Forwarded", "for=_hidden")}, "10.0.0.1"},
		{"Forwarded missing", "Forwarded", proxy, []header{madeUp}, "10.0.0.1"},
		{"Forwarded of a megabyte", "Forwarded", proxy, []header{with("Forwarded", "for="+strings.Repeat("9", 1<<20))}, "10.0.0.1"},
		{"X-Real-IP", "X-Real-IP", proxy, []header{madeUp, with("X-Real-Ip", "198.51.100.1")}, "198.51.100.1"},
		{"a Unix socket", "X-Forwarded-For", "@", []header{with("X-Forwarded-For", "203.0.113.9, 198.51.100.1")}, "198.51.100.1"},
		{"a Unix socket, no header", "X-Forwarded-For", "@", nil, "invalid IP"},
		{"not trusted", "X-Real-IP", "192.0.2.7:5000", []header{with("X-Real-Ip", "198.51.100.1")}, "192.0.2.7"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newShop(t, func(o *shopapi.Options) {
				o.TrustedProxies, o.ProxyHeader = prefixes("10.0.0.0/8"), test.header
			})
			s.do("GET", "/api/aisles", "", append(test.sent, from(test.remote))...).want(200)
			if got := s.aisles.saw.Remote.String(); got != test.want {
				t.Errorf("client %s, want %s", got, test.want)
			}
		})
	}
	if err := (&shopapi.Options{ProxyHeader: "X Real"}).Validate(); err == nil {
		t.Error("a header that is none was accepted")
	}
}

// A header of a proxy is read from its end, and no further than addresses go.
func TestTrustedProxies_LongHeadersCostNothing(t *testing.T) {
	api := shopapi.New(&shopapi.Options{TrustedProxies: prefixes("10.0.0.0/8")})
	r := httptest.NewRequest("GET", "/", nil)
	r.RemoteAddr = "10.0.0.1:80"
	for _, header := range []string{strings.Repeat("10.0.0.2,", 1<<17), strings.Repeat(",", 1<<20), strings.Repeat("x", 1<<20)} {
		r.Header.Set("X-Forwarded-For", header)
		if n := testing.AllocsPerRun(10, func() { api.ClientAddress(r) }); n > 100 {
			t.Errorf("%v allocations for %.20s…", n, header)
		}
	}
}

// §10: the client's address behind proxies.
func TestTrustedProxies(t *testing.T) {
	const proxy = "10.0.0.1:80"
	for _, test := range []struct {
		name    string
		remote  string
		headers []header
		want    string
	}{
		{"direct", "192.0.2.7:5000", nil, "192.0.2.7"},
		{"direct IPv6", "[2001:db8::7]:5000", nil, "2001:db8::7"},
		{"mapped IPv4", "[::ffff:192.0.2.7]:5000", nil, "192.0.2.7"},
		{"zone", "[fe80::1%eth0]:5000", nil, "fe80::1"},
		{"not trusted", "192.0.2.7:5000", []header{with("X-Forwarded-For", "198.51.100.1"), with("Forwarded", "for=198.51.100.1")}, "192.0.2.7"},
		{"X-Forwarded-For", proxy, []header{with("X-Forwarded-For", "198.51.100.1")}, "198.51.100.1"},
		{"the last that is no proxy", proxy, []header{with("X-Forwarded-For", "203.0.113.9, 198.51.100.1, 10.0.0.2")}, "198.51.100.1"},
		{"several headers", proxy, []header{with("X-Forwarded-For", "203.0.113.9"), with("X-Forwarded-For", "198.51.100.1")}, "198.51.100.1"},
		{"proxies alone", proxy, []header{with("X-Forwarded-For", "10.0.0.3, 10.0.0.2")}, "10.0.0.3"},
		{"with port", proxy, []header{with("X-Forwarded-For", "198.51.100.1:4711")}, "198.51.100.1"},
		{"no address", proxy, []header{with("X-Forwarded-For", "198.51.100.1, unknown")}, "10.0.0.1"},
		{"empty", proxy, []header{with("X-Forwarded-For", " , ")}, "10.0.0.1"},
		{"a made-up Forwarded passed on", proxy, []header{with("Forwarded", "for=203.0.113.9"), with("X-Forwarded-For", "198.51.100.1")}, "198.51.100.1"},
		{"a made-up Forwarded alone", proxy, []header{with("Forwarded", "for=203.0.113.9")}, "10.0.0.1"},
		{"no address known", "@", []header{with("X-Forwarded-For", "198.51.100.1")}, "invalid IP"},
		{"a megabyte", proxy, []header{with("X-Forwarded-For", strings.Repeat("9", 1<<20))}, "10.0.0.1"},
		{"a megabyte of hops", proxy, []header{with("X-Forwarded-For", strings.Repeat("203.0.113.9,", 1<<16)+"198.51.100.1")}, "198.51.100.1"},
		{"too many proxies", proxy, []header{with("X-Forwarded-For", "203.0.113.9"+strings.Repeat(",10.0.0.9", 40))}, "10.0.0.9"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newShop(t, func(o *shopapi.Options) { o.TrustedProxies = prefixes("10.0.0.0/8") })
			s.do("GET", "/api/aisles", "", append(test.headers, from(test.remote))...).want(200)
			if got := s.aisles.saw.Remote.String(); got != test.want {
				t.Errorf("client %s, want %s", got, test.want)
			}
		})
	}
}

func TestMatch(t *testing.T) {
	s := newShop(t)
	for _, c := range []struct {
		method, address string
		want            shopapi.Route
		ok              bool
	}{
		{"GET", "/api/2.0/aisles", shopapi.Route{Entity: "aisles", Operation: shopapi.OpList}, true},
		{"HEAD", "/api/aisles/", shopapi.Route{Entity: "aisles", Operation: shopapi.OpList}, true},
		{"GET", "/api.php?_d=2.0/aisles/1", shopapi.Route{Entity: "aisles", Operation: shopapi.OpGet}, true},
		{"POST", "/api/aisles", shopapi.Route{Entity: "aisles", Operation: shopapi.OpCreate}, true},
		{"PUT", "/api/aisles/1/shelves/2", shopapi.Route{Entity: "shelves", Operation: shopapi.OpUpdate, Parents: []string{"aisles"}}, true},
		{"DELETE", "/api/aisles/1/shelves/2/labels/3", shopapi.Route{Entity: "labels", Operation: shopapi.OpDelete, Parents: []string{"aisles", "shelves"}}, true},
		{"PATCH", "/api/aisles/1", shopapi.Route{Entity: "aisles"}, true},
		{"PUT", "/api/aisles", shopapi.Route{Entity: "aisles"}, true},
		{"GET", "/api/nothing", shopapi.Route{}, false},
		{"GET", "/api/aisles/1/nothing", shopapi.Route{}, false},
		{"GET", "/api/9.0/aisles", shopapi.Route{}, false},
		{"GET", "/api/", shopapi.Route{}, false},
		{"GET", "/aisles", shopapi.Route{}, false},
	} {
		got, ok := s.Match(httptest.NewRequest(c.method, c.address, nil))
		if diff := cmp.Diff(c.want, got, cmpopts.EquateEmpty()); diff != "" || ok != c.ok {
			t.Errorf("%s %s: %v, want %v (-want +got):\n%s", c.method, c.address, ok, c.ok, diff)
		}
	}
	if len(s.trace) > 0 {
		t.Errorf("operations ran: %q", s.trace)
	}
}

// Go code that asks gets the answer that a request would.
func TestAuthorize(t *testing.T) {
	s := newShop(t)
	guardedShelves := guarded{newThings("guarded", &s.trace)}
	if err := s.Register(guardedShelves); err != nil {
		t.Fatal(err)
	}
	clerk := &shopapi.User{ID: 2, Type: shopapi.Administrator, Privileges: map[string]bool{"view_aisles": true, "manage_shelves": true}}
	vendor := &shopapi.User{ID: 3, Type: shopapi.Vendor, Privileges: map[string]bool{"view_guarded": true}}
	root := &shopapi.User{ID: 1, Type: shopapi.Administrator, Root: true}
	for _, c := range []struct {
		name    string
		user    *shopapi.User
		entity  string
		op      shopapi.Operation
		parents []string
		status  int // 0: allowed
		message string
	}{
		{"a privilege that is there", clerk, "aisles", shopapi.OpGet, nil, 0, ""},
		{"one that is not", clerk, "aisles", shopapi.OpDelete, nil, 403, "Your user groups do not have the privilege manage_aisles."},
		{"below a parent", clerk, "shelves", shopapi.OpUpdate, []string{"aisles"}, 0, ""},
		{"a parent that may not be read", clerk, "labels", shopapi.OpList, []string{"aisles", "shelves"}, 403, "Your user groups do not have the privilege view_shelves."},
		{"root", root, "labels", shopapi.OpList, []string{"aisles", "shelves"}, 0, ""},
		{"the host's own code", nil, "aisles", shopapi.OpDelete, nil, 0, ""},
		{"the entity's own rule", vendor, "guarded", shopapi.OpList, nil, 403, "Vendors cannot list here."},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := s.Authorize(shopapi.WithUser(t.Context(), c.user), c.entity, c.op, c.parents...)
			var e *shopapi.Error
			switch {
			case c.status == 0 && err != nil:
				t.Errorf("got %v", err)
			case c.status != 0 && (!errors.As(err, &e) || e.Status != c.status || e.Message != c.message):
				t.Errorf("got %#v, want %d %s", err, c.status, c.message)
			}
		})
	}
	for name, err := range map[string]error{
		"no such entity":             s.Authorize(context.Background(), "nothing", shopapi.OpList),
		"not a child of this entity": s.Authorize(shopapi.WithUser(t.Context(), root), "aisles", shopapi.OpList, "labels"),
	} {
		if !errors.Is(err, shopapi.ErrNotRegistered) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	var e *shopapi.Error
	if err := s.Authorize(context.Background(), "aisles", "buy"); !errors.As(err, &e) || e.Status != 405 {
		t.Errorf("an operation that there is not: got %v", err)
	}
}

// acting are things that have actions too.
type acting struct{ *things }

func (e acting) Describe() shopapi.Description {
	d := e.Description
	d.Name, d.Parents = "boxes", []string{"aisles"}
	d.Privileges = shopapi.Privileges{View: "view_boxes", Manage: "manage_boxes"}
	d.Actions = []shopapi.Action{{Name: "open_box", Summary: "Opens it."}, {Name: "count_things"}}
	return d
}

func (e acting) Act(_ context.Context, r *shopapi.Request, action, id string) (shopapi.Reply, error) {
	if err := e.note(action, id, r); err != nil {
		return shopapi.Reply{}, err
	}
	row, err := e.row(id)
	if err != nil {
		return shopapi.Reply{}, err
	}
	if action == "open_box" {
		return shopapi.Reply{ID: id}, nil
	}
	return shopapi.Reply{More: shopapi.Map{{Name: "count", Value: row.Count}, {Name: "unit", Value: r.Payload.Has("unit")}}}, nil
}

// newActingShop is newShop with boxes, which have actions.
func newActingShop(t *testing.T, change ...func(*shopapi.Options)) *shop {
	t.Helper()
	s := newShop(t, change...)
	if err := s.Register(acting{newThings("boxes", &s.trace)}); err != nil {
		t.Fatal(err)
	}
	return s
}

// An action is POST on its name below an object, in every form of address, with or
// without a payload (§1, §4).
func TestActions(t *testing.T) {
	s := newActingShop(t)
	for _, address := range []string{
		"/api/2.0/boxes/2/open_box", "/api/boxes/2/open_box", "/api/boxes/2/open_box/", "/api/2/boxes/2/%6fpen_box",
		"/api.php?_d=boxes/2/open_box", "/api.php?_d=2.0/boxes/2/open_box&ajax_custom=1",
	} {
		for _, body := range []string{"", "{}", "a=b"} {
			s.do("POST", address, body, bodyType(body)).want(201).is(`{"thing_id":"2"}`)
		}
	}
	s.do("POST", "/api/aisles/1/boxes/2/open_box", "").want(201).is(`{"thing_id":"2"}`)
	if diff := cmp.Diff([]string{"get aisles 1", "open_box boxes 2"}, s.trace[len(s.trace)-2:]); diff != "" {
		t.Error(diff)
	}
	s.do("POST", "/api/boxes/3/count_things", `{"unit":"kg"}`, asJSON).want(201).is(`{"count":30,"unit":true}`)
	s.do("POST", "/api/boxes/3/count_things", "", with("Accept", "text/plain")).want(201).is("count=30&unit=false")
}

func bodyType(body string) header {
	if strings.HasPrefix(body, "{") {
		return asJSON
	}
	return with("Content-Type", "text/plain")
}

// The checks of an action come in their order (§2).
func TestActions_Checks(t *testing.T) {
	s := newActingShop(t)
	clerk := as("clerk@example.com", "key")
	s.clerk["view_boxes"] = true
	for _, address := range []string{"/api/2.0/boxes/2/open_box", "/api/boxes/2/open_box", "/api.php?_d=boxes/2/open_box", "/api/aisles/1/boxes/2/open_box"} {
		for _, method := range []string{"GET", "HEAD", "PUT", "DELETE", "PATCH"} {
			s.do(method, address, "a=b").want(405).has("Allow", "POST")
		}
		s.do("GET", address, "").contains("open_box")
		s.do("POST", address, "", anonymous).want(401)
		s.do("POST", address, "", with("Accept", "image/png")).want(406)
		s.do("POST", address, "", clerk).want(403)
		s.do("POST", address, "{", asJSON).want(400)
		s.do("POST", address, "<a/>", with("Content-Type", "text/xml")).want(415)
	}
	for _, address := range []string{
		"/api/boxes/2/close_box", "/api/boxes/open_box", "/api/boxes/2/open_box/3", "/api/boxes/2/open_box/count_things",
		"/api/aisles/1/open_box", "/api/open_box/1", "/api/aisles/1/shelves/2/labels/3/open_box",
	} {
		s.do("POST", address, "").want(map[bool]int{true: 405, false: 404}[address == "/api/boxes/open_box"])
	}
	if s.trace != nil {
		t.Errorf("operations ran: %q", s.trace)
	}
	s.do("POST", "/api/boxes/9/open_box", "").want(404)
	s.do("POST", "/api/aisles/9/boxes/2/open_box", "").want(404)
	s.clerk["manage_boxes"] = true
	s.do("POST", "/api/boxes/2/open_box", "", clerk).want(201)
	s.do("POST", "/api/aisles/1/boxes/2/open_box", "", clerk).want(403).contains("view_aisles")
}

// An entity may not have a child and an action of one name: the address would mean
// both. Elsewhere an entity may have the name of an action.
func TestActions_ChildOfTheSameName(t *testing.T) {
	p := shopapi.Privileges{View: "v", Manage: "m"}
	s := newActingShop(t)
	if err := s.Register(getter{described{Name: "open_box", Privileges: p, Parents: []string{"shelves"}}}); err != nil {
		t.Fatal(err)
	}
	s.do("POST", "/api/boxes/2/open_box", "").want(201)
	s.do("GET", "/api/open_box/2", "").want(200)

	s = newActingShop(t)
	if err := s.RegisterUnder("boxes", getter{described{Name: "open_box", Privileges: p}}); err != nil {
		t.Fatal(err)
	}
	if err := s.Check(); err == nil || !strings.Contains(err.Error(), "open_box under boxes") {
		t.Errorf("Check: %v", err)
	}
	s.do("POST", "/api/boxes/2/open_box", "").want(500)
}

// Registering an entity with invalid actions fails.
func TestRegister_Actions(t *testing.T) {
	p := shopapi.Privileges{View: "v", Manage: "m"}
	describe := func(d shopapi.Description) shopapi.Entity { return actor{described(d)} }
	for _, c := range []struct {
		entity shopapi.Entity
		want   string
	}{
		{describe(shopapi.Description{Name: "pages", Privileges: p, IDField: "id", Actions: []shopapi.Action{{Name: "a"}}}), ""},
		{describe(shopapi.Description{Name: "pages", Privileges: p, IDField: "id"}), "no capability"},
		{describe(shopapi.Description{Name: "pages", Privileges: p, Actions: []shopapi.Action{{Name: "a"}}}), "no IDField"},
		{describe(shopapi.Description{Name: "pages", IDField: "id", Actions: []shopapi.Action{{Name: "a"}}}), "privilege Manage"},
		{describe(shopapi.Description{Name: "pages", Privileges: p, IDField: "id", Actions: []shopapi.Action{{Name: "a"}, {Name: "a"}}}), "repeated"},
		{describe(shopapi.Description{Name: "pages", Privileges: p, IDField: "id", Actions: []shopapi.Action{{Name: "A"}}}), "not a valid name"},
		{getter{described{Name: "pages", Privileges: p, IDField: "id", Actions: []shopapi.Action{{Name: "a"}}}}, "no Actor"},
	} {
		err := newShop(t).Register(c.entity)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%+v: error %v, want %q", c.entity, err, c.want)
		}
	}
}

type actor struct{ described }

func (actor) Act(context.Context, *shopapi.Request, string, string) (shopapi.Reply, error) {
	return shopapi.Reply{}, nil
}

// The route of an action names it, its description lists it, and its privilege is
// that of changes.
func TestActions_Route(t *testing.T) {
	s := newActingShop(t)
	got, ok := s.Match(httptest.NewRequest("POST", "/api/aisles/1/boxes/2/open_box", nil))
	want := shopapi.Route{Entity: "boxes", Operation: shopapi.OpAction, Action: "open_box", Parents: []string{"aisles"}}
	if diff := cmp.Diff(want, got); diff != "" || !ok {
		t.Errorf("Match (-want +got):\n%s", diff)
	}
	clerk := shopapi.WithUser(t.Context(), &shopapi.User{ID: 2, Privileges: map[string]bool{"view_boxes": true}})
	if err := s.Authorize(clerk, "boxes", shopapi.OpAction); err == nil || !strings.Contains(err.Error(), "manage_boxes") {
		t.Errorf("Authorize: %v", err)
	}
	if err := s.Authorize(clerk, "aisles", shopapi.OpAction); err == nil || !strings.Contains(err.Error(), "does not have the operation") {
		t.Errorf("Authorize without actions: %v", err)
	}
	for _, d := range s.Descriptions() {
		if d.Name == "boxes" && (len(d.Actions) != 2 || d.Actions[0].Summary != "Opens it.") {
			t.Errorf("described actions: %+v", d.Actions)
		}
	}
}

// An action is an update of its object to the observer, once, unless the entity
// reported what it changed.
func TestActions_Events(t *testing.T) {
	var events []string
	s := newActingShop(t, func(o *shopapi.Options) {
		o.Observer = func(_ context.Context, e shopapi.Event) {
			events = append(events, string(e.Operation)+" "+e.Entity+" "+e.ID)
		}
	})
	s.do("POST", "/api/boxes/2/count_things", "").want(201)
	s.do("POST", "/api/boxes/9/count_things", "").want(404)
	if err := s.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"update boxes 2"}, events); diff != "" {
		t.Error(diff)
	}
}
