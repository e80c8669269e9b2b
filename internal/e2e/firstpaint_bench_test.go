package e2e

import (
	"fmt"
	"testing"
	"time"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// BenchmarkFirstPaint is how long a browser with an empty cache takes, over a connection of
// 1.6 Mbit/s, to show the form to sign in, and from the key to the first page. A second
// connection also takes 150 ms from request to answer.
func BenchmarkFirstPaint(b *testing.B) {
	for _, latency := range []float64{0, 150} {
		b.Run(fmt.Sprintf("%gms", latency), func(b *testing.B) {
			var form, page time.Duration
			for b.Loop() {
				s := newShopWith(b, everything())
				tab := open(b, s, desk, tall)
				tab.do(network.Enable(), network.ClearBrowserCache(),
					network.EmulateNetworkConditions(false, latency, 1.6e6/8, 1.6e6/8))
				begun := time.Now()
				tab.goTo("")
				tab.sees("label", "API key")
				form += time.Since(begun)
				tab.do(chromedp.SendKeys("#email", s.Email))
				begun = time.Now()
				tab.do(chromedp.SendKeys("#key", s.Key+"\r"))
				tab.sees("figcaption", "Orders per day")
				page += time.Since(begun)
			}
			b.ReportMetric(form.Seconds()/float64(b.N), "s/form")
			b.ReportMetric(page.Seconds()/float64(b.N), "s/page")
		})
	}
}
