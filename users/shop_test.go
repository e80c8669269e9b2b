package users_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/internal/shoptest"
	"github.com/shopapi/shopapi/users"
)

// rootEmail is the first administrator of every shop, user 1.
const rootEmail = shoptest.Root

// A shop is an API with users, who sign in with their real keys.
type shop struct {
	*shoptest.Shop
	hashed *int // passwords so far
}

var suite = shoptest.Suite[*shop]{
	Entities: []string{"users"},
	Wrap:     func(s *shoptest.Shop) *shop { return &shop{Shop: s} },
	Fill: func(s *shop) {
		s.Dump = func() any { return s.dump() }
		s.hashed = s.Users.HashCheaply()
	},
}

// as returns the shop, used as another user.
func (s *shop) as(email string) *shop {
	other := *s
	other.Shop = s.As(email)
	return &other
}

// in returns the shop for a subtest.
func (s *shop) in(t testing.TB) *shop {
	other := *s
	other.Shop = s.In(t)
	return &other
}

// dump returns all users that the host's own code finds, and which of them can sign in.
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
	list, _, err := s.Users.Find(ctx, users.Filter{})
	if err != nil {
		s.Fatal(err)
	}
	for _, u := range list {
		add(u)
		m, err := s.Users.Memberships(ctx, u.UserID)
		if err != nil {
			s.Fatal(err)
		}
		add(m)
	}
	groups, _, err := s.Users.Groups().Find(ctx, users.GroupFilter{})
	if err != nil {
		s.Fatal(err)
	}
	add(groups)
	for _, email := range slices.Sorted(maps.Keys(s.Keys)) {
		_, err := users.NewAuthenticator(s.Store).Authenticate(ctx, shopapi.Credentials{Email: email, Key: s.Keys[email]})
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
	decode(s, s.Call(201, "POST", "users", body), &reply)
	return reply.ID
}

// customer creates a customer of the default company.
func (s *shop) customer(email string) int64 {
	s.Helper()
	return s.add(fmt.Sprintf(`{"email": %q, "user_type": "C", "company_id": 1}`, email))
}

// staff creates a user of the type and company with the privileges and a key.
func (s *shop) staff(email, userType string, company int64, privileges ...string) int64 {
	s.Helper()
	id := s.add(fmt.Sprintf(`{"email": %q, "user_type": %q, "company_id": %d}`, email, userType, company))
	if len(privileges) > 0 {
		s.join(id, s.group("A", privileges...))
	}
	key, err := s.Users.GenerateKey(context.Background(), id)
	if err != nil {
		s.Fatal(err)
	}
	s.Keys[email] = key
	return id
}

// group creates an active group and returns its id.
func (s *shop) group(groupType string, privileges ...string) int64 {
	s.Helper()
	g, err := s.Users.Groups().Create(context.Background(), users.Group{Type: shopapi.UserType(groupType), Status: users.Active, Name: "Group"})
	if err == nil && len(privileges) > 0 {
		err = s.Users.Groups().SetPrivileges(context.Background(), g.UsergroupID, privileges...)
	}
	if err != nil {
		s.Fatal(err)
	}
	return g.UsergroupID
}

func (s *shop) join(user, group int64) {
	s.Helper()
	if err := s.Users.SetMembership(context.Background(), user, group, users.Member); err != nil {
		s.Fatal(err)
	}
}

// list reads a list of users and returns one field of each, with spaces between.
func (s *shop) list(query, field string) string {
	s.Helper()
	return s.List("users"+query, field)
}

func at(id int64) string      { return "users/" + shopapi.FormatID(id) }
func groupAt(id int64) string { return "usergroups/" + shopapi.FormatID(id) }
func linkAt(user, group int64) string {
	return at(user) + "/" + groupAt(group)
}

var (
	decode   = shoptest.Decode
	sameJSON = shoptest.SameJSON
)
