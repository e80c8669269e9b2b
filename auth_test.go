package shopapi_test

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/store"
)

func basic(plain string) string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(plain))
}

// §3: 401 names the realm, and all wrong credentials look the same.
func TestAuthentication_Refused(t *testing.T) {
	s := newShop(t, func(o *shopapi.Options) { o.Realm = `The "shop"` })
	const challenge = `Basic realm="The \"shop\"", charset="UTF-8"`
	want := s.do("GET", "/api/aisles", "", as("root@example.com", "wrong")).want(401).has("WWW-Authenticate", challenge).Body.String()
	for _, wrong := range []header{
		as("nobody@example.com", "key"), as("customer@example.com", "key"), as("", ""), as("root@example.com", ""), as("root@example.com", "KEY"),
	} {
		s.do("GET", "/api/aisles", "", wrong).want(401).has("WWW-Authenticate", challenge).is(want)
	}
}

func TestAuthentication_NoCredentials(t *testing.T) {
	s := newShop(t)
	for name, values := range map[string][]string{
		"none":         nil,
		"empty":        {""},
		"other scheme": {"Bearer abc"},
		"no token":     {"Basic"},
		"not base64":   {"Basic %%%"},
		"no colon":     {basic("root@example.com")},
		"two headers":  {basic("root@example.com:key"), basic("root@example.com:key")},
	} {
		t.Run(name, func(t *testing.T) {
			h := []header{anonymous}
			for _, v := range values {
				h = append(h, with("Authorization", v))
			}
			s.do("GET", "/api/aisles", "", h...).want(401).contains("Authorization: Basic")
		})
	}
}

func TestAuthentication_Accepted(t *testing.T) {
	s := newShop(t)
	for _, value := range []string{
		basic("root@example.com:key"), basic(" ROOT@Example.com :key"),
		strings.Replace(basic("root@example.com:key"), "Basic", "bAsIc", 1),
		strings.Replace(basic("root@example.com:key"), " ", "   ", 1),
	} {
		s.do("GET", "/api/aisles", "", anonymous, with("Authorization", value)).want(200)
	}
	if u := s.aisles.saw.User; u == nil || u.ID != 1 {
		t.Errorf("the entity saw the user %+v", u)
	}
}

// Without an Authenticator every request is refused.
func TestAuthentication_NoAuthenticator(t *testing.T) {
	s := newShop(t, func(o *shopapi.Options) { o.Authenticator = nil })
	s.do("GET", "/api/aisles", "").want(401)
}

// An Authenticator that cannot tell is not the client's fault.
func TestAuthentication_Unavailable(t *testing.T) {
	var cause error
	s := newShop(t, func(o *shopapi.Options) {
		o.Authenticator = shopapi.AuthenticatorFunc(func(context.Context, shopapi.Credentials) (*shopapi.User, error) { return nil, cause })
	})
	cause = fmt.Errorf("users: %w", store.ErrUnavailable)
	s.do("GET", "/api/aisles", "").want(503).has("Retry-After", "1")
	cause = errors.New("secret detail")
	if s.do("GET", "/api/aisles", "").want(500); !strings.Contains(s.log.String(), "secret detail") {
		t.Error("the log lacks the cause")
	}
	cause = nil // and no user: a mistake of the Authenticator must not let a client in
	s.do("GET", "/api/aisles", "").want(401)
}

// A key reaches no log, whichever way credentials are printed.
func TestAuthentication_KeyIsHidden(t *testing.T) {
	c := shopapi.Credentials{Email: "root@example.com", Key: "secret"}
	for _, format := range []string{"%v", "%+v", "%#v", "%s", "%q"} {
		if got := fmt.Sprintf(format, c); strings.Contains(got, "secret") || !strings.Contains(got, "root@example.com") {
			t.Errorf("%s prints %s", format, got)
		}
	}
}

// §3: after 30 wrong credentials within a minute from one address, further
// ones that are not known good are refused unseen.
func TestLoginLimit_PerAddress(t *testing.T) {
	s := newShop(t)
	wrong := func(i int, addr string) *reply {
		return s.do("GET", "/api/aisles", "", as(fmt.Sprintf("user%d@example.com", i), "wrong"), from(addr))
	}
	for i := range 30 {
		wrong(i, "192.0.2.1:1000").want(401)
		s.now = s.now.Add(time.Second)
	}
	wrong(30, "192.0.2.1:2000").want(429).has("Retry-After", "30").contains("Too many")
	wrong(31, "192.0.2.2:1000").want(401)
	// Good credentials that were never seen are refused unseen as well.
	s.do("GET", "/api/aisles", "", from("192.0.2.1:1000")).want(429)
	s.do("GET", "/api/aisles", "", from("192.0.2.2:1000")).want(200)
	// A refused attempt does not lengthen the wait.
	s.now = s.now.Add(29 * time.Second)
	wrong(32, "192.0.2.1:1000").want(429).has("Retry-After", "1")
	s.now = s.now.Add(time.Second)
	wrong(33, "192.0.2.1:1000").want(401)
	s.do("GET", "/api/aisles", "", from("192.0.2.1:1000")).want(200)
}

// §3: or on one e-mail, from many addresses, in whatever spelling.
func TestLoginLimit_PerEmail(t *testing.T) {
	s := newShop(t)
	for i := range 30 {
		s.do("GET", "/api/aisles", "", as(" Root@EXAMPLE.com", fmt.Sprint("wrong", i)), from(fmt.Sprintf("192.0.2.%d:1", i))).want(401)
	}
	s.do("GET", "/api/aisles", "", as("root@example.com", "wrong"), from("198.51.100.1:1")).want(429)
	s.do("GET", "/api/aisles", "", as("clerk@example.com", "wrong"), from("198.51.100.1:1")).want(401)
}

// An IPv6 client has a whole /64 at its disposal.
func TestLoginLimit_IPv6(t *testing.T) {
	s := newShop(t)
	for i := range 30 {
		s.do("GET", "/api/aisles", "", as(fmt.Sprint(i), "wrong"), from(fmt.Sprintf("[2001:db8:0:1::%x]:1", i+1))).want(401)
	}
	s.do("GET", "/api/aisles", "", as("a", "wrong"), from("[2001:db8:0:1:ffff::1]:1")).want(429)
	s.do("GET", "/api/aisles", "", as("a", "wrong"), from("[2001:db8:0:2::1]:1")).want(401)
}

// §3: credentials that were good before keep working meanwhile, from that address
// too, so that an attacker cannot lock the owner out.
func TestLoginLimit_KnownGoodCredentialsPass(t *testing.T) {
	s := newShop(t)
	s.do("GET", "/api/aisles", "").want(200)
	for range 40 {
		s.do("GET", "/api/aisles", "", as("root@example.com", "wrong"))
	}
	s.do("GET", "/api/aisles", "", as("root@example.com", "wrong")).want(429)
	s.do("GET", "/api/aisles", "").want(200)
	s.do("GET", "/api/aisles", "", from("198.51.100.1:1")).want(200)
}

// Credentials that are no longer good are not known good any more.
func TestLoginLimit_RevokedCredentials(t *testing.T) {
	var revoked atomic.Bool
	s := newShop(t)
	good := s.authenticate
	api := shopapi.New(&shopapi.Options{
		Clock:  func() time.Time { return s.now },
		Limits: shopapi.Limits{LoginFailures: 1},
		Authenticator: shopapi.AuthenticatorFunc(func(ctx context.Context, c shopapi.Credentials) (*shopapi.User, error) {
			if revoked.Load() {
				return nil, shopapi.ErrBadCredentials
			}
			return good(ctx, c)
		}),
	})
	s.API = api
	s.do("GET", "/api/aisles", "").want(404)
	revoked.Store(true)
	s.do("GET", "/api/aisles", "").want(401)
	revoked.Store(false)
	s.do("GET", "/api/aisles", "").want(429)
}

// §3: a request without credentials does not count.
func TestLoginLimit_WithoutCredentials(t *testing.T) {
	s := newShop(t)
	for range 40 {
		s.do("GET", "/api/aisles", "", anonymous).want(401)
		s.do("GET", "/api/aisles", "", anonymous, with("Authorization", "Bearer x")).want(401)
	}
	s.do("GET", "/api/aisles", "").want(200)
}

// §3: limits are options.
func TestLoginLimit_Limits(t *testing.T) {
	s := newShop(t, func(o *shopapi.Options) {
		o.Limits.LoginFailures, o.Limits.LoginWindow = 2, time.Hour
	})
	for _, want := range []int{401, 401, 429} {
		s.do("GET", "/api/aisles", "", as("root@example.com", "wrong")).want(want)
	}
	s.now = s.now.Add(59 * time.Minute)
	s.do("GET", "/api/aisles", "", as("root@example.com", "wrong")).want(429).has("Retry-After", "60")
}

// §3: a privilege that is missing is 403, on the operation and on each parent.
func TestPrivileges(t *testing.T) {
	clerk := as("clerk@example.com", "key")
	for _, test := range []struct {
		method, address string
		needs           []string
		want            int
	}{
		{"GET", "/api/aisles", []string{"view_aisles"}, 200},
		{"HEAD", "/api/aisles", []string{"view_aisles"}, 200},
		{"GET", "/api/aisles/1", []string{"view_aisles"}, 200},
		{"POST", "/api/aisles", []string{"manage_aisles"}, 201},
		{"PUT", "/api/aisles/1", []string{"manage_aisles"}, 200},
		{"DELETE", "/api/aisles/1", []string{"manage_aisles"}, 204},
		{"GET", "/api/aisles/1/shelves", []string{"view_aisles", "view_shelves"}, 200},
		{"DELETE", "/api/aisles/1/shelves/1/labels/1", []string{"view_aisles", "view_shelves", "manage_labels"}, 204},
	} {
		t.Run(test.method+test.address, func(t *testing.T) {
			for _, missing := range test.needs {
				s := newShop(t)
				for _, p := range test.needs {
					s.clerk[p] = p != missing
				}
				r := s.do(test.method, test.address, "name=x", clerk).want(403)
				if test.method != "HEAD" {
					r.contains("privilege " + missing)
				}
				if len(s.trace) > 0 {
					t.Errorf("operations ran: %q", s.trace)
				}
			}
			s := newShop(t)
			for _, p := range test.needs {
				s.clerk[p] = true
			}
			s.do(test.method, test.address, "name=x", clerk).want(test.want)
		})
	}
}

// Guarded is an entity that vendors reach only under aisles.
type guarded struct{ *things }

func (g guarded) Authorize(u *shopapi.User, op shopapi.Operation, parents []string) error {
	if u.IsVendor() && !slices.Equal(parents, []string{"aisles"}) {
		return shopapi.Errorf(403, "Vendors cannot %s here.", op)
	}
	return nil
}

// §10: an entity may ask for more than privileges, at the same place in the order
// of the checks.
func TestPrivileges_Authorizer(t *testing.T) {
	vendor := &shopapi.User{ID: 1, Type: shopapi.Vendor, CompanyID: 5, Privileges: map[string]bool{"view_aisles": true, "view_shelves": true, "manage_shelves": true}}
	s := newShop(t)
	s.API = shopapi.New(&shopapi.Options{Authenticator: shopapi.AuthenticatorFunc(func(context.Context, shopapi.Credentials) (*shopapi.User, error) {
		return vendor, nil
	})})
	for _, e := range []shopapi.Entity{s.aisles, guarded{s.shelves}} {
		if err := s.Register(e); err != nil {
			t.Fatal(err)
		}
	}
	s.do("GET", "/api/shelves", "").want(403).contains("Vendors cannot list here.")
	s.do("PUT", "/api/shelves/1", "", with("Content-Type", "text/xml")).want(403).contains("cannot update")
	s.do("GET", "/api/shelves", "", with("Accept", "image/png")).want(406)
	s.do("GET", "/api/aisles/1/shelves", "").want(200)
	delete(vendor.Privileges, "view_shelves")
	s.do("GET", "/api/shelves", "").want(403).contains("privilege view_shelves")
}

// A confined entity answers the company that it is confined to.
type confined struct{ answers }

func (c confined) Describe() shopapi.Description {
	d := c.answers.Describe()
	d.Parents = []string{"aisles", "stores", "vendors"}
	return d
}

func (confined) List(ctx context.Context, _ *shopapi.Request) (any, error) {
	company, ok := shopapi.CompanyOf(ctx)
	return shopapi.Map{{"company", company}, {"confined", ok}}, nil
}

// §11: under stores and vendors, and for vendors anywhere, there is one company.
func TestEditions_Company(t *testing.T) {
	user := &shopapi.User{Type: shopapi.Administrator, Root: true}
	api := shopapi.New(&shopapi.Options{Authenticator: shopapi.AuthenticatorFunc(func(context.Context, shopapi.Credentials) (*shopapi.User, error) {
		return user, nil
	})})
	s := newShop(t)
	s.API = api
	for _, e := range []shopapi.Entity{newThings("stores", &s.trace), newThings("vendors", &s.trace), newThings("aisles", &s.trace), confined{}} {
		if err := api.Register(e); err != nil {
			t.Fatal(err)
		}
	}
	s.do("GET", "/api/answers", "").is(`{"company":0,"confined":false}`)
	s.do("GET", "/api/aisles/2/answers", "").is(`{"company":0,"confined":false}`)
	s.do("GET", "/api/stores/2/answers", "").is(`{"company":2,"confined":true}`)
	s.do("GET", "/api/vendors/3/answers", "").is(`{"company":3,"confined":true}`)
	user = &shopapi.User{Type: shopapi.Vendor, Root: true, CompanyID: 3}
	for _, address := range []string{"/api/answers", "/api/aisles/2/answers", "/api/stores/3/answers"} {
		s.do("GET", address, "").is(`{"company":3,"confined":true}`)
	}
	s.do("GET", "/api/stores/2/answers", "").want(404).contains("store")
}

// §3: a host may rename any privilege.
func TestPrivileges_Renamed(t *testing.T) {
	s := newShop(t, func(o *shopapi.Options) {
		o.Privileges = map[string]shopapi.Privileges{"aisles": {View: "walk", Manage: "build"}}
	})
	clerk := as("clerk@example.com", "key")
	s.clerk["view_aisles"], s.clerk["build"] = true, true
	s.do("GET", "/api/aisles", "", clerk).want(403).contains("walk")
	s.do("PUT", "/api/aisles/1", "name=x", clerk).want(200)
}

// The host's own Go code, a nil user, may do everything.
func TestPrivileges_Host(t *testing.T) {
	var host *shopapi.User
	if !host.Can("anything") {
		t.Error("the host may not do everything")
	}
	vendor := &shopapi.User{Type: shopapi.Vendor, CompanyID: 5}
	if host.IsVendor() || !vendor.IsVendor() {
		t.Error("only users of type V are vendors")
	}
	if vendor.Can("anything") {
		t.Error("a vendor without groups has a privilege")
	}
}
