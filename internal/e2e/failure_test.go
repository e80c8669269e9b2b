package e2e

import (
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/memory"
	"github.com/shopapi/shopapi/users"
)

// A gate is a proxy in front of the API that fails as a network does, while a test sets
// a fault.
type gate struct {
	api   http.Handler
	fault atomic.Pointer[fault]
}

// A fault responds to a request instead of the API.
type fault func(w http.ResponseWriter, r *http.Request, api http.Handler)

func (g *gate) set(f fault) { g.fault.Store(&f) }
func (g *gate) clear()      { g.fault.Store(nil) }

func (g *gate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if f := g.fault.Load(); f != nil {
		(*f)(w, r, g.api)
		return
	}
	g.api.ServeHTTP(w, r)
}

// lost closes the connection without a response.
func lost(w http.ResponseWriter, _ *http.Request, _ http.Handler) { hangUp(w) }

// hangUp closes the connection of a request.
func hangUp(w http.ResponseWriter) {
	if conn, _, err := w.(http.Hijacker).Hijack(); err == nil {
		_ = conn.Close()
	}
}

// lostAfter closes the connection after the API has carried out a request with the
// method.
func lostAfter(method string) fault {
	return func(w http.ResponseWriter, r *http.Request, api http.Handler) {
		if r.Method != method {
			api.ServeHTTP(w, r)
			return
		}
		api.ServeHTTP(httptest.NewRecorder(), r)
		hangUp(w)
	}
}

// cut closes the connection in the middle of the response.
func cut(w http.ResponseWriter, r *http.Request, api http.Handler) {
	answer := httptest.NewRecorder()
	api.ServeHTTP(answer, r)
	maps.Copy(w.Header(), answer.Header())
	w.Header().Set("Content-Length", fmt.Sprint(answer.Body.Len()))
	w.WriteHeader(answer.Code)
	_, _ = w.Write(answer.Body.Bytes()[:answer.Body.Len()/2])
	_ = http.NewResponseController(w).Flush()
	hangUp(w)
}

// tooMany responds 429 as a proxy in front of the API may.
func tooMany(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
	w.Header().Set("Retry-After", "7")
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusTooManyRequests)
	fmt.Fprint(w, `{"message": "Slow down.", "status": 429}`)
}

// newMug returns a shop with one product.
func newMug(t *testing.T, st store.Store) *apitest.Shop {
	t.Helper()
	s := apitest.NewWithStore(t, st, nil)
	s.Post("/api/2.0/categories", `{"category": "Cups"}`)
	s.Post("/api/2.0/products", `{"product": "Clay mug", "category_ids": [1], "price": "9.50"}`)
	return s
}

// mug reads a field of the product.
func mug(s *apitest.Shop, field string) string { return s.Get("/api/2.0/products/1").Field(field) }

// complaints returns the errors of scripts, without failed requests, which these tests
// cause.
func (b *browser) complaints() (list []string) {
	for _, text := range b.heard() {
		if !strings.Contains(text, "net::ERR_") && !strings.Contains(text, "the server responded with a status of 5") {
			list = append(list, text)
		}
	}
	return list
}

// TestConsole_NetworkLost: if the API cannot be reached, a list offers to try again, a
// form keeps its input, and a repeated request is carried out once.
func TestConsole_NetworkLost(t *testing.T) {
	t.Parallel()
	s := newMug(t, memory.New())
	g := &gate{api: s.API}
	b := openOn(t, s, g, desk, tall)
	b.signIn(s.Email, s.Key)
	b.sees("nav a", "Products")
	for _, f := range []fault{lost, cut} {
		b.goTo("#/categories")
		b.sees(".tree", "Cups")
		g.set(f)
		b.click("nav a", "Products")
		b.sees(".problem", "cannot be reached")
		if focused := evaluate[string](b, "document.activeElement.innerText"); focused != "Not shown" {
			t.Errorf("the focus is on %q", focused)
		}
		b.click("button", "Try again")
		b.sees("body:not(.loading) .problem", "cannot be reached")
		g.clear()
		b.click("button", "Try again")
		b.sees("th.label", "Clay mug")
	}

	b.goTo("#/products/1")
	b.sees("h1", "Clay mug")
	for _, c := range []struct {
		fault fault
		price string
		made  string // the price when the response is lost
	}{{lost, "12", "9.50"}, {cut, "13", "13.00"}, {lostAfter("PUT"), "14", "14.00"}} {
		b.do(chromedp.SetValue("#field-price", c.price, chromedp.ByQuery))
		g.set(c.fault)
		b.click("#change button", "Save")
		b.sees("#change .problem", "cannot be reached")
		b.sees("#change .problem", "still here")
		if typed, price := b.value("#field-price"), mug(s, "price"); typed != c.price || price != c.made {
			t.Errorf("%s was typed, the form has %s, and the product costs %s, want %s", c.price, typed, price, c.made)
		}
		g.clear()
		b.click("#change button[aria-disabled=false]", "Save")
		b.sees("#status", "Saved")
		if got := b.value("#field-price"); got != c.price+".00" || mug(s, "price") != got {
			t.Errorf("saved again, the form has %s and the product costs %s, want %s.00", got, mug(s, "price"), c.price)
		}
		b.clearStatus()
	}

	b.goTo("#/taxes/new")
	b.sees("label", "Tax")
	b.do(chromedp.SetValue("#field-tax", "VAT", chromedp.ByQuery))
	g.set(lostAfter("POST"))
	b.click("button", "Create")
	b.sees("#change .problem", "still here")
	g.clear()
	b.click("#change button[aria-disabled=false]", "Create")
	b.sees("h1", "VAT")
	if taxes := s.Get("/api/2.0/taxes").Body; strings.Count(taxes, `"VAT"`) != 1 {
		t.Errorf("the tax was made more than once: %s", taxes)
	}
	g.set(lostAfter("DELETE"))
	b.click("button", "Delete")
	b.click("dialog button", "Delete")
	b.sees(".problem", "cannot be reached")
	g.clear()
	b.click("button", "Delete")
	b.click("dialog button", "Delete")
	b.sees("h1", "Taxes")
	if text := b.complaints(); len(text) > 0 {
		t.Errorf("the browser complains: %q", text)
	}
}

// TestConsole_ChangedMeanwhile: another user's change is not overwritten, and typed
// input stays.
func TestConsole_ChangedMeanwhile(t *testing.T) {
	t.Parallel()
	s := newMug(t, memory.New())
	b := openSignedIn(t, s, "Products")
	b.goTo("#/products/1")
	b.sees("h1", "Clay mug")
	s.Put("/api/2.0/products/1", `{"price": "30"}`)
	b.do(chromedp.SetValue("#field-price", "12", chromedp.ByQuery))
	b.click("button", "Save")
	b.sees("#field-price-error", "Somebody changed this meanwhile to “30.00”")
	if typed, price := b.value("#field-price"), mug(s, "price"); typed != "12" || price != "30.00" {
		t.Errorf("the form has %s, and the product costs %s", typed, price)
	}
	b.click("button", "Save") // the user decides
	b.sees("#status", "Saved")
	if price := mug(s, "price"); price != "12.00" {
		t.Errorf("the product costs %s", price)
	}

	// Changes of different fields are merged, and a change is taken back.
	b.clearStatus()
	s.Put("/api/2.0/products/1", `{"amount": "77"}`)
	b.do(chromedp.SetValue("#field-price", "13", chromedp.ByQuery))
	b.click("button", "Save")
	b.sees("#status", "Undo")
	if price, amount := mug(s, "price"), mug(s, "amount"); price != "13.00" || amount != "77" {
		t.Errorf("the product costs %s, and there are %s", price, amount)
	}
	b.click("#status button", "Undo")
	b.sees("#status", "Undone")
	if price, amount := mug(s, "price"), mug(s, "amount"); price != "12.00" || amount != "77" {
		t.Errorf("after undo the product costs %s, and there are %s", price, amount)
	}
}

// TestConsole_RevokedKey: after the key is revoked, the next request leads to the
// sign-in page with the reason, and nothing of the key stays.
func TestConsole_RevokedKey(t *testing.T) {
	t.Parallel()
	s := newMug(t, memory.New())
	manager := s.User("view_catalog", "manage_catalog")
	found, _, err := s.Users.Find(t.Context(), users.Filter{Email: manager.Email})
	if err != nil || len(found) != 1 {
		t.Fatal(found, err)
	}
	id := found[0].UserID
	b := open(t, s, desk, tall)
	dialogs := b.passwords()
	b.signIn(manager.Email, manager.Key)
	b.sees("nav a", "Products")
	b.goTo("#/products/1")
	b.sees("h1", "Clay mug")
	b.do(chromedp.SetValue("#field-price", "12", chromedp.ByQuery))
	key, err := s.Users.GenerateKey(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	b.click("button", "Save")
	b.isSignedOut(manager.Key)

	b.do(chromedp.SetValue("#email", manager.Email, chromedp.ByQuery), chromedp.SetValue("#key", key, chromedp.ByQuery))
	b.click("button", "Sign in")
	b.sees("h1", "Clay mug")
	if err := s.Users.RevokeKey(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	b.click("nav a", "Categories")
	b.isSignedOut(key)
	if n := dialogs(); n > 0 {
		t.Errorf("the browser asked %d times for a password", n)
	}
	if text := b.complaints(); len(text) > 0 {
		t.Errorf("the browser complains: %q", text)
	}
}

// isSignedOut waits for the sign-in page with the reason, and checks that nothing of the
// key is left.
func (b *browser) isSignedOut(key string) {
	b.t.Helper()
	b.sees("[role=alert]", "no longer takes this key")
	b.sees("label", "API key")
	const left = `location.href + document.cookie + JSON.stringify([{...localStorage}, {...sessionStorage}, history.state]) +
		document.documentElement.outerHTML + [...document.querySelectorAll("input")].map(i => i.value)`
	if strings.Contains(evaluate[string](b, left), key) {
		b.t.Error("something of the key is left in the tab")
	}
}

// TestConsole_TooMany: a 429 shows how long to wait, at the sign-in and later, and loses
// no input.
func TestConsole_TooMany(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, &shop.Options{Options: shopapi.Options{Limits: shopapi.Limits{LoginFailures: 2}}})
	s.Post("/api/2.0/categories", `{"category": "Cups"}`)
	s.Post("/api/2.0/products", `{"product": "Clay mug", "category_ids": [1], "price": "9.50"}`)
	reader := s.User("view_catalog")
	g := &gate{api: s.API}
	b := openOn(t, s, g, desk, tall)
	b.signIn(s.Email, s.Key)
	b.sees("nav a", "Products")
	b.goTo("#/products/1")
	b.sees("h1", "Clay mug")
	b.do(chromedp.SetValue("#field-price", "12", chromedp.ByQuery))
	g.set(tooMany)
	b.click("button", "Save")
	b.sees("#change .problem", "wait for 7 seconds")
	if typed := b.value("#field-price"); typed != "12" {
		t.Errorf("12 was typed, and the form has %s", typed)
	}
	g.clear()
	b.click("#change button[aria-disabled=false]", "Save")
	b.sees("#status", "Saved")
	g.set(tooMany)
	b.click("nav a", "Categories")
	b.sees(".problem", "wait for 7 seconds")
	g.clear()
	b.click("button", "Try again")
	b.sees(".tree", "Cups")
	b.click("button", "Sign out")

	// The shop's own limit: a wait after two wrong keys.
	for range 3 {
		b.signIn(reader.Email, "wrong-key-of-some-length")
		b.sees(".problem", "r")
	}
	b.sees(".problem", "wait for")
	if email := b.value("#email"); email != reader.Email {
		t.Errorf("the e-mail address that was typed is now %q", email)
	}
}

// TestConsole_Unavailable: while the database is unavailable pages and forms say so, and
// continue when it is back.
func TestConsole_Unavailable(t *testing.T) {
	t.Parallel()
	st := apitest.NewFailingStore(memory.New())
	s := newMug(t, st)
	b := openSignedIn(t, s, "Products")
	b.goTo("#/products/1")
	b.sees("h1", "Clay mug")
	b.do(chromedp.SetValue("#field-price", "12", chromedp.ByQuery))
	st.FailUpdate(store.ErrUnavailable)
	b.click("button", "Save")
	b.sees("#change .problem", "still here")
	b.sees("#change .problem", "wait for")
	if typed, price := b.value("#field-price"), mug(s, "price"); typed != "12" || price != "9.50" {
		t.Errorf("the form has %s, and the product costs %s", typed, price)
	}
	b.click("#change button[aria-disabled=false]", "Save")
	b.sees("#status", "Saved")
	if price := mug(s, "price"); price != "12.00" {
		t.Errorf("the product costs %s", price)
	}
	st.FailViews(store.ErrUnavailable)
	b.click("nav a", "Categories")
	b.sees(".problem", "wait for")
	st.FailViews(nil)
	b.click("button", "Try again")
	b.sees(".tree", "Cups")
	if text := b.complaints(); len(text) > 0 {
		t.Errorf("the browser complains: %q", text)
	}
}
