package publicaddr_test

import (
	"errors"
	"net"
	"net/netip"
	"testing"
	"time"

	"github.com/shopapi/shopapi/internal/publicaddr"
)

func TestCheck(t *testing.T) {
	t.Parallel()
	for address, public := range map[string]bool{
		"8.8.8.8": true, "192.0.0.9": true, "192.31.196.1": true, "2606:4700::1": true, "2001:4860:4860::8888": true,
		"2001:20::1": true, "64:ff9b::808:808": true, "2002:808:808::1": true, "::ffff:8.8.8.8": true,
		"2001:0:808:808::f7f7:f7f7": true, // Teredo from 8.8.8.8

		"0.0.0.0": false, "0.1.2.3": false, "10.1.2.3": false, "100.64.0.1": false, "127.0.0.1": false, "169.254.169.254": false,
		"172.31.255.255": false, "192.0.0.8": false, "192.0.2.1": false, "192.88.99.1": false, "192.168.1.1": false, "198.19.0.1": false,
		"198.51.100.7": false, "203.0.113.7": false, "224.0.0.1": false, "239.1.1.1": false, "240.0.0.1": false, "255.255.255.255": false,
		"::": false, "::1": false, "::ffff:127.0.0.1": false, "::ffff:169.254.169.254": false, "::127.0.0.1": false,
		"fe80::1": false, "fe80::1%eth0": false, "fc00::1": false, "fd12::1": false, "ff02::1": false, "100::1": false, "5f00::1": false,
		"2001::1": false, "2001:2::1": false, "2001:10::1": false, "2001:db8::1": false, "3fff::1": false, "4000::1": false,
		"64:ff9b::7f00:1": false, "64:ff9b::a9fe:a9fe": false, "64:ff9b:1::1": false, "2002:7f00:1::1": false, "2002:a00:1::1": false,
		"2001:0:a00:1::f7f7:f7f7": false, "2001:0:808:808::f5ff:fffe": false, // Teredo by a private server, and from 10.0.0.1
	} {
		err := publicaddr.Policy{}.Check(netip.MustParseAddr(address))
		if (err == nil) != public || err != nil && !errors.Is(err, publicaddr.ErrRefused) {
			t.Errorf("%s: %v, want public %v", address, err, public)
		}
	}
}

func TestCheck_Allow(t *testing.T) {
	t.Parallel()
	p := publicaddr.Policy{Allow: []netip.Prefix{netip.MustParsePrefix("10.1.0.0/16"), netip.MustParsePrefix("::1/128")}}
	for address, allowed := range map[string]bool{
		"10.1.2.3": true, "::ffff:10.1.2.3": true, "64:ff9b::a01:203": true, "::1": true, "8.8.8.8": true,
		"10.2.0.1": false, "127.0.0.1": false, "::ffff:10.2.0.1": false, "::2": false,
	} {
		if err := p.Check(netip.MustParseAddr(address)); (err == nil) != allowed {
			t.Errorf("%s: %v, want allowed %v", address, err, allowed)
		}
	}
}

// The dialer asks for each resolved address, and nothing connects to a refused one.
func TestControl(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	d := net.Dialer{Control: publicaddr.Policy{}.Control, Timeout: 5 * time.Second}
	for _, host := range []string{"127.0.0.1", "localhost", "::ffff:127.0.0.1"} {
		if conn, err := d.DialContext(t.Context(), "tcp", net.JoinHostPort(host, port)); !errors.Is(err, publicaddr.ErrRefused) {
			t.Errorf("%s: %v, %v", host, conn, err)
		}
	}
	d.Control = publicaddr.Policy{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}.Control
	conn, err := d.DialContext(t.Context(), "tcp", net.JoinHostPort("127.0.0.1", port))
	if err != nil {
		t.Fatal(err)
	}
	conn.Close()
}
