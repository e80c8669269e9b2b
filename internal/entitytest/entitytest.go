// Package entitytest is what the tests of the entity packages share: the stores
// they run over, users who can sign in, requests, and objects of a host. The tests
// of hosts have package apitest.
package entitytest

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/memory"
	"github.com/shopapi/shopapi/store/sqlite"
)

// EachStore runs a test over each store that needs nothing outside the process,
// and closes it.
func EachStore(t *testing.T, test func(t *testing.T, st store.Store)) {
	t.Helper()
	for name, open := range map[string]func(testing.TB) store.Store{"memory": Memory, "sqlite": SQLite} {
		t.Run(name, func(t *testing.T) { test(t, open(t)) })
	}
}

// Memory returns a store in memory, which is closed when the test ends.
func Memory(t testing.TB) store.Store { return closing(t, memory.New()) }

// SQLite returns a store in a file of its own, which is closed when the test ends.
func SQLite(t testing.TB) store.Store {
	t.Helper()
	st, err := sqlite.Open(context.Background(), filepath.Join(t.TempDir(), "shop.db"), nil)
	if err != nil {
		t.Fatal(err)
	}
	return closing(t, st)
}

func closing(t testing.TB, st store.Store) store.Store {
	t.Cleanup(func() {
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
	return st
}

// Key is the API key of all [Users].
const Key = "key"

// Users can sign in: by e-mail, with [Key].
type Users map[string]*shopapi.User

// Authenticate implements [shopapi.Authenticator].
func (u Users) Authenticate(_ context.Context, c shopapi.Credentials) (*shopapi.User, error) {
	if user, ok := u[c.Email]; ok && c.Key == Key {
		return user, nil
	}
	return nil, shopapi.ErrBadCredentials
}

// Send sends a request; a body that begins with { is JSON, any other a form.
// Further headers are pairs of name and value.
func Send(h http.Handler, email, key, method, address, body string, header ...string) *httptest.ResponseRecorder {
	req := httptest.NewRequest(method, address, strings.NewReader(body))
	req.SetBasicAuth(email, key)
	if strings.HasPrefix(body, "{") {
		req.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, req)
	return w
}

// Decode reads JSON, or ends the test.
func Decode(t testing.TB, body string, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(body), into); err != nil {
		t.Fatalf("%v in %.300s", err, body)
	}
}

// SameJSON compares JSON documents as values, in which "1" and 1 differ.
func SameJSON(t testing.TB, got, want string) {
	t.Helper()
	var g, w any
	Decode(t, got, &g)
	Decode(t, want, &w)
	if diff := cmp.Diff(w, g); diff != "" {
		t.Errorf("the answer differs (-want +got):\n%s", diff)
	}
}

// WantStatus checks that err is an error for clients, of the status.
func WantStatus(t testing.TB, what string, err error, status int) {
	t.Helper()
	var e *shopapi.Error
	if !errors.As(err, &e) || e.Status != status || e.Message == "" {
		t.Errorf("%s: error %v, want one of status %d", what, err, status)
	}
}
