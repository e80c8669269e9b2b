// Package clientaddr finds the address of the client behind proxies (§10).
package clientaddr

import (
	"cmp"
	"net/http"
	"net/netip"
	"strings"
)

// Proxies are the proxies that the host trusts.
type Proxies struct {
	Trusted []netip.Prefix
	Header  string // the header in which they write the client's address; "" for X-Forwarded-For
}

// Client returns the address of the client that sent a request: that of the connection
// or, when it comes from a trusted proxy, the last address in the header that is not a
// trusted proxy. It is the zero Addr when the server does not know the address.
//
// shared means that the address is a trusted proxy's, whose header names no client: many
// clients may share it.
func (p *Proxies) Client(req *http.Request) (addr netip.Addr, shared bool) {
	addr = parseHost(req.RemoteAddr)
	if !p.Trusts(addr) {
		return addr, false
	}
	seen := 0
	for hop := range hopsOf(req.Header, cmp.Or(p.Header, defaultHeader)) {
		next := parseHost(hop)
		if seen++; !next.IsValid() || seen > maxHops {
			return addr, true
		}
		if addr = next; !p.Trusts(next) {
			return addr, false
		}
	}
	return addr, seen == 0
}

const (
	defaultHeader = "X-Forwarded-For"

	maxHops      = 32  // proxies that may be between the client and the server
	maxElements  = 128 // of a header, with those without an address
	maxHopLength = 256 // bytes
)

// Trusts reports whether an address is that of a trusted proxy. A connection over a
// Unix socket has no address, and is trusted where the host names the header.
func (p *Proxies) Trusts(addr netip.Addr) bool {
	if !addr.IsValid() {
		return p.Header != ""
	}
	for _, prefix := range p.Trusted {
		if prefix.Contains(addr) {
			return true
		}
	}
	return false
}

// Unnamed reports whether a request seems to come through a proxy that the host did
// not name: addr is of this machine or network, and the request has headers of
// proxies. Clients elsewhere can send these headers too: they count as one client each.
func (p *Proxies) Unnamed(addr netip.Addr, h http.Header) bool {
	if p.Trusts(addr) || !addr.IsLoopback() && !addr.IsPrivate() && !addr.IsLinkLocalUnicast() {
		return false
	}
	return h["X-Forwarded-For"] != nil || h["Forwarded"] != nil || h["X-Real-Ip"] != nil || h["Via"] != nil
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

// cutLast cuts off the last element of a list. It looks at no more bytes than an
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

// tooLongHop replaces an element that is too long to be an address.
const tooLongHop = "for=too-long"

// forwardedFor returns the client in an element of a Forwarded header (RFC 7239), "" if
// the element names none.
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
