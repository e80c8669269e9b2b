package shopapi_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/store"
)

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
	n, allowed := &notes{}, true
	api := cachedNotes(t, n, &shopapi.Options{
		Identify: func(*http.Request) (*shopapi.User, error) {
			if !allowed {
				return nil, shopapi.Errorf(403, "Signed out.")
			}
			return &shopapi.User{ID: 1, Root: true}, nil
		},
	})
	for range 3 {
		askNotes(t, api, "GET", "/api/notes", "")
	}
	if n.asked.Load() != 1 {
		t.Errorf("the entity was asked %d times, want once", n.asked.Load())
	}
	allowed = false
	if w := askNotes(t, api, "GET", "/api/notes", ""); w.Code != 403 {
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
