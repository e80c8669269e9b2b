// Package notestest has a small entity for tests of cached responses.
package notestest

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/memory"
)

// A Note is an object of [Notes].
type Note struct {
	NoteID int64  `json:"note_id,string" store:"key"`
	Text   string `json:"text"`
}

// Table contains the notes.
var Table = store.MustTable[Note]("notes")

// Notes are an entity that counts how often it is asked.
type Notes struct {
	Store       store.Store
	Name        string
	Asked       atomic.Int64
	Uncacheable bool
	Look        string // entity that each list looks into
	Clock       bool   // lists depend on the time
}

// Describe implements [shopapi.Entity].
func (n *Notes) Describe() shopapi.Description {
	return shopapi.Description{Name: n.Name, IDField: "note_id", Privileges: shopapi.Privileges{View: "view", Manage: "manage"}, Cacheable: !n.Uncacheable}
}

// List implements [shopapi.Lister].
func (n *Notes) List(ctx context.Context, r *shopapi.Request) (any, error) {
	n.Asked.Add(1)
	if n.Clock {
		r.API().Now(ctx)
	}
	if n.Look != "" {
		if _, err := r.API().Lookup(ctx, n.Look, "1"); err != nil {
			return nil, err
		}
	}
	var list []Note
	err := n.Store.View(ctx, func(_ context.Context, tx store.Tx) (err error) {
		list, err = Table.Select(tx, store.Query{})
		return err
	})
	return list, err
}

// Create implements [shopapi.Creator].
func (n *Notes) Create(ctx context.Context, r *shopapi.Request) (shopapi.Reply, error) {
	var v Note
	if err := r.Bind(&v); err != nil {
		return shopapi.Reply{}, err
	}
	err := n.Store.Update(ctx, func(_ context.Context, tx store.Tx) error { return Table.Insert(tx, &v) })
	return shopapi.Reply{ID: shopapi.FormatID(v.NoteID)}, err
}

// An Authenticator allows its users to be cached.
type Authenticator struct{ shopapi.AuthenticatorFunc }

// CacheUsers reports that users may be cached.
func (Authenticator) CacheUsers() bool { return true }

// Serve returns an API over notes in a store of their own.
func Serve(t *testing.T, n *Notes, opts *shopapi.Options) *shopapi.API {
	t.Helper()
	n.Store, n.Name = memory.New(), "notes"
	if err := n.Store.Migrate(t.Context(), Table.Schema()); err != nil {
		t.Fatal(err)
	}
	api := shopapi.New(opts)
	if err := api.Register(n); err != nil {
		t.Fatal(err)
	}
	return api
}

// ServeUsers returns an API over notes and other entities. It reads each user from the store of the
// notes; logins counts these reads.
func ServeUsers(t *testing.T, n *Notes, opts shopapi.Options, others ...shopapi.Entity) (handler http.Handler, logins *atomic.Int64) {
	t.Helper()
	logins = &atomic.Int64{}
	opts.Authenticator = Authenticator{func(ctx context.Context, _ shopapi.Credentials) (*shopapi.User, error) {
		logins.Add(1)
		err := n.Store.View(ctx, func(_ context.Context, tx store.Tx) error {
			_, err := Table.Count(tx)
			return err
		})
		return &shopapi.User{Root: true, Type: shopapi.Administrator}, err
	}}
	api := Serve(t, n, &opts)
	for _, e := range others {
		if err := api.Register(e); err != nil {
			t.Fatal(err)
		}
	}
	return api, logins
}

// Ask sends a request, and returns the response.
func Ask(t *testing.T, h http.Handler, method, address, body string) *httptest.ResponseRecorder {
	t.Helper()
	req := httptest.NewRequestWithContext(t.Context(), method, address, strings.NewReader(body))
	req.SetBasicAuth("a@example.org", "key")
	req.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, req)
	return w
}
