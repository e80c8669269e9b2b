package e2e

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestE12_Tabs: a new tab takes the session of an open one over, without the key being asked for
// again or stored, and signing out in one ends both.
func TestE12_Tabs(t *testing.T) {
	t.Parallel()
	s := newShopWith(t, everything())
	b := open(t, s, desk, tall)
	b.signIn(s.Email, s.Key)
	b.sees("figcaption", "Orders per day")
	ctx, cancel := chromedp.NewContext(b.ctx, chromedp.WithExistingBrowserContext(b.profile))
	t.Cleanup(cancel)
	second := &browser{t: t, ctx: ctx, url: b.url}
	second.do(chromedp.EmulateViewport(desk, tall))
	second.goTo("#/orders/12")
	second.sees("h1", "Order 12")
	if kept := evaluate[string](second, `location.href + document.cookie + JSON.stringify(localStorage)`); kept == "" || strings.Contains(kept, s.Key) {
		t.Error("the key is in the address, a cookie or localStorage")
	}
	second.click("button", "Sign out")
	second.sees("label", "API key")
	b.sees("label", "API key")
}
