package users_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/internal/entitytest"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/users"
)

// now is what the clock of every test shows.
var now = time.Unix(1_700_000_000, 0)

// rootEmail is the first administrator of every shop, user 1.
const rootEmail = "root@example.com"

// A shop is an API with users, who sign in with their real keys, and the one who
// asks.
type shop struct {
	testing.TB
	api    *shopapi.API
	st     store.Store
	users  *users.Users
	email  string
	keys   map[string]string // by e-mail
	events *[]string         // what the observer was told
	hashed *int              // passwords so far
}

// everyStore runs a test in a shop with the options, over each store.
func everyStore(t *testing.T, options shopapi.Options, test func(t *testing.T, s *shop)) {
	t.Helper()
	entitytest.EachStore(t, func(t *testing.T, st store.Store) { test(t, newShop(t, st, options)) })
}

func newShop(t testing.TB, st store.Store, options shopapi.Options) *shop {
	t.Helper()
	s := &shop{TB: t, st: st, email: rootEmail, events: new([]string)}
	key, created, err := users.EnsureRoot(t.Context(), st, rootEmail)
	if err != nil || !created {
		t.Fatalf("EnsureRoot: created %v, %v", created, err)
	}
	s.keys = map[string]string{rootEmail: key}
	options.Clock = func() time.Time { return now }
	options.Authenticator = users.NewAuthenticator(st)
	options.Observer = func(_ context.Context, e shopapi.Event) {
		by := "the host"
		if e.User != nil {
			by = shopapi.FormatID(e.User.ID)
		}
		*s.events = append(*s.events, fmt.Sprintf("%s %s %s by %s", e.Operation, e.Entity, e.ID, by))
	}
	s.api = shopapi.New(&options)
	if s.users, err = users.Register(t.Context(), s.api, st); err != nil {
		t.Fatal(err)
	}
	s.hashed = s.users.HashCheaply()
	return s
}

// as is the same shop, used by another user.
func (s *shop) as(email string) *shop {
	other := *s
	other.email = email
	return &other
}

// over is the same shop in a subtest.
func (s *shop) over(t testing.TB) *shop {
	other := *s
	other.TB = t
	return &other
}

// send sends a request; a body that begins with { is JSON, any other a form.
func (s *shop) send(method, path, body string) *httptest.ResponseRecorder {
	return entitytest.Send(s.api, s.email, s.keys[s.email], method, path, body)
}

// call sends a request that is to be answered with the status, and returns the
// body.
func (s *shop) call(status int, method, path, body string) string {
	s.Helper()
	w := s.send(method, "/api/2.0/"+path, body)
	if w.Code != status {
		s.Fatalf("%s %s %.200s: status %d, want %d; body %.500s", method, path, body, w.Code, status, w.Body)
	}
	return w.Body.String()
}

// refuses checks that a write is answered 400, that the answer names exactly the
// fields, and that nothing changed.
func (s *shop) refuses(method, path, body string, fields ...string) {
	s.Helper()
	s.unchanged(func() {
		var answer struct {
			Message string
			Errors  map[string]string
		}
		decode(s, s.call(400, method, path, body), &answer)
		if answer.Message == "" {
			s.Errorf("%s %s %.200s: no message", method, path, body)
		}
		slices.Sort(fields)
		if diff := cmp.Diff(fields, slices.Sorted(maps.Keys(answer.Errors))); diff != "" {
			s.Errorf("%s %s %.200s: the fields named differ (-want +got):\n%s", method, path, body, diff)
		}
	})
}

// forbids checks that a request is answered 403 and that nothing changed.
func (s *shop) forbids(method, path, body string) {
	s.Helper()
	s.unchanged(func() { s.call(403, method, path, body) })
}

// flush waits until the observer has been told of everything.
func (s *shop) flush() {
	s.Helper()
	if err := s.api.Flush(context.Background()); err != nil {
		s.Error(err)
	}
}

// unchanged checks that what do does leaves all users, groups and memberships as
// they were, keys included, and that nobody is told of a change.
func (s *shop) unchanged(do func()) {
	s.Helper()
	s.flush()
	before, events := s.dump(), slices.Clone(*s.events)
	do()
	s.flush()
	if diff := cmp.Diff(before, s.dump()); diff != "" {
		s.Errorf("the shop changed (-before +after):\n%s", diff)
	}
	if diff := cmp.Diff(events, *s.events); diff != "" {
		s.Errorf("the observer was told of (-before +after):\n%s", diff)
	}
}

// dump is all that the host's own code finds, and who can still sign in.
func (s *shop) dump() []string {
	s.Helper()
	var lines []string
	add := func(v any) {
		line, err := json.Marshal(v)
		if err != nil {
			s.Fatal(err)
		}
		lines = append(lines, string(line))
	}
	ctx := context.Background()
	list, _, err := s.users.Find(ctx, users.Filter{})
	if err != nil {
		s.Fatal(err)
	}
	for _, u := range list {
		add(u)
		m, err := s.users.Memberships(ctx, u.UserID)
		if err != nil {
			s.Fatal(err)
		}
		add(m)
	}
	groups, _, err := s.users.Groups().Find(ctx, users.GroupFilter{})
	if err != nil {
		s.Fatal(err)
	}
	add(groups)
	for _, email := range slices.Sorted(maps.Keys(s.keys)) {
		_, err := users.NewAuthenticator(s.st).Authenticate(ctx, shopapi.Credentials{Email: email, Key: s.keys[email]})
		lines = append(lines, fmt.Sprint(email, " ", err))
	}
	return lines
}

// add creates a user over HTTP and returns the id.
func (s *shop) add(body string) int64 {
	s.Helper()
	var reply struct {
		ID int64 `json:"user_id,string"`
	}
	decode(s, s.call(201, "POST", "users", body), &reply)
	return reply.ID
}

// customer creates a customer of the default company.
func (s *shop) customer(email string) int64 {
	s.Helper()
	return s.add(fmt.Sprintf(`{"email": %q, "user_type": "C", "company_id": 1}`, email))
}

// staff creates a user of the type and company who has the privileges and a key.
func (s *shop) staff(email, userType string, company int64, privileges ...string) int64 {
	s.Helper()
	id := s.add(fmt.Sprintf(`{"email": %q, "user_type": %q, "company_id": %d}`, email, userType, company))
	if len(privileges) > 0 {
		s.join(id, s.group("A", privileges...))
	}
	key, err := s.users.GenerateKey(context.Background(), id)
	if err != nil {
		s.Fatal(err)
	}
	s.keys[email] = key
	return id
}

// group creates an active group and returns its id.
func (s *shop) group(groupType string, privileges ...string) int64 {
	s.Helper()
	g, err := s.users.Groups().Create(context.Background(), users.Group{Type: shopapi.UserType(groupType), Status: users.Active, Name: "Group"})
	if err == nil && len(privileges) > 0 {
		err = s.users.Groups().SetPrivileges(context.Background(), g.UsergroupID, privileges...)
	}
	if err != nil {
		s.Fatal(err)
	}
	return g.UsergroupID
}

func (s *shop) join(user, group int64) {
	s.Helper()
	if err := s.users.SetMembership(context.Background(), user, group, users.Member); err != nil {
		s.Fatal(err)
	}
}

// list reads a list of users and returns one field of each, with spaces between.
func (s *shop) list(query, field string) string {
	s.Helper()
	var answer struct{ Users []map[string]any }
	decode(s, s.call(200, "GET", "users"+query, ""), &answer)
	texts := make([]string, len(answer.Users))
	for i, u := range answer.Users {
		texts[i] = fmt.Sprint(u[field])
	}
	return strings.Join(texts, " ")
}

func at(id int64) string      { return "users/" + shopapi.FormatID(id) }
func groupAt(id int64) string { return "usergroups/" + shopapi.FormatID(id) }
func linkAt(user, group int64) string {
	return at(user) + "/" + groupAt(group)
}

var (
	decode   = entitytest.Decode
	sameJSON = entitytest.SameJSON
)
