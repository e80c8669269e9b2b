package respcache_test

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/shopapi/shopapi/internal/respcache"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver"
	"github.com/shopapi/shopapi/store/sqlite"
)

// A packer packs the letters x at the end of a text as their number. It packs no text that begins
// with "alone".
type packer struct{}

var unpacked atomic.Int64 // how many times a response was unpacked

func (packer) Pack(buffer []byte, text string) ([]byte, respcache.Unpacker[string], int64) {
	if strings.HasPrefix(text, "alone") {
		return buffer, &alone{text}, int64(len(text))
	}
	short := strings.TrimRight(text, "x")
	return fmt.Appendf(buffer, "packed %d %s", len(text)-len(short), short), packer{}, 0
}

func (packer) Unpack(packed []byte) (string, bool) {
	unpacked.Add(1)
	number, short, _ := strings.Cut(strings.TrimPrefix(string(packed), "packed "), " ")
	n, err := strconv.Atoi(number)
	return short + strings.Repeat("x", n), err == nil && short != "damaged"
}

// alone is a text that is not packed.
type alone struct{ text string }

func (a *alone) Unpack([]byte) (string, bool) { return a.text, true }

// TestGet_Packed: responses that others displaced from the first tier are packed, and are
// unpacked when they are asked for again, unless what they were read from has changed.
func TestGet_Packed(t *testing.T) {
	const n = 200
	s := newSite(t, 400_000) // for 70 responses as they are
	address := func(i int) string { return fmt.Sprint("/pages?n=", i) }
	text := func(i int) string {
		if i%7 == 0 {
			return fmt.Sprint("alone ", i)
		}
		return fmt.Sprint(i, strings.Repeat("x", 5000))
	}
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
		s.Get(t.Context(), request("GET", address(1)), respcache.UserKey{}, "")
	}
	if n := unpacked.Load() - before; n != 2 {
		t.Errorf("a response that was asked for five times was unpacked %d times, want twice", n)
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

// TestPut_PackedSize: two thirds of the bytes are for packed responses. Each takes its own size, 88
// bytes, and 1.5 times the size of its read set, which is in Go's heap.
func TestPut_PackedSize(t *testing.T) {
	const bytes, text = 600_000, 5000
	s := newSite(t, bytes*2/3)
	address := func(i int) string { return fmt.Sprint("/pages?n=", i) }
	for i := range 3000 {
		s.put(request("GET", address(i)), respcache.UserKey{}, "", strings.Repeat("x", text))
	}
	var reads driver.ReadSet
	s.read(driver.WithReadSet(t.Context(), &reads))
	packed := bytes * 63 / 96 / (len("packed 5000 ") + int(reads.Size())*3/2 + 88)
	ready := bytes * 7 / 48 / text
	hits := 0
	for i := 2999; i >= 0; i-- {
		if _, ok, _ := s.Get(t.Context(), request("GET", address(i)), respcache.UserKey{}, ""); ok {
			hits++
		}
	}
	if hits < packed*15/16 || hits > packed+ready {
		t.Errorf("%d responses are cached, want %d to %d", hits, packed*15/16, packed+ready)
	}
}

// TestGet_RowsPacked: the packed responses that were each read from one row are valid as long as that
// row is as it was, also if other rows change more often than the store remembers.
func TestGet_RowsPacked(t *testing.T) {
	const n = 500
	st, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "pages.db"), nil)
	if err != nil {
		t.Fatal(err)
	}
	s := newSiteOver(t, st, 400_000)
	update := func(change func(tx store.Tx, id int) error, from, to int) {
		t.Helper()
		err := s.store.Update(t.Context(), func(_ context.Context, tx store.Tx) error {
			for id := from; id <= to; id++ {
				if err := change(tx, id); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	update(func(tx store.Tx, _ int) error { return pages.Insert(tx, &page{Title: "New"}) }, 1, n+100)
	address := func(id int) *http.Request { return request("GET", fmt.Sprint("/pages/", id)) }
	create := func(id int) {
		var reads driver.ReadSet
		var p page
		err := s.store.View(driver.WithReadSet(t.Context(), &reads), func(_ context.Context, tx store.Tx) (err error) {
			p, err = pages.Get(tx, int64(id))
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		s.Put(address(id), respcache.UserKey{}, "", fmt.Sprint(p.Title, strings.Repeat("x", 5000)), &reads, 5000)
	}
	for id := 1; id <= n; id++ {
		create(id)
	}
	rename := func(title string, from, to int) {
		t.Helper()
		update(func(tx store.Tx, id int) error { return pages.Update(tx, &page{ID: int64(id), Title: title}) }, from, to)
	}
	rename("Old", 1, 20)
	check := func(first int) {
		t.Helper()
		for id := 1; id <= n; id++ {
			value, ok, _ := s.Get(t.Context(), address(id), respcache.UserKey{}, "")
			if ok != (id >= first) || ok && strings.TrimRight(value, "x") != "New" {
				t.Fatalf("the response of row %d is %.5q, %v", id, value, ok)
			}
		}
	}
	check(21)
	for round := range 30 {
		rename(fmt.Sprint("Other ", round), n+1, n+100)
		check(21)
	}
	rename("Old", 300, 300)
	if value, ok, _ := s.Get(t.Context(), address(300), respcache.UserKey{}, ""); ok {
		t.Errorf("after a change of its row the response is %.5q", value)
	}
}

// TestGet_UsedStay: packed responses that are requested from time to time are still cached after others have displaced each other.
func TestGet_UsedStay(t *testing.T) {
	s := newSite(t, 400_000)
	address := func(i int) *http.Request { return request("GET", fmt.Sprint("/pages?n=", i)) }
	text := func(i int) string { return fmt.Sprint(i, strings.Repeat("x", 5000)) }
	for i := range 10_000 {
		s.put(address(i), respcache.UserKey{}, "", text(i))
		if i%3 > 0 {
			continue
		}
		if value, ok, _ := s.Get(t.Context(), address(i/3%100), respcache.UserKey{}, ""); !ok || value != text(i/3%100) {
			t.Fatalf("after %d others, response %d is %.10q, %v", i, i/3%100, value, ok)
		}
	}
	if _, ok, _ := s.Get(t.Context(), address(5000), respcache.UserKey{}, ""); ok {
		t.Error("a response that was not asked for is there")
	}
}

// TestCache_Concurrently: each response is as it was put, also while others are put.
func TestCache_Concurrently(t *testing.T) {
	s := newSite(t, 200_000)
	var group sync.WaitGroup
	for g := range 4 {
		group.Go(func() {
			for i := range 3000 {
				n := i * (g + 7) % 613
				req, text := request("GET", fmt.Sprint("/pages?n=", n)), fmt.Sprint(n, strings.Repeat("x", 50*(n%97)))
				value, ok, _ := s.Get(t.Context(), req, respcache.UserKey{}, "")
				if !ok {
					s.put(req, respcache.UserKey{}, "", text)
				} else if value != text {
					t.Errorf("response %d is %.10q", n, value)
				}
				if i%1000 == 999 {
					s.change()
				}
			}
		})
	}
	group.Wait()
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
	if _, ok, renewal = s.Get(t.Context(), request("GET", address(1)), respcache.UserKey{}, ""); ok || renewal != nil {
		t.Errorf("the invalid response is there still: %v, renewed: %v", ok, renewal != nil)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if _, ok, renewal = s.Get(ended, request("GET", address(2)), respcache.UserKey{}, ""); ok || renewal != nil {
		t.Errorf("in a request that has ended: %v, renewed: %v", ok, renewal != nil)
	}
	if _, ok, renewal = s.Get(t.Context(), request("GET", address(2)), respcache.UserKey{}, ""); ok || renewal == nil {
		t.Errorf("a response that was not checked is gone: %v, renewed: %v", ok, renewal != nil)
	}
	renewal.End()
}
