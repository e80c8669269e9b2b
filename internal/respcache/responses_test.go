package respcache_test

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/shopapi/shopapi/internal/respcache"
	"github.com/shopapi/shopapi/store/driver"
)

// A packedText is a packed response of the tests. It takes a hundredth of the size.
type packedText string

var unpacked atomic.Int64 // how many times a response was unpacked

func pack(text string) respcache.Packed[string] { return packedText("packed " + text) }

func (p packedText) Unpack() (string, bool) {
	unpacked.Add(1)
	text, ok := strings.CutPrefix(string(p), "packed ")
	return text, ok && text != "damaged"
}

func (p packedText) Size() int64 { return int64(len(p) / 100) }

// TestGet_Packed: responses that others displaced from the first tier are packed, and are
// unpacked when they are asked for again, unless what they were read from has changed.
func TestGet_Packed(t *testing.T) {
	const n = 200
	s := newSite(t, 400_000) // for 70 responses as they are
	address := func(i int) string { return fmt.Sprint("/pages?n=", i) }
	text := func(i int) string { return fmt.Sprint(i, strings.Repeat("x", 5000)) }
	for i := range n {
		s.put(request("GET", address(i)), respcache.UserKey{}, "", text(i))
	}
	for range 2 {
		for i := range n {
			if value, ok, _ := s.Get(t.Context(), request("GET", address(i)), respcache.UserKey{}, ""); !ok || value != text(i) {
				t.Fatalf("response %d is %.10q, %v", i, value, ok)
			}
		}
	}
	before := unpacked.Load()
	for range 5 {
		s.Get(t.Context(), request("GET", address(0)), respcache.UserKey{}, "")
	}
	if n := unpacked.Load() - before; n != 1 {
		t.Errorf("a response that was asked for five times was unpacked %d times, want once", n)
	}
	s.put(request("GET", address(0)), respcache.UserKey{}, "", "a new response")
	for i := range n {
		s.Get(t.Context(), request("GET", address(i)), respcache.UserKey{}, "")
	}
	if value, ok, _ := s.Get(t.Context(), request("GET", address(0)), respcache.UserKey{}, ""); !ok || value != "a new response" {
		t.Errorf("a response that was replaced is %.10q, %v", value, ok)
	}
	s.change()
	for i := range n {
		if value, ok, _ := s.Get(t.Context(), request("GET", address(i)), respcache.UserKey{}, ""); ok {
			t.Fatalf("response %d is %.10q after a change", i, value)
		}
	}
}

// TestPut_PackedSize: three quarters of the bytes for responses are for packed ones. Each takes
// its own size, the size of its read set, and 112 bytes.
func TestPut_PackedSize(t *testing.T) {
	const bytes, text = 400_000, 5000
	s := newSite(t, bytes)
	address := func(i int) string { return fmt.Sprint("/pages?n=", i) }
	for i := range 3000 {
		s.put(request("GET", address(i)), respcache.UserKey{}, "", strings.Repeat("x", text))
	}
	var reads driver.ReadSet
	s.read(driver.WithReadSet(t.Context(), &reads))
	packed := bytes * 7 / 8 * 3 / 4 / (text/100 + int(reads.Size()) + 112)
	ready := bytes * 7 / 8 / 4 / text
	hits := 0
	for i := 2999; i >= 0; i-- {
		if _, ok, _ := s.Get(t.Context(), request("GET", address(i)), respcache.UserKey{}, ""); ok {
			hits++
		}
	}
	if hits < packed-ready || hits > packed+ready {
		t.Errorf("%d responses are cached, want %d to %d", hits, packed-ready, packed+ready)
	}
}

// TestKeyOf: texts that are divided in another way have another key.
func TestKeyOf(t *testing.T) {
	if respcache.KeyOf("a", "bc") == respcache.KeyOf("ab", "c") || respcache.KeyOf("a") == respcache.KeyOf("a", "") {
		t.Error("different attributes have the same key")
	}
}

// TestGet_NotUnpacked: a response that cannot be unpacked is made anew.
func TestGet_NotUnpacked(t *testing.T) {
	s := newSite(t, 100_000)
	s.put(request("GET", "/pages?n=0"), respcache.UserKey{}, "", "damaged")
	for i := range 100 {
		s.put(request("GET", fmt.Sprint("/pages?n=", i+1)), respcache.UserKey{}, "", strings.Repeat("x", 1000))
	}
	if value, ok, _ := s.Get(t.Context(), request("GET", "/pages?n=0"), respcache.UserKey{}, ""); ok {
		t.Errorf("the response is %q", value)
	}
	if _, ok, _ := s.Get(t.Context(), request("GET", "/pages?n=1"), respcache.UserKey{}, ""); !ok {
		t.Error("a packed response is gone")
	}
}

// TestGetOrRenew_Packed: over a store that has to be asked, one request makes a packed response
// anew after a change.
func TestGetOrRenew_Packed(t *testing.T) {
	s, st := newAskedSite(t)
	address := func(i int) string { return fmt.Sprint("/pages?n=", i) }
	for i := range 1000 {
		s.put(request("GET", address(i)), respcache.UserKey{}, "", strings.Repeat("x", 1000))
	}
	if value, ok, renewal := s.Get(t.Context(), request("GET", address(0)), respcache.UserKey{}, ""); !ok || len(value) != 1000 || renewal != nil {
		t.Fatalf("the response is %.10q, %v, renewed: %v", value, ok, renewal != nil)
	}
	st.Change(pages.Schema())
	_, ok, renewal := s.Get(t.Context(), request("GET", address(1)), respcache.UserKey{}, "")
	if ok || renewal == nil {
		t.Fatalf("after a change: %v, renewed: %v", ok, renewal != nil)
	}
	renewal.End()
}
