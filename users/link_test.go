package users_test

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/internal/shoptest"
	"github.com/shopapi/shopapi/users"
)

const (
	storefront     = "https://shop.example.org/sign-in"
	administration = "https://admin.example.org/in?page=sign"
)

// everyLinkShop runs a test over each store, with the customer ana@example.org, user 2.
func everyLinkShop(t *testing.T, test func(t *testing.T, s *shop)) {
	t.Helper()
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		if err := s.Users.RegisterAuth(users.LinkOptions{StorefrontURL: storefront, AdministrationURL: administration}); err != nil {
			t.Fatal(err)
		}
		s.Call(201, "POST", "/api/2.0/users", `{"email": "ana@example.org", "user_type": "C", "password": "long enough"}`)
		test(t, s)
	})
}

func (s *shop) link(body string) users.Link {
	s.Helper()
	var l users.Link
	shoptest.Decode(s, s.Call(201, "POST", "/api/2.0/auth", body), &l)
	return l
}

// redeems checks whether a key signs a user in.
func (s *shop) redeems(key string, want bool) {
	s.Helper()
	user, _, err := s.Users.RedeemLink(s.Context(), key)
	if got := err == nil; got != want || !want && !errors.Is(err, users.ErrLink) || want && user.Email == "" {
		s.Errorf("redeemed: %v, want %v: %+v, %v", got, want, user.UserID, err)
	}
}

func TestAuth_LinksAreGoodOnce(t *testing.T) {
	everyLinkShop(t, func(t *testing.T, s *shop) {
		l := s.link(`{"email": " ANA@example.org", "redirect_url": "/orders?page=2"}`)
		at, err := url.Parse(l.URL)
		if err != nil || !strings.HasPrefix(l.URL, storefront+"?") || at.Query().Get("ekey") != l.Key || at.Query().Get("redirect_url") != "/orders?page=2" {
			t.Errorf("a link of another form, %v", err)
		}
		if len(l.Key) != 32 {
			t.Errorf("a key of %d characters", len(l.Key))
		}
		var good atomic.Int64
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				user, redirect, err := s.Users.RedeemLink(t.Context(), l.Key)
				if err == nil && user.UserID == 2 && redirect == "/orders?page=2" {
					good.Add(1)
				} else if !errors.Is(err, users.ErrLink) {
					t.Errorf("redeemed: %v", err)
				}
			})
		}
		all.Wait()
		if good.Load() != 1 {
			t.Errorf("a link signed in %d times", good.Load())
		}
		admin := s.link(`{"email": "` + rootEmail + `"}`)
		if !strings.HasPrefix(admin.URL, administration+"&ekey=") {
			t.Error("the link of an administrator leads elsewhere")
		}
	})
}

func TestAuth_LinksEnd(t *testing.T) {
	everyLinkShop(t, func(t *testing.T, s *shop) {
		old := s.link(`{"email": "ana@example.org"}`)
		s.Clock.Advance(users.LinkAge)
		s.redeems(old.Key, false)
		s.redeems("", false)

		for _, change := range []string{`{"password": "another one"}`, `{"status": "D"}`} {
			l := s.link(`{"email": "ana@example.org"}`)
			s.Call(200, "PUT", "/api/2.0/users/2", change)
			s.Call(200, "PUT", "/api/2.0/users/2", `{"status": "A"}`)
			s.redeems(l.Key, false)
		}
		l := s.link(`{"email": "ana@example.org"}`)
		s.Call(200, "PUT", "/api/2.0/users/2", `{"firstname": "Ana"}`)
		s.redeems(l.Key, true)

		l = s.link(`{"email": "ana@example.org"}`)
		s.Call(204, "DELETE", "/api/2.0/users/2", "")
		s.redeems(l.Key, false)
	})
}

// TestAuth_LinksEndWithRightsOfGroups: they end with a change of what a group of the user
// grants, and with the group.
func TestAuth_LinksEndWithRightsOfGroups(t *testing.T) {
	for name, c := range map[string]struct {
		method, body string
		stays        bool
	}{
		"a name":           {"PUT", `{"usergroup": "Clerks"}`, true},
		"more privileges":  {"PUT", `{"privileges": ["view_orders", "view_users"]}`, false},
		"fewer privileges": {"PUT", `{"privileges": []}`, false},
		"disabled":         {"PUT", `{"status": "D"}`, false},
		"removed":          {"DELETE", "", false},
	} {
		t.Run(name, func(t *testing.T) {
			everyLinkShop(t, func(_ *testing.T, s *shop) {
				clerk, g := s.staff("clerk@example.org", "A", 1), s.group("A", "view_orders")
				s.join(clerk, g)
				l, other := s.link(`{"email": "clerk@example.org"}`), s.link(`{"email": "ana@example.org"}`)
				s.Send(c.method, groupAt(g), c.body)
				s.redeems(l.Key, c.stays)
				s.redeems(other.Key, true)
			})
		})
	}
}

// A link ends with a change of the user's e-mail address, type or user groups: it would sign
// in somebody else, or with more rights than its maker could give.
func TestAuth_LinksEndWithRights(t *testing.T) {
	for name, change := range map[string]struct{ method, address, body string }{
		"another e-mail":   {"PUT", "users/2", `{"email": "eve@example.org"}`},
		"an administrator": {"PUT", "users/2", `{"user_type": "A"}`},
		"a group":          {"PUT", "users/2/usergroups/3", `{"status": "A"}`},
	} {
		t.Run(name, func(t *testing.T) {
			everyLinkShop(t, func(_ *testing.T, s *shop) {
				s.Call(201, "POST", "usergroups", `{"usergroup": "Wholesale", "type": "C", "status": "A"}`)
				l := s.link(`{"email": "ana@example.org"}`)
				s.Call(200, "PUT", "users/2", `{"firstname": "Ana"}`) // changes nothing of that
				s.Call(200, change.method, change.address, change.body)
				s.redeems(l.Key, false)
			})
		})
	}
}

func TestAuth_FiveLinksOfAUserLive(t *testing.T) {
	everyLinkShop(t, func(t *testing.T, s *shop) {
		var made []users.Link
		for range 8 {
			made = append(made, s.link(`{"email": "ana@example.org"}`))
			s.Clock.Advance(time.Second)
		}
		for i, l := range made {
			s.redeems(l.Key, i >= 3)
		}
	})
}

func TestAuth_RedirectsStayOnTheSite(t *testing.T) {
	everyLinkShop(t, func(t *testing.T, s *shop) {
		for _, redirect := range []string{"", "/", "/orders", "/orders?x=//y", storefront, storefront + "/more"} {
			s.link(fmt.Sprintf(`{"email": "ana@example.org", "redirect_url": %q}`, redirect))
		}
		for _, redirect := range []string{
			"//evil.example", `/\\evil.example`, `\\\\evil.example`, "https://evil.example/", "http://shop.example.org/sign-in", "https://shop.example.org",
			"https://shop.example.org.evil.example/sign-in", "https://x@shop.example.org/sign-in", "javascript:alert(1)", "orders",
			"/\t/evil.example", " //evil.example", "///evil.example", "%2f%2fevil.example", "/" + strings.Repeat("x", 3000),
		} {
			s.Refuses("POST", "/api/2.0/auth", `{"email": "ana@example.org", "redirect_url": "`+strings.ReplaceAll(redirect, "\t", `\t`)+`"}`, "redirect_url")
		}
	})
}

func TestAuth_UnknownAndDisabledUsers(t *testing.T) {
	everyLinkShop(t, func(t *testing.T, s *shop) {
		s.Refuses("POST", "/api/2.0/auth", `{"redirect_url": "/"}`, "email")
		unknown := s.Call(404, "POST", "/api/2.0/auth", `{"email": "nobody@example.org"}`)
		s.Call(200, "PUT", "/api/2.0/users/2", `{"status": "D"}`)
		if disabled := s.Call(404, "POST", "/api/2.0/auth", `{"email": "ana@example.org"}`); disabled != unknown {
			t.Errorf("%s of a disabled user, %s of none", disabled, unknown)
		}
		for _, method := range []string{"GET", "PUT", "DELETE"} {
			s.Status(method, "/api/2.0/auth", `{"email": "x"}`, 405)
		}
	})
}

func TestAuth_LinksNeedRightsOverTheUser(t *testing.T) {
	everyLinkShop(t, func(t *testing.T, s *shop) {
		s.staff("clerk@example.com", "A", 0, "manage_users", "view_users")
		s.staff("reader@example.com", "A", 0, "view_users")
		clerk := s.as("clerk@example.com")
		clerk.Call(201, "POST", "/api/2.0/auth", `{"email": "ana@example.org"}`)
		clerk.Call(403, "POST", "/api/2.0/auth", `{"email": "`+rootEmail+`"}`)
		s.as("reader@example.com").Call(403, "POST", "/api/2.0/auth", `{"email": "ana@example.org"}`)
	})
}

func TestAuth_KeysAreNotStored(t *testing.T) {
	everyLinkShop(t, func(t *testing.T, s *shop) {
		l := s.link(`{"email": "ana@example.org"}`)
		if rows := users.StoredLinks(t.Context(), t, s.Store); len(rows) != 1 || strings.Contains(rows[0], l.Key) {
			t.Errorf("%d rows, or one with the key", len(rows))
		}
	})
}

func TestRegisterAuth_RefusesInvalidURLs(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		for _, page := range []string{"shop.example.org", "ftp://shop.example.org", "https://", "https://u:p@shop.example.org/", "https://a b"} {
			if err := s.Users.RegisterAuth(users.LinkOptions{StorefrontURL: page}); err == nil {
				t.Errorf("%s is taken for a page", page)
			}
		}
	})
}
