package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store/memory"
	"github.com/shopapi/shopapi/users"
)

// A signInShop serves the example with a fixed clock.
type signInShop struct {
	*testing.T
	*httptest.Server
	clock *apitest.Clock
	key   string
}

const admin = "root@example.com"

func newSignInShop(t *testing.T) *signInShop {
	t.Helper()
	s := &signInShop{T: t, clock: new(apitest.Clock)}
	s.clock.Set(time.Now())
	s.Server = httptest.NewUnstartedServer(nil)
	t.Cleanup(s.Close)
	page := "http://" + s.Listener.Addr().String() + signInPath
	sh, err := shop.New(t.Context(), memory.New(), &shop.Options{
		Options: shopapi.Options{Clock: s.clock.Now},
		Links:   users.LinkOptions{StorefrontURL: page, AdministrationURL: page},
	})
	if err != nil {
		t.Fatal(err)
	}
	if s.key, _, err = users.EnsureRoot(t.Context(), sh.Store, admin); err != nil {
		t.Fatal(err)
	}
	user := users.User{Summary: users.Summary{Email: "ana@example.com", UserType: shopapi.Customer}}
	if _, err := sh.Users.Create(t.Context(), user, ""); err != nil {
		t.Fatal(err)
	}
	if s.Config.Handler, err = withPages(t.Context(), sh, uploads{t.TempDir()}); err != nil {
		t.Fatal(err)
	}
	s.Start()
	client := s.Client()
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return s
}

// link requests a one-time link.
func (s *signInShop) link(redirect string) (status int, link string) {
	s.Helper()
	body, err := json.Marshal(map[string]string{"email": "ana@example.com", "redirect_url": redirect})
	if err != nil {
		s.Fatal(err)
	}
	req, err := http.NewRequestWithContext(s.Context(), "POST", s.URL+"/api/2.0/auth", strings.NewReader(string(body)))
	if err != nil {
		s.Fatal(err)
	}
	req.SetBasicAuth(admin, s.key)
	req.Header.Set("Content-Type", "application/json")
	answer, err := s.Client().Do(req)
	if err != nil {
		s.Fatal(err)
	}
	defer answer.Body.Close()
	var made struct{ Link string }
	if err := json.NewDecoder(answer.Body).Decode(&made); err != nil {
		s.Fatal(err)
	}
	return answer.StatusCode, made.Link
}

// open opens a link as a browser does, and clicks the button if click is set.
func (s *signInShop) open(link string, click bool) (status int, location, page string) {
	s.Helper()
	method, body := "GET", ""
	if click {
		at, err := url.Parse(link)
		if err != nil {
			s.Fatal(err)
		}
		method, body = "POST", url.Values{"ekey": at.Query()["ekey"]}.Encode()
	}
	req, err := http.NewRequestWithContext(s.Context(), method, link, strings.NewReader(body))
	if err != nil {
		s.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	answer, err := s.Client().Do(req)
	if err != nil {
		s.Fatal(err)
	}
	defer answer.Body.Close()
	var text strings.Builder
	if err := answer.Write(&text); err != nil {
		s.Fatal(err)
	}
	if got := answer.Header.Get("Referrer-Policy") + ", " + answer.Header.Get("Cache-Control"); got != "no-referrer, no-store" {
		s.Errorf("%s of the page: the headers are %s", method, got)
	}
	return answer.StatusCode, answer.Header.Get("Location"), text.String()
}

// TestSignIn: a link is redeemed once, by a click and within ten minutes.
func TestSignIn(t *testing.T) {
	s := newSignInShop(t)
	status, link := s.link("")
	if status != 201 || !strings.HasPrefix(link, s.URL+signInPath+"?ekey=") {
		t.Fatalf("the link is answered %d %q", status, link)
	}
	for range 2 { // a GET does not redeem the link
		if status, _, page := s.open(link, false); status != 200 || !strings.Contains(page, "<button>Sign in</button>") {
			t.Errorf("opened: %d %s", status, page)
		}
	}
	if status, _, page := s.open(link, true); status != 200 || !strings.Contains(page, "ana@example.com is signed in") {
		t.Errorf("redeemed: %d %s", status, page)
	}
	if status, _, page := s.open(link, true); status != 403 || !strings.Contains(page, "used before") || strings.Contains(page, "ana@") {
		t.Errorf("redeemed again: %d %s", status, page)
	}

	_, old := s.link("")
	s.clock.Advance(users.LinkAge)
	if status, _, page := s.open(old, true); status != 403 || strings.Contains(page, "ana@") {
		t.Errorf("after ten minutes: %d %s", status, page)
	}
	if status, _, _ := s.open(s.URL+signInPath+"?ekey=%3Cscript%3E", true); status != 403 {
		t.Errorf("a key that is none: %d", status)
	}
	if _, _, page := s.open(s.URL+signInPath+"?ekey=%3Cscript%3E", false); strings.Contains(page, "<script>") {
		t.Errorf("the page has the script of its address: %s", page)
	}
}

// TestSignIn_Redirect: the page redirects only within the site, and only to the address
// given when the link was created.
func TestSignIn_Redirect(t *testing.T) {
	s := newSignInShop(t)
	for _, redirect := range []string{"https://evil.example/", "//evil.example", `/\evil.example`, "javascript:alert(1)", s.URL + ".evil.example/"} {
		if status, link := s.link(redirect); status != 400 || link != "" {
			t.Errorf("%s: %d %q", redirect, status, link)
		}
	}
	_, link := s.link("/console/#orders")
	forged := strings.Replace(link, "redirect_url=", "redirect_url=https%3A%2F%2Fevil.example%2F&was=", 1)
	if forged == link {
		t.Fatalf("%s has no redirect_url", link)
	}
	if status, location, _ := s.open(forged, true); status != 303 || location != "/console/#orders" {
		t.Errorf("redeemed: %d, on to %q", status, location)
	}
}
