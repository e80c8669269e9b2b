package users_test

import (
	"context"
	"errors"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/internal/shoptest"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/postgres"
	"github.com/shopapi/shopapi/store/postgres/pgtest"
	"github.com/shopapi/shopapi/store/sqlite"
	"github.com/shopapi/shopapi/users"
)

// TestEnsureRoot_OnlyTheFirst: the second call changes nothing and returns no key.
func TestEnsureRoot_OnlyTheFirst(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		s.Unchanged(func() {
			for _, email := range []string{rootEmail, "other@example.com", ""} {
				if key, created, err := users.EnsureRoot(t.Context(), s.Store, email); key != "" || created || err != nil {
					t.Errorf("%q: key %q, created %v, %v", email, key, created, err)
				}
			}
		})
	})
}

// TestEnsureRoot_BadEmail is a 400, and leaves no user behind.
func TestEnsureRoot_BadEmail(t *testing.T) {
	shoptest.EachStore(t, func(t *testing.T, st store.Store) {
		for _, email := range []string{"", "root", "a:b@example.com"} {
			if key, created, err := users.EnsureRoot(t.Context(), st, email); key != "" || created || status(err) != 400 {
				t.Errorf("%q: key %q, created %v, %v", email, key, created, err)
			}
		}
		u := must(users.Register(t.Context(), shopapi.New(nil), st))
		must(u.Create(t.Context(), users.User{Summary: users.Summary{Email: "ana@example.org", UserType: shopapi.Customer}}, ""))
		if key, created, err := users.EnsureRoot(t.Context(), st, "Ana@example.org"); key != "" || created || status(err) != 400 {
			t.Errorf("a customer's: key %q, created %v, %v", key, created, err)
		}
		if _, total, err := u.Find(t.Context(), users.Filter{}); total != 1 || err != nil {
			t.Errorf("%d users, %v", total, err)
		}
	})
}

// TestEnsureRoot_SeveralProcesses start at once on one empty database, with one
// administrator's address or several: one of them gets the key, and none fails.
func TestEnsureRoot_SeveralProcesses(t *testing.T) {
	for name, database := range map[string]func(t *testing.T) (open func() (store.Store, error)){
		"sqlite": func(t *testing.T) func() (store.Store, error) {
			path := filepath.Join(t.TempDir(), "shop.db")
			return func() (store.Store, error) { return sqlite.Open(context.Background(), path, nil) }
		},
		"postgres": func(t *testing.T) func() (store.Store, error) {
			dsn := pgtest.DSN(t)
			return func() (store.Store, error) { return postgres.Open(context.Background(), dsn) }
		},
	} {
		for _, email := range []string{"root@example.com", "root%d@example.com"} {
			t.Run(name+"/"+email, func(t *testing.T) { startTogether(t, database(t), email) })
		}
	}
}

func startTogether(t *testing.T, open func() (store.Store, error), email string) {
	var wg sync.WaitGroup
	ctx, keys, begin := context.Background(), make(chan string, 4), make(chan struct{})
	for i := range cap(keys) {
		wg.Go(func() {
			st, err := open()
			if err != nil {
				t.Error(err)
				return
			}
			defer st.Close()
			<-begin
			if _, err := users.Register(ctx, shopapi.New(nil), st); err != nil {
				t.Error(err)
			}
			own := strings.Replace(email, "%d", strconv.Itoa(i), 1)
			key, created, err := users.EnsureRoot(ctx, st, own)
			if err != nil || created != (key != "") {
				t.Errorf("key %q, created %v, %v", key, created, err)
			}
			if err := users.EnsureRootKey(ctx, st, "operator@example.com", "0123456789abcdef"); err != nil {
				t.Error(err)
			}
			if created {
				keys <- key
			}
		})
	}
	close(begin)
	wg.Wait()
	close(keys)
	if len(keys) > 1 { // no key if the operator's address came first
		t.Errorf("%d processes got a key", len(keys))
	}
	st := must(open())
	defer st.Close()
	_, total, err := must(users.Register(ctx, shopapi.New(nil), st)).Find(ctx, users.Filter{})
	if want := int64(1 + len(keys)); err != nil || total != want {
		t.Errorf("%d users, want %d, %v", total, want, err)
	}
}

// TestEnsureRoot_AnotherProcessWasFirst: it inserts the row after this process looked
// for it and before this process inserts it.
func TestEnsureRoot_AnotherProcessWasFirst(t *testing.T) {
	const email, key = "root@example.com", "0123456789abcdef"
	ctx := context.Background()
	for name, c := range map[string]struct {
		first, then func(t *testing.T, st store.Store) error
		status      int
		total       int64
	}{
		"Register": {
			first: func(t *testing.T, st store.Store) error { return failed(users.Register(ctx, shopapi.New(nil), st)) },
			then:  func(t *testing.T, st store.Store) error { return failed(users.Register(ctx, shopapi.New(nil), st)) },
		},
		"EnsureRoot": {
			first: func(t *testing.T, st store.Store) error { return failed(ensureRoot(st, email)) },
			then: func(t *testing.T, st store.Store) error {
				created, err := ensureRoot(st, "ROOT@example.com")
				if created {
					t.Error("a second administrator was made")
				}
				return err
			},
			total: 1,
		},
		"EnsureRoot of a customer's address": {
			first: func(t *testing.T, st store.Store) error {
				u, err := users.Register(ctx, shopapi.New(nil), st)
				if err != nil {
					return err
				}
				return failed(u.Create(ctx, users.User{Summary: users.Summary{Email: email, UserType: shopapi.Customer}}, ""))
			},
			then:   func(t *testing.T, st store.Store) error { return failed(ensureRoot(st, email)) },
			status: 400,
			total:  1,
		},
		"EnsureRootKey": {
			first: func(t *testing.T, st store.Store) error { return failed(ensureRoot(st, email)) },
			then: func(t *testing.T, st store.Store) error {
				if err := users.EnsureRootKey(ctx, st, email, key); err != nil {
					return err
				}
				return failed(users.NewAuthenticator(st).Authenticate(ctx, shopapi.Credentials{Email: email, Key: key}))
			},
			total: 1,
		},
	} {
		t.Run(name, func(t *testing.T) {
			shoptest.EachStore(t, func(t *testing.T, st store.Store) {
				if name != "Register" { // tables and reserved groups exist
					must(users.Register(ctx, shopapi.New(nil), st))
				}
				late := &lateStore{Store: st, first: func() error { return c.first(t, st) }}
				if err := c.then(t, late); status(err) != c.status || c.status == 0 && err != nil {
					t.Errorf("%v, want status %d", err, c.status)
				}
				if late.first != nil {
					t.Error("nothing was inserted")
				}
				if _, total, err := must(users.Register(ctx, shopapi.New(nil), st)).Find(ctx, users.Filter{}); total != c.total || err != nil {
					t.Errorf("%d users, want %d, %v", total, c.total, err)
				}
			})
		})
	}
}

func ensureRoot(st store.Store, email string) (created bool, err error) {
	_, created, err = users.EnsureRoot(context.Background(), st, email)
	return created, err
}

// A lateStore commits a row, as another process would, before the first Update that
// inserts one: that Update conflicts and is rolled back.
type lateStore struct {
	store.Store
	first func() error
}

func (s *lateStore) Update(ctx context.Context, fn func(context.Context, store.Tx) error) error {
	if s.first == nil {
		return s.Store.Update(ctx, fn)
	}
	tx := lateTx{}
	err := s.Store.Update(ctx, func(ctx context.Context, inner store.Tx) error {
		tx.Tx = inner
		return fn(ctx, &tx)
	})
	if !tx.inserts {
		return err
	}
	first := s.first
	s.first = nil
	return errors.Join(err, first())
}

type lateTx struct {
	store.Tx
	inserts bool
}

func (t *lateTx) Insert(*store.Schema, []store.Value) (int64, error) {
	t.inserts = true
	return 0, store.ErrConflict
}

// TestEnsureRootKey adds the administrator, changes an existing user into one, and then
// changes nothing.
func TestEnsureRootKey(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		id := s.customer("ana@example.org")
		s.Call(200, "PUT", at(id), `status=D`)
		for _, email := range []string{"new@example.com", "ANA@example.org", rootEmail} {
			const key = "0123456789abcdef"
			if err := users.EnsureRootKey(t.Context(), s.Store, email, key); err != nil {
				t.Fatal(err)
			}
			u, err := s.authenticate(email, key)
			if err != nil || !u.Root || u.Type != shopapi.Administrator || u.CompanyID != 0 {
				t.Errorf("%s: %+v, %v", email, u, err)
			}
			s.Unchanged(func() {
				if err := users.EnsureRootKey(t.Context(), s.Store, email, key); err != nil {
					t.Error(err)
				}
			})
		}
		s.Keys["new@example.com"] = "0123456789abcdef"
		if ids := s.as("new@example.com").list("", "user_id"); ids != "1 2 3" {
			t.Errorf("users %s", ids)
		}
		s.Unchanged(func() {
			for email, key := range map[string]string{"new@example.com": "short", "no address": "0123456789abcdef"} {
				if err := users.EnsureRootKey(t.Context(), s.Store, email, key); status(err) != 400 {
					t.Errorf("%s: %v", email, err)
				}
			}
		})
	})
}

// TestRoot_TheLastOneStays: it cannot be removed, disabled or demoted, by itself, by the
// host or by losing the shop's only key.
func TestRoot_TheLastOneStays(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		s.staff("ana@example.org", "A", 1, "manage_users")
		goes := func() {
			t.Helper()
			for _, body := range []string{`{"status": "D"}`, `{"user_type": "C"}`, `{"user_type": "V", "firstname": "X"}`} {
				s.Refuses("PUT", "users/1", body)
			}
			s.Refuses("DELETE", "users/1", "")
			s.Unchanged(func() {
				if err := s.Users.Delete(t.Context(), 1); status(err) != 400 {
					t.Errorf("the host deletes: %v", err)
				}
				if _, err := s.Users.Update(t.Context(), 1, func(u *users.User) error { u.IsRoot = false; return nil }); status(err) != 400 {
					t.Errorf("the host demotes: %v", err)
				}
			})
		}
		goes()
		s.Call(200, "PUT", "users/1", `{"firstname": "Still", "status": "A", "user_type": "A"}`)

		second := must(s.Users.Create(t.Context(), users.User{Summary: users.Summary{Email: "second@example.com", UserType: shopapi.Administrator, IsRoot: true}}, ""))
		goes() // the second has no key
		s.Keys["second@example.com"] = must(s.Users.GenerateKey(t.Context(), second.UserID))
		s.Call(200, "PUT", at(second.UserID), `status=D`)
		goes() // the second is disabled
		s.Call(200, "PUT", at(second.UserID), `status=A`)
		s.Call(200, "PUT", "users/1", `user_type=V`)
		if u := must(s.Users.Get(t.Context(), 1)); u.IsRoot || u.CompanyID != 1 {
			t.Errorf("the former root is %+v", u)
		}
	})
}

// TestRoot_TwoCannotRemoveEachOther at the same time.
func TestRoot_TwoCannotRemoveEachOther(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		if err := users.EnsureRootKey(t.Context(), s.Store, "second@example.com", "0123456789abcdef"); err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		var errs [2]error
		for i := range errs {
			wg.Go(func() { errs[i] = s.Users.Delete(context.Background(), int64(i+1)) })
		}
		wg.Wait()
		if status(errs[0])+status(errs[1]) != 400 || (errs[0] == nil) == (errs[1] == nil) {
			t.Errorf("both removals: %v", errs)
		}
	})
}
