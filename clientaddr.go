package shopapi

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"net/netip"
	"strings"
)

// ClientAddress returns the address of the client that sent a request (§10): that of
// the connection or, when it comes from a trusted proxy, the last address in
// [Options.ProxyHeader] that is no trusted proxy. It is the zero Addr when the server
// told none.
func (a *API) ClientAddress(req *http.Request) netip.Addr {
	addr, _ := a.clientOf(req)
	return addr
}

// clientOf returns the address of the client, and whether many clients may have it:
// where it is that of a proxy, since what the proxy wrote tells no client, or since
// nobody named the proxy.
func (a *API) clientOf(req *http.Request) (addr netip.Addr, shared bool) {
	addr = parseHost(req.RemoteAddr)
	if !a.trusted(addr) {
		return addr, a.unnamedProxy(addr, req)
	}
	seen := 0
	for hop := range hopsOf(req.Header, cmp.Or(a.opts.ProxyHeader, defaultProxyHeader)) {
		next := parseHost(hop)
		if seen++; !next.IsValid() || seen > maxHops {
			return addr, true
		}
		if addr = next; !a.trusted(next) {
			return addr, false
		}
	}
	return addr, seen == 0
}

const (
	defaultProxyHeader = "X-Forwarded-For"

	maxHops      = 32  // proxies that are looked through
	maxElements  = 128 // of a header, those without an address included
	maxHopLength = 256 // bytes
)

// trusted reports whether an address is that of a trusted proxy. What comes over a
// Unix socket has none, and is one where the host names the header that counts.
func (a *API) trusted(addr netip.Addr) bool {
	if !addr.IsValid() {
		return a.opts.ProxyHeader != ""
	}
	for _, p := range a.opts.TrustedProxies {
		if p.Contains(addr) {
			return true
		}
	}
	return false
}

// unnamedProxy reports whether a request seems to come through a proxy that the host
// did not name: one of this machine or network, which writes the headers of proxies.
// Others may write them too, who are then one client each.
func (a *API) unnamedProxy(addr netip.Addr, req *http.Request) bool {
	if !addr.IsLoopback() && !addr.IsPrivate() && !addr.IsLinkLocalUnicast() {
		return false
	}
	h := req.Header
	if h["X-Forwarded-For"] == nil && h["Forwarded"] == nil && h["X-Real-Ip"] == nil && h["Via"] == nil {
		return false
	}
	a.warnOfProxy.Do(func() {
		a.opts.Logger.LogAttrs(context.WithoutCancel(req.Context()), slog.LevelWarn,
			"requests seem to come through a proxy that Options.TrustedProxies does not name: its clients share one limit of wrong credentials",
			slog.String("address", addr.String()))
	})
	return true
}

// hopsOf iterates over the addresses that proxies wrote into a header, the nearest
// first. A text that is too long to be an address ends them.
func hopsOf(h http.Header, header string) func(yield func(string) bool) {
	find := strings.TrimSpace
	if http.CanonicalHeaderKey(header) == "Forwarded" {
		find = forwardedFor
	}
	return func(yield func(string) bool) {
		values, elements := h.Values(header), 0
		for i := len(values) - 1; i >= 0; i-- {
			for rest, more := values[i], true; more; {
				if elements++; elements > maxElements {
					return
				}
				var hop string
				rest, hop, more = cutLast(rest)
				if hop = find(hop); hop != "" && !yield(hop) {
					return
				}
			}
		}
	}
}

// cutLast cuts off what stands behind the last comma, looking at no more than an
// address can have: a header may be a megabyte.
func cutLast(list string) (rest, last string, more bool) {
	from := max(0, len(list)-maxHopLength)
	i := strings.LastIndexByte(list[from:], ',')
	switch {
	case i >= 0:
		return list[:from+i], list[from+i+1:], true
	case from > 0:
		return "", tooLongHop, false
	}
	return "", list, false
}

// tooLongHop stands for what is too long to be an address.
const tooLongHop = "for=too-long"

// forwardedFor is the client in an element of a Forwarded header (RFC 7239), "" where
// there is none.
func forwardedFor(element string) string {
	for parameter := range strings.SplitSeq(element, ";") {
		name, value, _ := strings.Cut(strings.TrimSpace(parameter), "=")
		if strings.EqualFold(name, "for") {
			return strings.Trim(value, `"`)
		}
	}
	return ""
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
