package e2e

import (
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// A traffic is what a page has loaded.
type traffic struct {
	mu       sync.Mutex
	requests []string
	refused  []string                   // reads
	probes   map[network.RequestID]bool // requests that change something, or ask whether they may
	bytes    int64                      // as sent, headers included
}

// traffic counts what the tab loads from now on, with an empty cache.
func (b *browser) traffic() *traffic {
	b.t.Helper()
	c := &traffic{probes: map[network.RequestID]bool{}}
	chromedp.ListenTarget(b.ctx, func(event any) {
		c.mu.Lock()
		defer c.mu.Unlock()
		switch e := event.(type) {
		case *network.EventRequestWillBeSent:
			if strings.HasPrefix(e.Request.URL, b.url) {
				c.requests = append(c.requests, e.Request.Method+" "+strings.TrimPrefix(e.Request.URL, b.url))
			}
			c.probes[e.RequestID] = e.Request.Method != "GET"
		case *network.EventResponseReceived:
			if e.Response.Status >= 400 && !c.probes[e.RequestID] {
				c.refused = append(c.refused, e.Response.URL)
			}
		case *network.EventLoadingFinished:
			c.bytes += int64(e.EncodedDataLength)
		}
	})
	b.do(network.Enable(), network.ClearBrowserCache())
	return c
}

// read returns the requests and bytes so far.
func (c *traffic) read() (requests, refused []string, bytes int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.requests, c.refused, c.bytes
}

// TestE12_FirstPaint: until the first page is shown, few requests are made and few bytes are
// sent, none of them in vain.
func TestE12_FirstPaint(t *testing.T) {
	t.Parallel()
	s := newShopWith(t, everything())
	clerk := s.User("view_orders", "manage_orders")
	for name, c := range map[string]struct {
		email, key      string
		before, in      int   // requests before and until the first page
		outside, inside int64 // bytes
	}{
		"root":  {s.Email, s.Key, 6, 15, 40_000, 120_000},
		"clerk": {clerk.Email, clerk.Key, 6, 15, 40_000, 80_000},
	} {
		t.Run(name, func(t *testing.T) {
			b := open(t, s, desk, tall)
			c0 := b.traffic()
			b.goTo("")
			b.sees("label", "API key")
			requests, _, bytes := c0.read()
			t.Logf("before signing in: %d requests, %d bytes: %q", len(requests), bytes, requests)
			if len(requests) > c.before || bytes > c.outside {
				t.Errorf("before signing in there are %d requests and %d bytes, more than %d and %d: %q", len(requests), bytes, c.before, c.outside, requests)
			}
			b.do(chromedp.SendKeys("#email", c.email), chromedp.SendKeys("#key", c.key+"\r"))
			b.sees("figcaption", "Orders per day")
			requests, refused, bytes := c0.read()
			t.Logf("with the first page: %d requests, %d bytes: %q", len(requests), bytes, requests)
			if len(requests) > c.in || bytes > c.inside || bytes < 10_000 {
				t.Errorf("with the first page there are %d requests and %d bytes, more than %d and %d: %q", len(requests), bytes, c.in, c.inside, requests)
			}
			if len(refused) > 0 {
				t.Errorf("requests are refused: %q", refused)
			}
			if heard := b.heard(); len(heard) > 0 {
				t.Errorf("the browser complains: %q", heard)
			}
		})
	}
}
