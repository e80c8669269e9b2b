package shopapi

import (
	"net/http"
	"net/netip"
	"strings"
)

// ClientAddress returns the address of the client that sent a request (§10):
// that of the connection or, when it comes from a trusted proxy, the last
// address in the X-Forwarded-For or Forwarded headers that is no trusted proxy.
// It is the zero Addr when the server told none.
func (a *API) ClientAddress(req *http.Request) netip.Addr {
	addr := parseHost(req.RemoteAddr)
	if !a.trusted(addr) {
		return addr
	}
	hops := forwardedFor(req.Header)
	for i := len(hops) - 1; i >= 0; i-- {
		hop := parseHost(hops[i])
		if !hop.IsValid() {
			break
		}
		addr = hop
		if !a.trusted(hop) {
			break
		}
	}
	return addr
}

func (a *API) trusted(addr netip.Addr) bool {
	for _, p := range a.opts.TrustedProxies {
		if p.Contains(addr) {
			return true
		}
	}
	return false
}

// forwardedFor lists the hops that proxies wrote down, nearest last. The older
// header counts before that of RFC 7239: nearly every proxy writes it, and most
// pass on a Forwarded that the client made up.
func forwardedFor(h http.Header) []string {
	var hops []string
	for hop := range strings.SplitSeq(strings.Join(h.Values("X-Forwarded-For"), ","), ",") {
		if hop = strings.TrimSpace(hop); hop != "" {
			hops = append(hops, hop)
		}
	}
	if len(hops) > 0 {
		return hops
	}
	for element := range strings.SplitSeq(strings.Join(h.Values("Forwarded"), ","), ",") {
		for parameter := range strings.SplitSeq(element, ";") {
			name, value, _ := strings.Cut(strings.TrimSpace(parameter), "=")
			if strings.EqualFold(name, "for") {
				hops = append(hops, strings.Trim(value, `"`))
			}
		}
	}
	return hops
}

// parseHost reads an address with or without a port, brackets or a zone.
func parseHost(s string) netip.Addr {
	if ap, err := netip.ParseAddrPort(s); err == nil {
		return ap.Addr().Unmap().WithZone("")
	}
	addr, err := netip.ParseAddr(strings.Trim(s, "[]"))
	if err != nil {
		return netip.Addr{}
	}
	return addr.Unmap().WithZone("")
}
