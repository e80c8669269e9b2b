package apitest

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/shopapi/shopapi"
)

// User returns a client for a new administrator of the whole shop with exactly these
// privileges. [Fixture.Events] leaves out the events of creating it.
func (f *Fixture) User(privileges ...string) *Client {
	f.T.Helper()
	return f.newUser(shopapi.User{Type: shopapi.Administrator}, privileges)
}

// UserOf returns a client for a new user of a company with exactly these privileges: a
// vendor's user or, in the edition with several storefronts, an administrator of a
// storefront (§11). It creates a missing company, see [companies.Companies.Ensure]. A
// single store has only company 1.
func (f *Fixture) UserOf(company int64, privileges ...string) *Client {
	f.T.Helper()
	u := shopapi.User{Type: shopapi.Vendor, CompanyID: company}
	if f.api.Edition() == shopapi.MultiStorefront {
		u.Type = shopapi.Administrator
	}
	return f.newUser(u, privileges)
}

func (f *Fixture) newUser(u shopapi.User, privileges []string) *Client {
	f.T.Helper()
	if f.companies != nil && u.CompanyID != 0 {
		if err := f.companies.Ensure(f.T.Context(), u.CompanyID); err != nil {
			f.T.Fatalf("apitest: %v", err)
		}
	}
	if f.accounts != nil {
		u.Privileges = map[string]bool{}
		for _, name := range privileges {
			u.Privileges[name] = true
		}
		u.Email = fmt.Sprintf("user%d@example.com", f.accounts.count()+1)
		return f.As(u.Email, f.accounts.add(u))
	}
	defer f.ignoreEvents()()
	group := f.made("usergroups", "usergroup_id", map[string]any{
		"type": shopapi.Administrator, "status": "A", "usergroup": "Users of a test", "privileges": privileges,
	})
	u.Email = fmt.Sprintf("user.of.group%d@example.com", group)
	id := f.made("users", "user_id", map[string]any{"email": u.Email, "user_type": u.Type, "company_id": u.CompanyID})
	joined := f.Put(fmt.Sprintf("/api/2.0/users/%d/usergroups/%d", id, group), `{"status": "A"}`)
	if joined.Status != 200 {
		f.T.Fatalf("apitest: a new user could not join the group: %d %s", joined.Status, joined.Body)
	}
	key, err := f.users.GenerateKey(f.T.Context(), id)
	if err != nil {
		f.T.Fatalf("apitest: %v", err)
	}
	return f.As(u.Email, key)
}

// made creates an object as the root user and returns its id.
func (f *Fixture) made(entity, idField string, fields any) int64 {
	f.T.Helper()
	answer := f.Post("/api/2.0/"+entity, encoded(f.T, fields))
	if answer.Status != 201 {
		f.T.Fatalf("apitest: POST %s: %d %s", entity, answer.Status, answer.Body)
	}
	id, err := strconv.ParseInt(answer.Field(idField), 10, 64)
	if err != nil {
		f.T.Fatalf("apitest: POST %s: %v", entity, err)
	}
	return id
}

// accounts are the users of a shop without the entity users, or with an Authenticator of
// the host, which authenticates all other users.
type accounts struct {
	next shopapi.Authenticator

	mu      sync.Mutex
	byEmail map[string]*shopapi.User
}

// accountKey is the API key of all accounts.
const accountKey = "the key of an account in a test"

// add adds a user under the next id and returns the key.
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

// CacheUsers implements [shopapi.UserCacher] as the host's Authenticator does: accounts
// do not change.
func (a *accounts) CacheUsers() bool {
	next, ok := a.next.(shopapi.UserCacher)
	return ok && next.CacheUsers()
}
