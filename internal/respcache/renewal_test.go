package respcache_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/shopapi/shopapi/internal/respcache"
	"github.com/shopapi/shopapi/store/driver"
)

// gotten is what Get returns.
type gotten struct {
	value   string
	ok      bool
	renewal *respcache.Renewal
}

func (s *site) get(ctx context.Context) gotten {
	value, ok, renewal := s.Get(ctx, request("GET", "/pages"), respcache.UserKey{}, "")
	return gotten{value, ok, renewal}
}

// TestGet_Renewal: where a store has to be asked, one request renews an invalid response
// and the others wait for it.
func TestGet_Renewal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, st := newAskedSite(t)
		req := request("GET", "/pages")
		if s.Asks() {
			t.Error("an empty cache asks")
		}
		s.put(req, respcache.UserKey{}, "", "first")
		if got := s.get(t.Context()); !s.Asks() || !got.ok || got.value != "first" || got.renewal != nil {
			t.Fatalf("a valid response: %+v", got)
		}

		for _, next := range []string{"second", "third"} {
			st.Change(pages.Schema())
			got := s.get(t.Context())
			if got.ok || got.renewal == nil {
				t.Fatalf("the first request after a change: %+v, want a renewal", got)
			}
			waiting := make(chan gotten, 2)
			for range cap(waiting) {
				go func() { waiting <- s.get(driver.AskOnce(t.Context())) }()
			}
			synctest.Wait()
			if len(waiting) > 0 {
				t.Fatalf("another request did not wait: %+v", <-waiting)
			}
			s.put(req, respcache.UserKey{}, "", next)
			got.renewal.End()
			for range cap(waiting) {
				if other := <-waiting; !other.ok || other.value != next || other.renewal != nil {
					t.Errorf("a request that waited: %+v, want %q", other, next)
				}
			}
		}
	})
}

// TestGet_RenewalIsYounger: a response that was read after the question of a request that
// waits is valid for it.
func TestGet_RenewalIsYounger(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, st := newAskedSite(t)
		req := request("GET", "/pages")
		s.put(req, respcache.UserKey{}, "", "first")
		st.Change(pages.Schema())
		renewal := s.get(t.Context()).renewal

		waiting := make(chan gotten)
		go func() {
			ctx := driver.AskOnce(t.Context())
			var reads driver.ReadSet
			s.read(driver.WithReadSet(ctx, &reads))
			if !reads.Valid(ctx) { // the question of this request
				t.Error("what was just read is not valid")
			}
			waiting <- s.get(ctx)
		}()
		synctest.Wait()
		st.Change(pages.Schema())
		s.put(req, respcache.UserKey{}, "", "second")
		renewal.End()
		if got := <-waiting; !got.ok || got.value != "second" {
			t.Errorf("the request that waited: %+v, want the new response", got)
		}
	})
}

// TestGet_RenewalWithoutResponse: a renewal may end without a response, by an error. The
// waiting requests then make the response themselves.
func TestGet_RenewalWithoutResponse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, st := newAskedSite(t)
		s.put(request("GET", "/pages"), respcache.UserKey{}, "", "first")
		if got := s.get(t.Context()); !got.ok {
			t.Fatalf("a valid response: %+v", got)
		}
		other, ok, renewal := s.Get(t.Context(), request("GET", "/page"), respcache.UserKey{}, "")
		if ok || renewal != nil {
			t.Errorf("a response that never was cached: %q, %v, %v", other, ok, renewal)
		}
		st.Change(pages.Schema())
		got := s.get(t.Context())

		ctx, cancel := context.WithCancel(t.Context())
		canceled, waiting := make(chan gotten, 1), make(chan gotten, 1)
		go func() { canceled <- s.get(ctx) }()
		go func() { waiting <- s.get(t.Context()) }()
		synctest.Wait()
		cancel()
		if got := <-canceled; got.ok || got.renewal != nil {
			t.Errorf("a request that ended while it waited: %+v", got)
		}
		got.renewal.End()
		if got := <-waiting; got.ok {
			t.Errorf("a request that waited for nothing: %+v", got)
		}
		(*respcache.Renewal)(nil).End() // does nothing
	})
}

// TestGet_RenewedAgainAndAgain: a request does not wait for ever where others renew a
// response before it and the response is invalid each time.
func TestGet_RenewedAgainAndAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, st := newAskedSite(t)
		s.put(request("GET", "/pages"), respcache.UserKey{}, "", "first")
		others, asking := 0, false
		var renewals sync.WaitGroup
		st.Asked = func() {
			if asking {
				return
			}
			asking = true
			defer func() { asking = false }()
			st.Change(pages.Schema())
			if got := s.get(t.Context()); got.renewal != nil {
				others++
				renewals.Go(func() {
					time.Sleep(time.Millisecond) // until the request waits
					s.put(request("GET", "/pages"), respcache.UserKey{}, "", "another")
					got.renewal.End()
				})
			}
		}
		if got := s.get(t.Context()); got.ok || got.renewal != nil || others != 3 {
			t.Errorf("after %d renewals: %+v, want neither a response nor a renewal after 3", others, got)
		}
		renewals.Wait()
	})
}

// TestPutUser_Asks: a user from a store that has to be asked makes the cache ask, too.
func TestPutUser_Asks(t *testing.T) {
	s, st := newAskedSite(t)
	h := map[string][]string{"Authorization": {"Basic YW5h"}}
	ctx, lookup := s.Lookup(t.Context())
	s.read(ctx)
	s.PutUser(h, lookup, "ana", respcache.UserKey{}, 3)
	if _, _, ok := s.User(t.Context(), h); !ok || !s.Asks() {
		t.Errorf("the user is cached: %v; the cache asks: %v", ok, s.Asks())
	}
	st.Change(pages.Schema())
	if _, _, ok := s.User(t.Context(), h); ok {
		t.Error("after a change the user is still cached")
	}
}
