package e2e

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/extensions/changes"
	"github.com/shopapi/shopapi/extensions/webhooks"
	"github.com/shopapi/shopapi/shop"
)

// TestConsole_E4_Meanwhile: an open list, and an open object, show that somebody else changed them;
// what the user saves is not told.
func TestConsole_E4_Meanwhile(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, &shop.Options{Changes: changes.Options{Mode: changes.On}})
	outside := func(method, address, body string) {
		if a := s.Do(method, "/api/2.0/"+address, "application/json", body); a.Status >= 300 {
			t.Fatalf("%s %s: %d %s", method, address, a.Status, a.Body)
		}
	}
	outside("POST", "categories", `{"category": "Cups"}`)
	outside("POST", "products", `{"product": "Clay mug", "category_ids": [1], "price": "9.50", "amount": 9}`)
	outside("POST", "payments", `{"payment": "Invoice"}`)
	outside("POST", "shippings", `{"shipping": "Courier", "rates": [{"destination_id": 1, "rate_value": {"C": {"0": {"value": 5}}}}]}`)
	streams := make(chan string, 100) // their pages, once they listen
	looks := make(chan bool, 100)     // one for each answer with the product
	b := openOn(t, s, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Accept") == "text/event-stream" {
			w = &flushed{w.(http.Flusher), w, func() { streams <- r.URL.Query().Get("entity") }}
		}
		s.ServeHTTP(w, r)
		if r.Method == http.MethodGet && r.URL.Path == "/api/2.0/products/1" {
			looks <- true
		}
	}), desk, tall)
	listens := func(entity string) {
		for got := range streams {
			if strings.HasPrefix(got, entity) {
				return
			}
		}
	}
	b.signIn(s.Email, s.Key)
	b.sees("nav a", "Products")

	b.goTo("#/products")
	b.sees("th.label", "Clay mug")
	listens("products")
	outside("POST", "products", `{"product": "Tall vase", "category_ids": [1]}`)
	b.sees(".meanwhile", "The list changed meanwhile.")
	if strings.Contains(b.text(), "Tall vase") {
		t.Error("the list changes under the hands of its user")
	}
	b.click(".meanwhile button", "Show it now")
	b.sees("tbody", "Tall vase")
	b.gone(".meanwhile")

	b.goTo("#/products/1")
	b.sees("h1", "Clay mug")
	listens("products,product_features")
	b.do(chromedp.SetValue("#field-price", "11", chromedp.ByQuery))
	b.click("button", "Save")
	b.sees("#status", "Saved")
	for len(looks) > 0 { // when the page was opened, and after it was saved
		<-looks
	}
	<-looks // the page compares itself with the API, since it heard of the change
	b.answered()
	if evaluate[bool](b, `document.querySelector(".meanwhile") !== null`) {
		t.Error("the page says that somebody else made its own change")
	}
	outside("PUT", "products/1", `{"product": "Stone mug"}`)
	b.sees(".meanwhile", "Somebody changed this meanwhile.")
	b.click(".meanwhile button", "Show it now")
	b.sees("h1", "Stone mug")
	outside("DELETE", "products/1", "")
	b.sees(".meanwhile", "Somebody deleted this meanwhile.")

	b.goTo("#/orders")
	b.sees("h1", "Orders")
	listens("orders")
	outside("POST", "orders", `{"user_id": 1, "payment_id": 1, "shipping_id": 1, "products": {"2": {"amount": 1}}}`)
	b.sees("tbody", "1") // without a click
	b.sees("#status", "The list of orders has changed")
	if heard := b.heard(); len(heard) > 0 {
		t.Errorf("the browser complains: %q", heard)
	}
}

// gone waits until no element matches the selector.
func (b *browser) gone(selector string) {
	b.t.Helper()
	const isGone = `(selector) => !document.querySelector(selector)`
	if err := chromedp.Run(b.ctx, chromedp.PollFunction(isGone, nil, chromedp.WithPollingArgs(selector), chromedp.WithPollingTimeout(15*time.Second))); err != nil {
		b.t.Fatalf("%s stays (%v); the page shows %q", selector, err, b.text())
	}
}

// answered waits until the page has drawn what it was answered before.
func (b *browser) answered() {
	b.t.Helper()
	b.do(chromedp.Evaluate(`fetch("/api/2.0/nothing").then(r => r.text()).then(() => new Promise(r => requestAnimationFrame(() => requestAnimationFrame(r))))`, nil,
		func(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }))
}

// A flushed response calls a function at its first flush.
type flushed struct {
	http.Flusher
	http.ResponseWriter
	first func()
}

// Flush implements [http.Flusher].
func (f *flushed) Flush() {
	f.Flusher.Flush()
	if f.first != nil {
		f.first()
		f.first = nil
	}
}

// Unwrap returns the response, for [http.ResponseController].
func (f *flushed) Unwrap() http.ResponseWriter { return f.ResponseWriter }

// TestConsole_E5_SecretIsShownOnce: the secret of a new webhook is shown until the user closes it.
func TestConsole_E5_SecretIsShownOnce(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, &shop.Options{Webhooks: webhooks.Options{On: true}})
	b := openSignedIn(t, s, "Products")
	b.goTo("#/webhooks/new")
	b.sees("h1", "New webhook")
	b.do(chromedp.SetValue("#field-url", "https://erp.example.com/in", chromedp.ByQuery),
		chromedp.SetValue("#field-events", "orders.*", chromedp.ByQuery))
	b.click("button", "Create")
	b.sees("dialog h2", "The secret is shown this once:")
	b.sees("dialog code", "whsec_")
	b.click("dialog button", "Close")
	b.sees("h1", "https://erp.example.com/in")
	if strings.Contains(b.text(), "whsec_") {
		t.Error("the page of a webhook shows its secret")
	}
}
