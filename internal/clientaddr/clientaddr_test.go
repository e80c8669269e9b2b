package clientaddr_test

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"github.com/shopapi/shopapi/internal/clientaddr"
)

// TestClient: a header counts only on a connection of a trusted proxy, from its end.
func TestClient(t *testing.T) {
	trusted := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
	for _, test := range []struct {
		name    string
		proxies clientaddr.Proxies
		remote  string
		headers http.Header
		want    string
		shared  bool
	}{
		{"no proxy", clientaddr.Proxies{}, "192.0.2.1:99", nil, "192.0.2.1", false},
		{"a header of a client", clientaddr.Proxies{}, "192.0.2.1:99", http.Header{"X-Forwarded-For": {"198.51.100.7"}}, "192.0.2.1", false},
		{"one proxy", clientaddr.Proxies{Trusted: trusted}, "10.1.1.1:99", http.Header{"X-Forwarded-For": {"198.51.100.7"}}, "198.51.100.7", false},
		{"a forged hop before the client's", clientaddr.Proxies{Trusted: trusted}, "10.1.1.1:99", http.Header{"X-Forwarded-For": {"203.0.113.1, 198.51.100.7"}}, "198.51.100.7", false},
		{"two proxies", clientaddr.Proxies{Trusted: trusted}, "10.1.1.1:99", http.Header{"X-Forwarded-For": {"198.51.100.7, 10.2.2.2"}}, "198.51.100.7", false},
		{"two headers", clientaddr.Proxies{Trusted: trusted}, "10.1.1.1:99", http.Header{"X-Forwarded-For": {"198.51.100.7", "10.2.2.2"}}, "198.51.100.7", false},
		{"no header", clientaddr.Proxies{Trusted: trusted}, "10.1.1.1:99", nil, "10.1.1.1", true},
		{"no address in the header", clientaddr.Proxies{Trusted: trusted}, "10.1.1.1:99", http.Header{"X-Forwarded-For": {"unknown"}}, "10.1.1.1", true},
		{"another header", clientaddr.Proxies{Trusted: trusted, Header: "X-Real-Ip"}, "10.1.1.1:99", http.Header{"X-Real-Ip": {"198.51.100.7"}, "X-Forwarded-For": {"203.0.113.1"}}, "198.51.100.7", false},
		{"Forwarded", clientaddr.Proxies{Trusted: trusted, Header: "Forwarded"}, "10.1.1.1:99", http.Header{"Forwarded": {`proto=https;For="[2001:db8::7]:4711"`}}, "2001:db8::7", false},
		{"IPv4 in IPv6", clientaddr.Proxies{}, "[::ffff:192.0.2.1]:99", nil, "192.0.2.1", false},
		{"a zone", clientaddr.Proxies{}, "[fe80::1%eth0]:99", nil, "fe80::1", false},
		{"more hops than a way has", clientaddr.Proxies{Trusted: trusted}, "10.1.1.1:99", http.Header{"X-Forwarded-For": {"198.51.100.7" + strings.Repeat(", 10.2.2.2", 40)}}, "10.2.2.2", true},
		{"a hop that is too long", clientaddr.Proxies{Trusted: trusted}, "10.1.1.1:99", http.Header{"X-Forwarded-For": {"198.51.100.7," + strings.Repeat("x", 1<<20)}}, "10.1.1.1", true},
	} {
		t.Run(test.name, func(t *testing.T) {
			req := httptest.NewRequest("GET", "/", nil)
			req.RemoteAddr, req.Header = test.remote, test.headers
			if addr, shared := test.proxies.Client(req); addr.String() != test.want || shared != test.shared {
				t.Errorf("the client is %s, shared %v; want %s, %v", addr, shared, test.want, test.shared)
			}
		})
	}
}

// TestTrusts_UnixSocket: a connection without an address is a proxy's where the host names
// its header.
func TestTrusts_UnixSocket(t *testing.T) {
	for header, want := range map[string]bool{"": false, "X-Forwarded-For": true} {
		p := clientaddr.Proxies{Header: header}
		if got := p.Trusts(netip.Addr{}); got != want {
			t.Errorf("with the header %q: %v, want %v", header, got, want)
		}
	}
}

// TestUnnamed: headers of proxies count as a proxy's where they come from this network.
func TestUnnamed(t *testing.T) {
	p := clientaddr.Proxies{Trusted: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}}
	via, none := http.Header{"Via": {"1.1 proxy"}}, http.Header{}
	for _, test := range []struct {
		addr    string
		headers http.Header
		want    bool
	}{
		{"127.0.0.1", via, true}, {"192.168.1.4", via, true}, {"fe80::1", via, true},
		{"127.0.0.1", none, false}, {"192.0.2.1", via, false}, {"10.1.1.1", via, false},
	} {
		if got := p.Unnamed(netip.MustParseAddr(test.addr), test.headers); got != test.want {
			t.Errorf("%s with %v: %v, want %v", test.addr, test.headers, got, test.want)
		}
	}
}

// FuzzClient: whatever a proxy sends, the client has an address, and a shared address belongs
// to a trusted proxy.
func FuzzClient(f *testing.F) {
	f.Add("X-Forwarded-For", "198.51.100.7, 10.2.2.2")
	f.Add("Forwarded", `for="[2001:db8::7]:4711";proto=https,for=10.2.2.2`)
	f.Fuzz(func(t *testing.T, header, value string) {
		p := clientaddr.Proxies{Trusted: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}, Header: header}
		req := httptest.NewRequest("GET", "/", nil)
		req.RemoteAddr = "10.1.1.1:99"
		req.Header.Set(header, value)
		addr, shared := p.Client(req)
		switch {
		case !addr.IsValid():
			t.Errorf("the client of %q has no address", value)
		case shared && !p.Trusts(addr):
			t.Errorf("the client of %q is %s, which is shared and not a proxy", value, addr)
		}
	})
}
