package shopapi_test

import (
	"github.com/shopapi/shopapi/internal/notestest"

	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/store"
)

// newShopOf returns a shop with these entities. The user makes all requests.
func newShopOf(t *testing.T, o shopapi.Options, user **shopapi.User, entities ...shopapi.Entity) *shop {
	t.Helper()
	o.Authenticator = shopapi.AuthenticatorFunc(func(context.Context, shopapi.Credentials) (*shopapi.User, error) { return *user, nil })
	s := newShop(t)
	s.API = shopapi.New(&o)
	for _, e := range entities {
		if err := s.Register(e); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

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

// A failure of the Authenticator is not the client's fault.
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
	s := newShopOf(t, shopapi.Options{}, &vendor, newThings("aisles", new([]string)), guarded{newThings("shelves", new([]string), "aisles")})
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
	return shopapi.Map{{Name: "company", Value: company}, {Name: "confined", Value: ok}}, nil
}

func newConfinedShop(t *testing.T, edition shopapi.Edition, user **shopapi.User) *shop {
	t.Helper()
	trace := new([]string)
	return newShopOf(t, shopapi.Options{Edition: edition}, user,
		newThings("stores", trace), newThings("vendors", trace), newThings("aisles", trace), confined{})
}

// §11: under stores and vendors, and for vendors anywhere, there is one company.
func TestEditions_Company(t *testing.T) {
	user := &shopapi.User{Type: shopapi.Administrator, Root: true}
	s := newConfinedShop(t, shopapi.SingleStore, &user)
	s.do("GET", "/api/answers", "").is(`{"company":0,"confined":false}`)
	s.do("GET", "/api/aisles/2/answers", "").is(`{"company":0,"confined":false}`)
	s.do("GET", "/api/stores/2/answers", "").is(`{"company":2,"confined":true}`)
	s.do("GET", "/api/vendors/3/answers", "").is(`{"company":3,"confined":true}`)
	user = &shopapi.User{Type: shopapi.Vendor, Root: true, CompanyID: 3}
	for _, address := range []string{"/api/answers", "/api/aisles/2/answers", "/api/stores/3/answers"} {
		s.do("GET", address, "").is(`{"company":3,"confined":true}`)
	}
	s.do("GET", "/api/stores/2/answers", "").want(404).contains("store")
	user = &shopapi.User{Type: shopapi.Administrator, Root: true}
	s.do("GET", "/api/stores/1/answers", "").is(`{"company":0,"confined":false}`) // the only store is the whole shop (decisions §27)
}

// §11: administrators of one storefront are confined to it in the edition with several storefronts.
func TestEditions_AdministratorOfAStorefront(t *testing.T) {
	for edition, want := range map[shopapi.Edition]string{
		shopapi.SingleStore: `{"company":0,"confined":false}`, shopapi.MultiVendor: `{"company":0,"confined":false}`,
		shopapi.MultiStorefront: `{"company":3,"confined":true}`,
	} {
		user := &shopapi.User{Type: shopapi.Administrator, CompanyID: 3, Privileges: map[string]bool{"view": true, "manage": true}}
		s := newConfinedShop(t, edition, &user)
		user.Privileges[confined{}.Describe().Privileges.View] = true
		s.do("GET", "/api/answers", "").is(want)
		if _, confined := shopapi.CompanyOf(s.Confine(t.Context())); confined {
			t.Error("the host itself is confined")
		}
	}
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

// byCookie identifies the users of sessions, as a host with cookies would.
func byCookie(sessions map[string]*shopapi.User, asked *int) func(*http.Request) (*shopapi.User, error) {
	return func(r *http.Request) (*shopapi.User, error) {
		*asked++
		c, err := r.Cookie("session")
		if err != nil {
			return nil, nil // not ours: Basic decides
		}
		return sessions[c.Value], nil
	}
}

// A vendor's user of the host's without a company is not confined to the rows without one:
// it is a mistake of the host, however the user signs in (§11).
func TestUsers_VendorNeedsCompany(t *testing.T) {
	for _, test := range []struct {
		edition shopapi.Edition
		user    shopapi.User
		want    int
	}{
		{shopapi.MultiVendor, shopapi.User{ID: 7, Type: shopapi.Vendor, Root: true}, 500},
		{shopapi.MultiVendor, shopapi.User{ID: 7, Type: shopapi.Vendor, Root: true, CompanyID: -1}, 500},
		{shopapi.MultiVendor, shopapi.User{ID: 7, Type: shopapi.Vendor, Root: true, CompanyID: 2}, 200},
		{shopapi.MultiVendor, shopapi.User{ID: 7, Type: shopapi.Administrator, Root: true}, 200},
		{shopapi.SingleStore, shopapi.User{ID: 7, Type: shopapi.Vendor, Root: true}, 200},
	} {
		found := func(context.Context, int64) (*shopapi.User, error) { return &test.user, nil }
		for name, signIn := range map[string]func(*shopapi.Options){
			"Identify": func(o *shopapi.Options) {
				o.Identify = func(*http.Request) (*shopapi.User, error) { return &test.user, nil }
			},
			"Authenticator": func(o *shopapi.Options) {
				o.Authenticator = shopapi.AuthenticatorFunc(func(context.Context, shopapi.Credentials) (*shopapi.User, error) { return &test.user, nil })
			},
		} {
			s := newShop(t, signIn, func(o *shopapi.Options) { o.Edition, o.UserByID = test.edition, found })
			s.do("GET", "/api/aisles", "").want(test.want)
			if _, err := s.UserByID(t.Context(), 7); (err != nil) != (test.want == 500) {
				t.Errorf("%s, %+v: UserByID returns the error %v", name, test.user, err)
			}
		}
	}
}

func TestIdentify_SessionNeedsNoCredentials(t *testing.T) {
	asked := 0
	clerk := &shopapi.User{ID: 7, Type: shopapi.Administrator, Privileges: map[string]bool{"view_aisles": true}}
	s := newShop(t, func(o *shopapi.Options) {
		o.Identify = byCookie(map[string]*shopapi.User{"s1": clerk}, &asked)
	})
	session := with("Cookie", "session=s1")
	s.do("GET", "/api/aisles", "", anonymous, session).want(200)
	if s.aisles.saw.User != clerk {
		t.Errorf("the entity saw the user %+v", s.aisles.saw.User)
	}
	s.do("DELETE", "/api/aisles/1", "", anonymous, session).want(403).contains("privilege manage_aisles")
	s.do("GET", "/api/aisles", "", as("nobody@example.com", "wrong"), session).want(200)
	s.do("GET", "/api.php?_d=nothing", "", anonymous, session).want(404)

	// Without a session Basic decides.
	s.do("GET", "/api/aisles", "").want(200)
	s.do("GET", "/api/aisles", "", anonymous).want(401).has("WWW-Authenticate", `Basic realm="Store administration", charset="UTF-8"`)
	s.do("GET", "/api/aisles", "", anonymous, with("Cookie", "session=gone")).want(401)
	if asked != 7 {
		t.Errorf("Identify was asked %d times for 7 requests", asked)
	}
}

func TestIdentify_Errors(t *testing.T) {
	var failure error
	s := newShop(t, func(o *shopapi.Options) {
		o.Identify = func(*http.Request) (*shopapi.User, error) { return nil, failure }
	})
	for _, c := range []struct {
		name     string
		err      error
		want     int
		contains string
	}{
		{"an error with a status", shopapi.Errorf(418, "The session is a teapot."), 418, "teapot"},
		{"one that is wrapped", fmt.Errorf("sessions: %w", shopapi.Errorf(403, "Signed out.")), 403, "Signed out."},
		{"any other", errors.New("secret detail"), 500, "could not be served"},
		{"an error of the store that has a status elsewhere", store.ErrNotFound, 500, "could not be served"},
		{"a store that cannot be reached", fmt.Errorf("sessions: %w", store.ErrUnavailable), 503, "busy"},
	} {
		t.Run(c.name, func(t *testing.T) {
			failure = c.err
			s.do("GET", "/api/aisles", "").want(c.want).contains(c.contains)
		})
	}
	if !strings.Contains(s.log.String(), "secret detail") {
		t.Error("the log lacks the cause")
	}
	if len(s.trace) > 0 {
		t.Errorf("operations ran: %q", s.trace)
	}
}

// §3: customers have no API access, however they sign in.
func TestIdentify_CustomersHaveNoAccess(t *testing.T) {
	s := newShop(t, func(o *shopapi.Options) {
		o.Identify = func(*http.Request) (*shopapi.User, error) {
			return &shopapi.User{ID: 3, Type: shopapi.Customer, Root: true}, nil
		}
	})
	s.do("GET", "/api/aisles", "").want(401)
	s.do("GET", "/api/aisles", "", anonymous).want(401)
}

func TestIdentify_PanicIs500(t *testing.T) {
	s := newShop(t, func(o *shopapi.Options) {
		o.Identify = func(*http.Request) (*shopapi.User, error) { panic("no sessions") }
	})
	s.do("GET", "/api/aisles", "").want(500)
	if !strings.Contains(s.log.String(), "no sessions") {
		t.Error("the log lacks the panic")
	}
}

func TestIdentify_EndsWithTheTimeLimit(t *testing.T) {
	s := newShop(t, func(o *shopapi.Options) {
		o.Limits.Time = time.Millisecond
		o.Identify = func(r *http.Request) (*shopapi.User, error) {
			<-r.Context().Done()
			return nil, r.Context().Err()
		}
	})
	s.do("GET", "/api/aisles", "").want(503).has("Retry-After", "1")
}

// The login limiter counts credentials alone.
func TestIdentify_IsNotCountedByTheLoginLimiter(t *testing.T) {
	refuse := true
	s := newShop(t, func(o *shopapi.Options) {
		o.Identify = func(*http.Request) (*shopapi.User, error) {
			if refuse {
				return nil, shopapi.Errorf(401, "Sign in.")
			}
			return nil, nil
		}
	})
	for range 40 {
		s.do("GET", "/api/aisles", "", as("root@example.com", "wrong")).want(401)
	}
	refuse = false
	s.do("GET", "/api/aisles", "", as("root@example.com", "wrong")).want(401)
	s.do("GET", "/api/aisles", "").want(200)
}

func TestIdentify_IsAskedBeforeTheCache(t *testing.T) {
	n, allowed := &notestest.Notes{}, true
	api := notestest.Serve(t, n, &shopapi.Options{
		Identify: func(*http.Request) (*shopapi.User, error) {
			if !allowed {
				return nil, shopapi.Errorf(403, "Signed out.")
			}
			return &shopapi.User{ID: 1, Root: true}, nil
		},
	})
	for range 3 {
		notestest.Ask(t, api, "GET", "/api/notes", "")
	}
	if n.Asked.Load() != 1 {
		t.Errorf("the entity was asked %d times, want once", n.Asked.Load())
	}
	allowed = false
	if w := notestest.Ask(t, api, "GET", "/api/notes", ""); w.Code != 403 {
		t.Errorf("signed out, got %d from the cache", w.Code)
	}
}

func TestIdentify_NotAskedWhileShuttingDown(t *testing.T) {
	asked := 0
	s := newShop(t, func(o *shopapi.Options) { o.Identify = byCookie(nil, &asked) })
	if err := s.Shutdown(context.Background()); err != nil {
		t.Fatal(err)
	}
	s.do("GET", "/api/aisles", "").want(503)
	if asked != 0 {
		t.Error("Identify was asked after Shutdown")
	}
}

// §2, check 0: requests that a browser sends from another site change nothing, whatever
// credentials the browser has.
func TestCrossOrigin_WritesAreRefused(t *testing.T) {
	site := func(s string) header { return with("Sec-Fetch-Site", s) }
	origin := func(s string) header { return with("Origin", s) }
	form := with("Content-Type", "text/plain")
	for _, c := range []struct {
		name    string
		headers []header
		want    int // of a write
	}{
		{"a program", nil, 201},
		{"a form of another site", []header{form, site("cross-site"), origin("https://evil.example")}, 403},
		{"a form of a frame without an origin", []header{form, site("cross-site"), origin("null")}, 403},
		{"a form of a sibling site", []header{form, site("same-site"), origin("https://other.example.com")}, 403},
		{"a form without an Origin", []header{form, site("cross-site")}, 403},
		{"an old browser on another site", []header{form, origin("https://evil.example")}, 403},
		{"a script of another site", []header{with("X-Requested-With", "fetch"), site("cross-site"), origin("https://evil.example")}, 403},
		{"the console on the same origin", []header{form, site("same-origin"), origin("https://example.com")}, 201},
		{"an old browser on the same origin", []header{form, origin("https://example.com")}, 201},
		{"a user at the address bar", []header{form, site("none")}, 201},
		{"a trusted site", []header{form, site("cross-site"), origin("https://admin.example.org")}, 201},
		{"a trusted site in an old browser", []header{form, origin("https://admin.example.org")}, 201},
		{"the trusted site without TLS", []header{form, site("cross-site"), origin("http://admin.example.org")}, 403},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newShop(t, func(o *shopapi.Options) { o.TrustedOrigins = []string{"https://admin.example.org"} })
			r := s.do("POST", "/api/aisles", "name=x", c.headers...).want(c.want)
			if c.want == 403 {
				r.contains("another site")
				if len(s.trace) > 0 {
					t.Errorf("operations ran: %q", s.trace)
				}
				s.do("PUT", "/api/aisles/1", "name=x", c.headers...).want(403)
				s.do("DELETE", "/api/aisles/1", "", c.headers...).want(403)
			}
			s.do("GET", "/api/aisles", "", c.headers...).want(200)
			s.do("HEAD", "/api/aisles", "", c.headers...).want(200)
		})
	}
}

func TestE10_CORS(t *testing.T) {
	s := newShop(t, func(o *shopapi.Options) { o.AllowedOrigins = []string{"https://admin.example.org"} })
	origin, other := with("Origin", "https://admin.example.org"), with("Origin", "https://other.example.org")
	site, asks := with("Sec-Fetch-Site", "cross-site"), with("Access-Control-Request-Method", "PUT")
	const vary = "Accept, Authorization, Origin"
	for _, address := range []string{"/api/aisles/1", "/api/nothing", "/elsewhere"} {
		s.do("OPTIONS", address, "", anonymous, origin, site, asks).want(204).is("").has("Vary", vary).
			has("Access-Control-Allow-Origin", "https://admin.example.org").has("Access-Control-Allow-Credentials", "").
			has("Access-Control-Allow-Headers", "Authorization, Content-Type, Accept, If-Match, If-None-Match, Idempotency-Key")
		s.do("OPTIONS", address, "", anonymous, other, site, asks).want(401).has("Vary", vary).has("Access-Control-Allow-Origin", "")
	}
	if len(s.trace) > 0 {
		t.Errorf("operations ran: %q", s.trace)
	}
	s.do("OPTIONS", "/api/aisles", "", origin).want(405)
	s.do("OPTIONS", "/api/aisles", "", anonymous, with("Origin", "null"), asks).want(401)
	s.do("POST", "/api/aisles", "name=x", origin, site).want(201).has("Access-Control-Allow-Origin", "https://admin.example.org").
		has("Access-Control-Expose-Headers", "ETag, Link, Location, Retry-After, X-Total-Count, RateLimit, RateLimit-Policy")
	s.do("POST", "/api/aisles", "name=x", other, site).want(403).has("Access-Control-Allow-Origin", "")
	s.do("GET", "/api/aisles", "", anonymous, origin).want(401).has("Access-Control-Allow-Origin", "https://admin.example.org").has("Vary", vary)
	s.do("GET", "/api/aisles", "", other).want(200).has("Access-Control-Allow-Origin", "").has("Vary", vary)
	newShop(t).do("GET", "/api/aisles", "", origin).want(200).has("Access-Control-Allow-Origin", "").has("Vary", "Accept, Authorization")
}

// A session of the host's is not to be used by other sites either.
func TestCrossOrigin_BeforeIdentify(t *testing.T) {
	asked := 0
	s := newShop(t, func(o *shopapi.Options) {
		o.Identify = func(*http.Request) (*shopapi.User, error) { asked++; return &shopapi.User{Root: true}, nil }
	})
	s.do("POST", "/api/aisles", "name=x", anonymous, with("Sec-Fetch-Site", "cross-site")).want(403)
	if asked != 0 {
		t.Error("Identify was asked for a request of another site")
	}
	s.do("POST", "/api/aisles", "name=x", anonymous, with("Sec-Fetch-Site", "same-origin")).want(201)
}

// refusalLines returns the lines of the log about refused requests.
func (s *shop) refusalLines() (lines []string) {
	for line := range strings.Lines(s.log.String()) {
		if strings.Contains(line, "refused") {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	return lines
}

// §3: the log records the addresses that guess credentials: a line for each address and kind of
// refusal within a minute, without the credentials.
func TestRefusals_AreLogged(t *testing.T) {
	s := newShop(t)
	for i := range 100 {
		s.do("GET", "/api/aisles/1", "", as("secret-mail", "secret-key"+fmt.Sprint(i)))
		s.do("GET", "/api/aisles", "", as("secret-mail", "secret-key"+fmt.Sprint(i)), from(fmt.Sprintf("[2001:db8::%d:0:0:1]:1", i)))
		s.do("GET", "/api/aisles", "", anonymous, from("198.51.100.1:1"))
	}
	s.now = s.now.Add(time.Minute)
	s.do("GET", "/api/aisles", "", as("secret-mail", "secret-key"), from("")).want(401)
	s.do("GET", "/api/aisles", "").want(200)
	var got []string
	for _, line := range s.refusalLines() {
		_, line, _ = strings.Cut(line, "level=")
		got = append(got, line)
	}
	wrong := `status=401 error="The e-mail address or the API key is wrong." method=GET path=`
	want := []string{
		`INFO msg="a request was refused" address=192.0.2.1 ` + wrong + "/api/aisles/1",
		`INFO msg="a request was refused" address=2001:db8::1 ` + wrong + "/api/aisles",
		`INFO msg="a request was refused" address=198.51.100.1 status=401 error="Send the header Authorization: Basic with the e-mail address of a user and their API key." method=GET path=/api/aisles`,
		`WARN msg="a request was refused" address=192.0.2.1 status=429 error="Too many wrong credentials. Try again later." method=GET path=/api/aisles/1`,
		`WARN msg="a request was refused" address=2001:db8::15:0:0:1 status=429 error="Too many wrong credentials. Try again later." method=GET path=/api/aisles`,
		`INFO msg="more requests were refused" requests=295`,
		`INFO msg="a request was refused" address=unknown ` + wrong + "/api/aisles",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if strings.Contains(s.log.String(), "secret") {
		t.Error("the log has credentials")
	}
}

// However many addresses guess, the log does not fill a disk.
func TestRefusals_LogIsBounded(t *testing.T) {
	s := newShop(t)
	for i := range 3000 {
		s.do("GET", "/api/aisles", "", anonymous, from(fmt.Sprintf("10.0.%d.%d:1", i/250, i%250)))
	}
	if got := len(s.refusalLines()); got != 1000 {
		t.Errorf("%d lines within a minute, want 1000", got)
	}
}

// A key reaches no log, whichever way credentials and users are logged and
// encoded.
func TestAuthentication_KeyIsNotLogged(t *testing.T) {
	c := shopapi.Credentials{Email: "root@example.com", Key: "secret"}
	u := &shopapi.User{ID: 7, Name: "secret", Email: "secret@example.com", Type: shopapi.Vendor, CompanyID: 3, Privileges: map[string]bool{"secret": true}}
	var b bytes.Buffer
	for _, h := range []slog.Handler{slog.NewJSONHandler(&b, nil), slog.NewTextHandler(&b, nil)} {
		slog.New(h).Info("login", "credentials", c, "pointer", &c, "within", struct{ C shopapi.Credentials }{c}, "user", u, "host", (*shopapi.User)(nil))
	}
	if err := json.NewEncoder(&b).Encode(c); err != nil {
		t.Fatal(err)
	}
	if log := b.String(); strings.Contains(log, "secret") || !strings.Contains(log, "root@example.com") ||
		!strings.Contains(log, `"user":{"id":7,"type":"V","company":3}`) || !strings.Contains(log, `"host":"host"`) {
		t.Error(log)
	}
}

// §3: no refusal of credentials that were looked at comes sooner than one for which
// the look took longer.
func TestAuthentication_RefusalsTakeTheSameTime(t *testing.T) {
	s := newShop(t)
	for i := range 50 {
		began := time.Now()
		s.do("GET", "/api/aisles", "", as("root@example.com", fmt.Sprint(i)), from(fmt.Sprintf("192.0.2.%d:1", i)))
		if took := time.Since(began); took < time.Millisecond {
			t.Errorf("a refusal took %s", took)
		}
	}
}

// The use of an API key is reported once on a day.
func TestAuthentication_KeyUse(t *testing.T) {
	now := time.Date(2026, 5, 17, 12, 0, 0, 0, time.UTC)
	user := &shopapi.User{ID: 1, Type: shopapi.Administrator, Root: true, KeyID: "7"}
	s := newShopOf(t, shopapi.Options{Clock: func() time.Time { return now }}, &user, newThings("aisles", new([]string)))
	var used []string
	s.OnKeyUse(func(_ context.Context, keyID string, day time.Time) error {
		used = append(used, keyID+" "+day.Format(time.DateOnly))
		return nil
	})
	for range 2 {
		for range 2 {
			s.do("GET", "/api/aisles/1", "").want(200)
		}
		now = now.AddDate(0, 0, 1)
	}
	if diff := cmp.Diff([]string{"7 2026-05-17", "7 2026-05-18"}, used); diff != "" {
		t.Error(diff)
	}
}
