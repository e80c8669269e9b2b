package users_test

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"testing"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/internal/entitytest"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/sqlite"
	"github.com/shopapi/shopapi/users"
)

// TestEnsureRoot_OnlyTheFirst: the second call changes nothing and tells no key.
func TestEnsureRoot_OnlyTheFirst(t *testing.T) {
	everyStore(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		s.unchanged(func() {
			for _, email := range []string{rootEmail, "other@example.com", ""} {
				if key, created, err := users.EnsureRoot(t.Context(), s.st, email); key != "" || created || err != nil {
					t.Errorf("%q: key %q, created %v, %v", email, key, created, err)
				}
			}
		})
	})
}

// TestEnsureRoot_BadEmail is a 400, and leaves no user behind.
func TestEnsureRoot_BadEmail(t *testing.T) {
	entitytest.EachStore(t, func(t *testing.T, st store.Store) {
		for _, email := range []string{"", "root", "a:b@example.com"} {
			if key, created, err := users.EnsureRoot(t.Context(), st, email); key != "" || created || status(err) != 400 {
				t.Errorf("%q: key %q, created %v, %v", email, key, created, err)
			}
		}
		u := must(users.Register(t.Context(), shopapi.New(nil), st))
		must(u.Create(t.Context(), users.User{Email: "ana@example.org", UserType: shopapi.Customer}, ""))
		if key, created, err := users.EnsureRoot(t.Context(), st, "Ana@example.org"); key != "" || created || status(err) != 400 {
			t.Errorf("a customer's: key %q, created %v, %v", key, created, err)
		}
		if _, total, err := u.Find(t.Context(), users.Filter{}); total != 1 || err != nil {
			t.Errorf("%d users, %v", total, err)
		}
	})
}

// TestEnsureRoot_SeveralProcesses start at once on one new file: one of them gets
// the key.
func TestEnsureRoot_SeveralProcesses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "shop.db")
	var wg sync.WaitGroup
	keys := make(chan string, 4)
	for i := range cap(keys) {
		wg.Go(func() {
			st, err := sqlite.Open(context.Background(), path, nil)
			if err != nil {
				t.Error(err)
				return
			}
			defer st.Close()
			if _, err := users.Register(context.Background(), shopapi.New(nil), st); err != nil {
				t.Error(err)
			}
			key, created, err := users.EnsureRoot(context.Background(), st, fmt.Sprintf("root%d@example.com", i))
			if err != nil || created != (key != "") {
				t.Errorf("key %q, created %v, %v", key, created, err)
			}
			if err := users.EnsureRootKey(context.Background(), st, "operator@example.com", "0123456789abcdef"); err != nil {
				t.Error(err)
			}
			if created {
				keys <- key
			}
		})
	}
	wg.Wait()
	close(keys)
	if len(keys) > 1 { // none, where the operator's came first
		t.Errorf("%d processes got a key", len(keys))
	}
	st := must(sqlite.Open(t.Context(), path, nil))
	defer st.Close()
	_, total, err := must(users.Register(t.Context(), shopapi.New(nil), st)).Find(t.Context(), users.Filter{})
	if want := int64(1 + len(keys)); err != nil || total != want {
		t.Errorf("%d users, want %d, %v", total, want, err)
	}
}

// TestEnsureRootKey adds the administrator, makes one of who is there, and then
// changes nothing.
func TestEnsureRootKey(t *testing.T) {
	everyStore(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		id := s.customer("ana@example.org")
		s.call(200, "PUT", at(id), `status=D`)
		for _, email := range []string{"new@example.com", "ANA@example.org", rootEmail} {
			const key = "0123456789abcdef"
			if err := users.EnsureRootKey(t.Context(), s.st, email, key); err != nil {
				t.Fatal(err)
			}
			u, err := s.authenticate(email, key)
			if err != nil || !u.Root || u.Type != shopapi.Administrator || u.CompanyID != 0 {
				t.Errorf("%s: %+v, %v", email, u, err)
			}
			s.unchanged(func() {
				if err := users.EnsureRootKey(t.Context(), s.st, email, key); err != nil {
					t.Error(err)
				}
			})
		}
		s.keys["new@example.com"] = "0123456789abcdef"
		if ids := s.as("new@example.com").list("", "user_id"); ids != "1 2 3" {
			t.Errorf("users %s", ids)
		}
		s.unchanged(func() {
			for email, key := range map[string]string{"new@example.com": "short", "no address": "0123456789abcdef"} {
				if err := users.EnsureRootKey(t.Context(), s.st, email, key); status(err) != 400 {
					t.Errorf("%s: %v", email, err)
				}
			}
		})
	})
}

// TestRoot_TheLastOneStays: he cannot be removed, disabled or demoted, by himself,
// by the host or by losing the only key to the shop.
func TestRoot_TheLastOneStays(t *testing.T) {
	everyStore(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		s.staff("ana@example.org", "A", 1, "manage_users")
		goes := func() {
			t.Helper()
			for _, body := range []string{`{"status": "D"}`, `{"user_type": "C"}`, `{"user_type": "V", "firstname": "X"}`} {
				s.refuses("PUT", "users/1", body)
			}
			s.refuses("DELETE", "users/1", "")
			s.unchanged(func() {
				if err := s.users.Delete(t.Context(), 1); status(err) != 400 {
					t.Errorf("the host deletes: %v", err)
				}
				if _, err := s.users.Update(t.Context(), 1, func(u *users.User) error { u.IsRoot = false; return nil }); status(err) != 400 {
					t.Errorf("the host demotes: %v", err)
				}
			})
		}
		goes()
		s.call(200, "PUT", "users/1", `{"firstname": "Still", "status": "A", "user_type": "A"}`)

		second := must(s.users.Create(t.Context(), users.User{Email: "second@example.com", UserType: shopapi.Administrator, IsRoot: true}, ""))
		goes() // the second has no key
		s.keys["second@example.com"] = must(s.users.GenerateKey(t.Context(), second.UserID))
		s.call(200, "PUT", at(second.UserID), `status=D`)
		goes() // the second is disabled
		s.call(200, "PUT", at(second.UserID), `status=A`)
		s.call(200, "PUT", "users/1", `user_type=V`)
		if u := must(s.users.Get(t.Context(), 1)); u.IsRoot || u.CompanyID != 1 {
			t.Errorf("the former root is %+v", u)
		}
	})
}

// TestRoot_TwoCannotRemoveEachOther at the same time.
func TestRoot_TwoCannotRemoveEachOther(t *testing.T) {
	everyStore(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		if err := users.EnsureRootKey(t.Context(), s.st, "second@example.com", "0123456789abcdef"); err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		var errs [2]error
		for i := range errs {
			wg.Go(func() { errs[i] = s.users.Delete(context.Background(), int64(i+1)) })
		}
		wg.Wait()
		if status(errs[0])+status(errs[1]) != 400 || (errs[0] == nil) == (errs[1] == nil) {
			t.Errorf("both removals: %v", errs)
		}
	})
}
