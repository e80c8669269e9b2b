package shopapi_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

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

// §5: what is no valid identifier is 404, on every method.
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
