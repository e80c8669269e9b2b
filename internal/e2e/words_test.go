package e2e

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/fstest"

	"github.com/chromedp/chromedp"

	"github.com/shopapi/shopapi/extensions/console"
)

// TestE12_HostWords: a user chooses a language that the host added, and keeps it.
func TestE12_HostWords(t *testing.T) {
	t.Parallel()
	s := newShopWith(t, everything())
	dutch := map[string]string{} // each text begins with "NL "
	for _, text := range console.Words() {
		dutch[text] = "NL " + text
	}
	content, err := json.Marshal(dutch)
	if err != nil {
		t.Fatal(err)
	}
	pages, err := console.Handler(t.Context(), s.API, &console.Options{Words: fstest.MapFS{"nl.json": {Data: content}}})
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/console/", http.StripPrefix("/console", pages))
	mux.Handle("/api/", s.API)
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	b := openURL(t, server.URL, desk, tall)
	b.signIn(s.Email, s.Key)
	b.sees("figcaption", "Orders per day")
	h := b.task(t)
	h.choose(".choice select", "nl")
	h.do(chromedp.WaitVisible("html[lang=nl] site-search", chromedp.ByQuery))
	b.sees("button", "NL Sign out")
	b.visit("#/products/1")
	b.sees("button", "NL Save")
	b.goTo("?again#/products")
	b.sees("nav a", "NL Orders")
	if problems := b.heard(); len(problems) > 0 {
		t.Errorf("the browser says %q", problems)
	}
}
