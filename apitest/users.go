package apitest

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/shopapi/shopapi"
)

// User returns a client for a new administrator of the whole shop who has exactly
// these privileges. [Shop.Events] does not tell of what it takes to make one.
func (s *Shop) User(privileges ...string) *Client {
	s.T.Helper()
	return s.newUser(shopapi.User{Type: shopapi.Administrator}, privileges)
}

// UserOf returns a client for a new user of a company who has exactly these
// privileges: one of a vendor or, in the edition with several storefronts, an
// administrator of a storefront (§11). The single store knows company 1 alone.
func (s *Shop) UserOf(company int64, privileges ...string) *Client {
	s.T.Helper()
	u := shopapi.User{Type: shopapi.Vendor, CompanyID: company}
	if s.Edition() == shopapi.MultiStorefront {
		u.Type = shopapi.Administrator
	}
	return s.newUser(u, privileges)
}

func (s *Shop) newUser(u shopapi.User, privileges []string) *Client {
	s.T.Helper()
	if s.accounts != nil {
		u.Privileges = map[string]bool{}
		for _, name := range privileges {
			u.Privileges[name] = true
		}
		u.Email = fmt.Sprintf("user%d@example.com", s.accounts.count()+1)
		return s.As(u.Email, s.accounts.add(u))
	}
	defer s.events.ignore(s)()
	group := s.made("usergroups", "usergroup_id", map[string]any{
		"type": shopapi.Administrator, "status": "A", "usergroup": strings.Join(privileges, ", "), "privileges": privileges,
	})
	u.Email = fmt.Sprintf("user.of.group%d@example.com", group)
	id := s.made("users", "user_id", map[string]any{"email": u.Email, "user_type": u.Type, "company_id": u.CompanyID})
	joined := s.Put(fmt.Sprintf("/api/2.0/users/%d/usergroups/%d", id, group), `{"status": "A"}`)
	if joined.Status != 200 {
		s.T.Fatalf("apitest: a new user could not join his group: %d %s", joined.Status, joined.Body)
	}
	key, err := s.Users.GenerateKey(s.T.Context(), id)
	if err != nil {
		s.T.Fatalf("apitest: %v", err)
	}
	return s.As(u.Email, key)
}

// made creates an object as the root user and returns its id.
func (s *Shop) made(entity, idField string, fields any) int64 {
	s.T.Helper()
	answer := s.Post("/api/2.0/"+entity, encoded(s.T, fields))
	if answer.Status != 201 {
		s.T.Fatalf("apitest: POST %s: %d %s", entity, answer.Status, answer.Body)
	}
	id, err := strconv.ParseInt(answer.Field(idField), 10, 64)
	if err != nil {
		s.T.Fatalf("apitest: POST %s: %v", entity, err)
	}
	return id
}

// accounts are the users of a shop that has no users entity, or whose host has an
// Authenticator, which is asked for all others.
type accounts struct {
	next shopapi.Authenticator

	mu      sync.Mutex
	byEmail map[string]*shopapi.User
}

// accountKey is the API key of all accounts.
const accountKey = "the key of an account in a test"

// add adds a user, gives him the next id, and returns his key.
func (a *accounts) add(u shopapi.User) (key string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.byEmail == nil {
		a.byEmail = map[string]*shopapi.User{}
	}
	u.ID = int64(len(a.byEmail)) + 1
	a.byEmail[u.Email] = &u
	return accountKey
}

func (a *accounts) count() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.byEmail)
}

// Authenticate implements [shopapi.Authenticator].
func (a *accounts) Authenticate(ctx context.Context, c shopapi.Credentials) (*shopapi.User, error) {
	a.mu.Lock()
	user := a.byEmail[strings.ToLower(strings.TrimSpace(c.Email))]
	a.mu.Unlock()
	switch {
	case user != nil && c.Key == accountKey:
		return user, nil
	case a.next != nil:
		return a.next.Authenticate(ctx, c)
	}
	return nil, shopapi.ErrBadCredentials
}
