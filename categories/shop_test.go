package categories_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/categories"
	"github.com/shopapi/shopapi/internal/entitytest"
	"github.com/shopapi/shopapi/store"
)

// now is what the clock of every test shows.
var now = time.Unix(1_700_000_000, 0)

// users that can sign in, by e-mail.
var users = entitytest.Users{
	"root@example.com":    {ID: 1, Type: shopapi.Administrator, Root: true},
	"reader@example.com":  {ID: 2, Type: shopapi.Administrator, Privileges: map[string]bool{"view_catalog": true}},
	"vendor2@example.com": {ID: 3, Type: shopapi.Vendor, CompanyID: 2, Privileges: map[string]bool{"view_catalog": true, "manage_catalog": true}},
	"vendor3@example.com": {ID: 4, Type: shopapi.Vendor, CompanyID: 3, Privileges: map[string]bool{"view_catalog": true, "manage_catalog": true}},
}

// A shop is an API with categories, and the user of its requests.
type shop struct {
	testing.TB
	api    *shopapi.API
	st     store.Store
	tree   *categories.Categories
	email  string
	events *events
}

// events are what the observer was told.
type events struct {
	mu   sync.Mutex
	list []string
}

func (e *events) add(event shopapi.Event) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.list = append(e.list, fmt.Sprintf("%s %s %s by %d", event.Operation, event.Entity, event.ID, event.User.ID))
}

// told returns what the observer was told so far.
func (s *shop) told() []string {
	s.Helper()
	if err := s.api.Flush(s.Context()); err != nil {
		s.Error(err)
	}
	s.events.mu.Lock()
	defer s.events.mu.Unlock()
	return slices.Clone(s.events.list)
}

// everyStore runs a test over each store that needs nothing outside the process,
// in a shop with the options.
func everyStore(t *testing.T, options shopapi.Options, test func(t *testing.T, s *shop)) {
	t.Helper()
	entitytest.EachStore(t, func(t *testing.T, st store.Store) { test(t, newShop(t, st, options)) })
}

func newShop(t testing.TB, st store.Store, options shopapi.Options) *shop {
	t.Helper()
	s := &shop{TB: t, st: st, email: "root@example.com", events: &events{}}
	options.Logger = slog.New(slog.DiscardHandler)
	options.Clock = func() time.Time { return now }
	options.Observer = func(_ context.Context, e shopapi.Event) { s.events.add(e) }
	options.Authenticator = users
	s.api = shopapi.New(&options)
	tree, err := categories.Register(t.Context(), s.api, st)
	if err != nil {
		t.Fatal(err)
	}
	s.tree = tree
	return s
}

// as is the same shop, used by another user.
func (s *shop) as(email string) *shop {
	other := *s
	other.email = email
	return &other
}

// send sends a request; a body that begins with { is JSON, any other a form.
// Further headers are pairs of name and value.
func (s *shop) send(method, path, body string, header ...string) *httptest.ResponseRecorder {
	return entitytest.Send(s.api, s.email, entitytest.Key, method, path, body, header...)
}

// call sends a request that is to be answered with the status, and returns the
// body.
func (s *shop) call(status int, method, path, body string) string {
	s.Helper()
	w := s.send(method, path, body)
	if w.Code != status {
		s.Fatalf("%s %s %.200s: status %d, want %d; body %.500s", method, path, body, w.Code, status, w.Body)
	}
	return w.Body.String()
}

// add creates a category over the wire and returns its id.
func (s *shop) add(body string) int64 {
	s.Helper()
	var reply struct {
		ID json.Number `json:"category_id"`
	}
	decode(s, s.call(201, "POST", "/api/2.0/categories", body), &reply)
	id, err := reply.ID.Int64()
	if err != nil {
		s.Fatal(err)
	}
	return id
}

// addTo creates a category under a parent.
func (s *shop) addTo(parent int64, name string) int64 {
	s.Helper()
	return s.add(fmt.Sprintf(`{"category": %q, "company_id": 1, "parent_id": %d}`, name, parent))
}

// put changes a category.
func (s *shop) put(status int, id int64, body string) string {
	s.Helper()
	return s.call(status, "PUT", at(id), body)
}

// detail reads one category as a client sees it.
func (s *shop) detail(id int64) map[string]any {
	s.Helper()
	var m map[string]any
	decode(s, s.call(200, "GET", at(id), ""), &m)
	return m
}

// list reads a bare list and returns one field of each of its items, with spaces
// between.
func (s *shop) list(path, field string) string {
	s.Helper()
	var items []map[string]any
	decode(s, s.call(200, "GET", path, ""), &items)
	texts := make([]string, len(items))
	for i, item := range items {
		texts[i] = fmt.Sprint(item[field])
	}
	return strings.Join(texts, " ")
}

// refuses checks that a write is answered 400, that the answer names the fields,
// and that nothing changed.
func (s *shop) refuses(method, path, body string, fields ...string) {
	s.Helper()
	before := s.dump()
	var answer struct {
		Message string
		Status  int
		Errors  map[string]string
	}
	decode(s, s.call(400, method, path, body), &answer)
	if answer.Message == "" || answer.Status != 400 {
		s.Errorf("%s %s %.200s: an error without message or status: %+v", method, path, body, answer)
	}
	for _, f := range fields {
		if answer.Errors[f] == "" {
			s.Errorf("%s %s %.200s: the errors do not name %s: %v", method, path, body, f, answer.Errors)
		}
	}
	if len(answer.Errors) != len(fields) {
		s.Errorf("%s %s %.200s: errors %v, want only %v", method, path, body, answer.Errors, fields)
	}
	s.wantDump(before)
}

// dump is every category, in the order of the tree, as the host's own code reads
// them.
func (s *shop) dump() []categories.Category {
	s.Helper()
	list, _, err := s.tree.Find(context.Background(), categories.Filter{})
	if err != nil {
		s.Fatal(err)
	}
	all := make([]categories.Category, len(list))
	for i, c := range list {
		if all[i], err = s.tree.Get(context.Background(), c.CategoryID); err != nil {
			s.Fatal(err)
		}
	}
	return all
}

func (s *shop) wantDump(want []categories.Category) {
	s.Helper()
	if diff := cmp.Diff(want, s.dump()); diff != "" {
		s.Errorf("the categories changed (-before +after):\n%s", diff)
	}
}

// wholeTree checks that every path and the order of the list are those that the
// parents and positions give.
func (s *shop) wholeTree() {
	s.Helper()
	list, _, err := s.tree.Find(context.Background(), categories.Filter{})
	if err != nil {
		s.Fatal(err)
	}
	m := model{}
	for _, c := range list {
		m[c.CategoryID] = &node{parent: c.ParentID, position: c.Position}
	}
	got := make([]place, len(list))
	for i, c := range list {
		got[i] = place{c.CategoryID, c.IDPath}
	}
	if diff := cmp.Diff(m.walk(), got, cmp.AllowUnexported(place{})); diff != "" {
		s.Errorf("the tree is not whole (-by parents +by paths):\n%s", diff)
	}
}

func at(id int64) string { return "/api/2.0/categories/" + strconv.FormatInt(id, 10) }

var (
	decode     = entitytest.Decode
	sameJSON   = entitytest.SameJSON
	wantStatus = entitytest.WantStatus
)
