package docs_test

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store/memory"
)

// employees are the users of a host, with the SHA-256 of their API keys.
type employees struct {
	byEmail   map[string]employee
	bySession map[string]employee
}

type employee struct {
	id        int64
	keyHash   [sha256.Size]byte
	mayManage bool
}

func (e employee) user() *shopapi.User {
	return &shopapi.User{
		ID:   e.id,
		Type: shopapi.Administrator,
		Privileges: map[string]bool{
			"view_catalog":   true,
			"manage_catalog": e.mayManage,
		},
	}
}

// Authenticate returns the user of a request's credentials.
func (es employees) Authenticate(_ context.Context, c shopapi.Credentials) (*shopapi.User, error) {
	e, known := es.byEmail[strings.ToLower(strings.TrimSpace(c.Email))]
	hash := sha256.Sum256([]byte(c.Key))
	if subtle.ConstantTimeCompare(hash[:], e.keyHash[:]) == 0 || !known {
		return nil, shopapi.ErrBadCredentials
	}
	return e.user(), nil
}

// identify returns the user of a request's session.
func (es employees) identify(req *http.Request) (*shopapi.User, error) {
	cookie, err := req.Cookie("session")
	if err != nil {
		return nil, nil // no session: the credentials decide
	}
	e, ok := es.bySession[cookie.Value]
	if !ok {
		return nil, shopapi.Errorf(http.StatusUnauthorized, "The session is over. Sign in again.")
	}
	return e.user(), nil
}

// newStaffShop is a shop whose users are the host's.
func newStaffShop(ctx context.Context, es employees) (*shop.Shop, error) {
	admin, err := shop.New(ctx, memory.New(), &shop.Options{
		Options: shopapi.Options{Authenticator: es, Identify: es.identify},
		Without: []string{"users"},
	})
	return admin, err
}

func TestUsersOfTheHost(t *testing.T) {
	ana := employee{id: 1, keyHash: sha256.Sum256([]byte("a key of Ana's"))}
	admin, err := newStaffShop(t.Context(), employees{
		byEmail:   map[string]employee{"ana@example.com": ana},
		bySession: map[string]employee{"f00d": ana},
	})
	if err != nil {
		t.Fatal(err)
	}
	basic := func(key string) func(*http.Request) {
		return func(r *http.Request) { r.SetBasicAuth("Ana@example.com", key) }
	}
	session := func(id string) func(*http.Request) {
		return func(r *http.Request) { r.AddCookie(&http.Cookie{Name: "session", Value: id}) }
	}
	for _, c := range []struct {
		name, method string
		with         func(*http.Request)
		status       int
	}{
		{"a key", "GET", basic("a key of Ana's"), 200},
		{"a wrong key", "GET", basic("guess"), 401},
		{"a session", "GET", session("f00d"), 200},
		{"a session that is over", "GET", session("dead"), 401},
		{"a privilege that is lacking", "DELETE", session("f00d"), 403},
	} {
		address := "/api/2.0/categories"
		if c.method == "DELETE" {
			address += "/1"
		}
		r := httptest.NewRequest(c.method, address, nil)
		c.with(r)
		w := httptest.NewRecorder()
		admin.ServeHTTP(w, r)
		if w.Code != c.status {
			t.Errorf("%s: %s is answered %d, want %d", c.name, c.method, w.Code, c.status)
		}
	}
}
