// Package publicaddr decides to which addresses a program connects on behalf of its users:
// to public ones alone, so that no user reaches the network that the program runs in.
package publicaddr

import (
	"errors"
	"fmt"
	"net/netip"
	"syscall"
)

// ErrRefused is the error of an address that is not public.
var ErrRefused = errors.New("it is not a public address")

// A Policy is which addresses are allowed. The zero value allows public ones.
type Policy struct {
	Allow []netip.Prefix // also these
}

// Control is a [net.Dialer.Control]: it runs for each connection, on the resolved address.
func (p Policy) Control(_, address string, _ syscall.RawConn) error {
	to, err := netip.ParseAddrPort(address)
	if err != nil {
		return err
	}
	return p.Check(to.Addr())
}

// Check returns an error that is [ErrRefused] for an address that is neither public nor
// allowed. IPv4 that is embedded in IPv6 is judged as IPv4.
func (p Policy) Check(addr netip.Addr) error {
	for _, a := range append(embedded(addr), addr) {
		if !p.allows(a.Unmap().WithZone("")) {
			return fmt.Errorf("%s: %w", addr, ErrRefused)
		}
	}
	return nil
}

func (p Policy) allows(addr netip.Addr) bool {
	for _, network := range p.Allow {
		if network.Contains(addr) {
			return true
		}
	}
	if isTranslated(addr) {
		return true // the embedded address decides
	}
	return isPublic(addr)
}

// isPublic reports whether the special-purpose registries of the IANA call an address
// globally reachable. Multicast is not, nor is IPv6 that is not given out.
func isPublic(addr netip.Addr) bool {
	if !addr.IsValid() || addr.IsMulticast() || addr.IsUnspecified() || addr.Is6() && !givenOut.Contains(addr) {
		return false
	}
	return contains(reachable, addr) || !contains(special, addr)
}

func contains(networks []netip.Prefix, addr netip.Addr) bool {
	for _, network := range networks {
		if network.Contains(addr) {
			return true
		}
	}
	return false
}

func prefixes(list ...string) []netip.Prefix {
	networks := make([]netip.Prefix, len(list))
	for i, text := range list {
		networks[i] = netip.MustParsePrefix(text)
	}
	return networks
}

var (
	givenOut = netip.MustParsePrefix("2000::/3") // the unicast addresses of IPv6 that are given out

	// special are the networks of the registries of special-purpose addresses (RFC 6890)
	// that are not globally reachable.
	special = prefixes(
		"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
		"192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
		"240.0.0.0/4",
		"2001::/23", "2001:db8::/32", "3fff::/20",
	)

	// reachable are networks within these that are globally reachable.
	reachable = prefixes(
		"192.0.0.9/32", "192.0.0.10/32",
		"2001:1::1/128", "2001:1::2/128", "2001:1::3/128", "2001:3::/32", "2001:4:112::/48", "2001:20::/28", "2001:30::/28",
	)

	nat64  = netip.MustParsePrefix("64:ff9b::/96")
	sixTo4 = netip.MustParsePrefix("2002::/16")
	teredo = netip.MustParsePrefix("2001::/32")
)

func isTranslated(addr netip.Addr) bool {
	return nat64.Contains(addr) || sixTo4.Contains(addr) || teredo.Contains(addr)
}

// embedded returns the addresses of IPv4 that an address of IPv6 leads to.
func embedded(addr netip.Addr) []netip.Addr {
	b := addr.As16()
	addr = addr.WithZone("")
	switch {
	case nat64.Contains(addr):
		return []netip.Addr{netip.AddrFrom4([4]byte(b[12:16]))}
	case sixTo4.Contains(addr):
		return []netip.Addr{netip.AddrFrom4([4]byte(b[2:6]))}
	case teredo.Contains(addr): // the server, and the client with its bits inverted
		return []netip.Addr{netip.AddrFrom4([4]byte(b[4:8])), netip.AddrFrom4([4]byte{^b[12], ^b[13], ^b[14], ^b[15]})}
	}
	return nil
}
