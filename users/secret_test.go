package users_test

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/store/sqlite"
	"github.com/shopapi/shopapi/users"
)

// signsIn reports whether the e-mail address and password belong to a user.
func (s *shop) signsIn(email, password string) bool {
	s.Helper()
	u, err := s.Users.CheckPassword(s.Context(), email, password)
	if err != nil && !errors.Is(err, shopapi.ErrBadCredentials) {
		s.Fatal(err)
	}
	return err == nil && strings.EqualFold(u.Email, email)
}

// TestUsers_PasswordIsNeverReturned: no response and no log contains a password or its
// hash.
func TestUsers_PasswordIsNeverReturned(t *testing.T) {
	var log bytes.Buffer
	options := shopapi.Options{Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))}
	suite.EachWith(t, options, func(t *testing.T, s *shop) {
		const password = "open sesame"
		for _, answer := range []string{
			s.Call(201, "POST", "users", `{"email": "ana@example.org", "user_type": "C", "password": "`+password+`"}`),
			s.Call(200, "PUT", "users/2", `{"password": "`+password+`"}`),
			s.Call(400, "PUT", "users/2", `{"password": "`+password+`", "status": "X"}`),
			s.Call(200, "GET", "users/2", ""),
			s.Call(200, "GET", "users", ""),
			fmt.Sprintf("%+v", must(s.Users.Get(t.Context(), 2))),
			log.String(),
		} {
			for _, secret := range []string{password, "password", "$2", "hash"} {
				if strings.Contains(answer, secret) {
					t.Errorf("%q is in %s", secret, answer)
				}
			}
		}
		if !s.signsIn("ana@example.org", password) {
			t.Error("the password was not set")
		}
	})
}

// TestUsers_SecretsAreStoredAsHashes: the database file contains neither password nor
// key.
func TestUsers_SecretsAreStoredAsHashes(t *testing.T) {
	dir := t.TempDir()
	st, err := sqlite.Open(t.Context(), filepath.Join(dir, "shop.db"), nil)
	if err != nil {
		t.Fatal(err)
	}
	s := suite.Open(t, st, shopapi.Options{})
	must(must(users.Register(t.Context(), shopapi.New(nil), st)).Create(t.Context(), users.User{Summary: users.Summary{Email: "ana@example.org", UserType: shopapi.Customer}}, "open sesame"))
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var content []byte
	for _, f := range files {
		content = append(content, must(os.ReadFile(filepath.Join(dir, f.Name())))...)
	}
	for secret, want := range map[string]bool{"ana@example.org": true, "$2a$10$": true, "open sesame": false, s.Keys[rootEmail]: false} {
		if bytes.Contains(content, []byte(secret)) != want {
			t.Errorf("the database has %q: %v", secret, !want)
		}
	}
}

// TestUsers_PasswordIsHashedAsSent, be it a text or the MD5 of a text, and stays if none
// is sent.
func TestUsers_PasswordIsHashedAsSent(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		const md5 = "5f4dcc3b5aa765d61d8327deb882cf99"
		longest := strings.Repeat("é", 36) // 72 bytes
		id := s.add(`{"email": "ana@example.org", "user_type": "C"}`)
		if s.signsIn("ana@example.org", "") {
			t.Error("no password at all signs in")
		}
		for _, password := range []string{"12345678", md5, longest} {
			s.Call(200, "PUT", at(id), fmt.Sprintf(`{"password": %q}`, password))
			s.Call(200, "PUT", at(id), `{"password": "", "firstname": "Ana"}`)
			s.Call(200, "PUT", at(id), `{"password": null}`)
			if !s.signsIn("ANA@example.org", password) {
				t.Errorf("%q does not sign in", password)
			}
			if s.signsIn("ana@example.org", password+"x") || s.signsIn("ana@example.org", "") || s.signsIn("other@example.org", password) {
				t.Errorf("more than %q signs in", password)
			}
		}
		s.Call(200, "PUT", at(id), `status=D`)
		if s.signsIn("ana@example.org", longest) {
			t.Error("a disabled user signs in")
		}
	})
}

// Passwords are hashed on half of the processors at most, so that other requests go on.
func TestUsers_PasswordsAreHashedInTurns(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		slots := int64(max(1, runtime.GOMAXPROCS(0)/2))
		var running, most atomic.Int64
		s.Users.HashBy(func(string) (string, error) {
			now := running.Add(1)
			defer running.Add(-1)
			for seen := most.Load(); now > seen && !most.CompareAndSwap(seen, now); seen = most.Load() {
			}
			for range 100 {
				runtime.Gosched()
			}
			return "hash", nil
		})
		var group sync.WaitGroup
		for i := range 8 * slots {
			group.Go(func() {
				user := users.User{Summary: users.Summary{Email: fmt.Sprintf("user%d@example.org", i), UserType: shopapi.Customer}}
				if _, err := s.Users.Create(t.Context(), user, "open sesame"); err != nil {
					t.Error(err)
				}
			})
		}
		group.Wait()
		if n := most.Load(); n < 1 || n > slots {
			t.Errorf("%d passwords were hashed at once, want at most %d", n, slots)
		}
	})
}

// TestUsers_PasswordLength is 8 to 72 bytes for every way to set a password (decisions
// §23).
func TestUsers_PasswordLength(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		id := s.customer("ana@example.org")
		for _, c := range []struct {
			password, problem string
		}{
			{"x", "must have at least 8 bytes, not 1"},
			{"seven77", "must have at least 8 bytes, not 7"},
			{strings.Repeat("é", 37), "must have at most 72 bytes, not 74"},
		} {
			s.Refuses("POST", "users", fmt.Sprintf(`{"email": "x@example.org", "user_type": "C", "password": %q}`, c.password), "password")
			s.Refuses("PUT", at(id), fmt.Sprintf(`{"firstname": "X", "password": %q}`, c.password), "password")
			_, err := s.Users.Create(t.Context(), users.User{Summary: users.Summary{Email: "x@example.org", UserType: shopapi.Customer}}, c.password)
			for name, err := range map[string]error{"Create": err, "SetPassword": s.Users.SetPassword(t.Context(), id, c.password)} {
				var told *shopapi.Error
				if !errors.As(err, &told) || told.Fields["password"] != c.problem {
					t.Errorf("%s with a password of %d bytes: %v, want %q", name, len(c.password), err, c.problem)
				}
			}
		}
		for _, password := range []string{"eight888", strings.Repeat("é", 4), strings.Repeat("é", 36)} {
			s.Call(200, "PUT", at(id), fmt.Sprintf(`{"password": %q}`, password))
			if !s.signsIn("ana@example.org", password) {
				t.Errorf("%q does not sign in", password)
			}
		}
	})
}

// TestUsers_RefusedRequestsHashNothing: a hash is computed only for an existing user
// that the caller may change, and for a valid password.
func TestUsers_RefusedRequestsHashNothing(t *testing.T) {
	suite.EachWith(t, shopapi.Options{Edition: shopapi.MultiVendor}, func(t *testing.T, s *shop) {
		all := []string{"view_users", "manage_users"}
		s.staff("ana@example.org", "A", 1, all...)
		s.staff("reader@example.org", "A", 1, "view_users")
		s.staff("vendor@example.org", "V", 7, all...)
		mighty := s.staff("mighty@example.org", "A", 1, "manage_orders")
		own := s.staff("colleague@example.org", "V", 7)
		const password = `"password": "opensesame"`
		*s.hashed = 0
		for _, c := range []struct {
			email        string
			status       int
			method, path string
			body         string
		}{
			{"ana@example.org", 404, "PUT", "users/99", password},
			{"ana@example.org", 403, "PUT", "users/1", password},
			{"ana@example.org", 403, "PUT", at(mighty), password},
			{"reader@example.org", 403, "PUT", at(own), password},
			{"reader@example.org", 403, "POST", "users", `"email": "x@example.org", "user_type": "C", ` + password},
			{"vendor@example.org", 404, "PUT", at(mighty), password},
			{"vendor@example.org", 403, "PUT", at(own), `"user_type": "A", ` + password},
			{"vendor@example.org", 403, "POST", "users", `"email": "x@example.org", "user_type": "A", ` + password},
			{rootEmail, 400, "PUT", at(own), `"firstname": true, ` + password},
			{rootEmail, 400, "PUT", at(own), `"password": "short"`},
			{rootEmail, 200, "PUT", at(own), `"firstname": "X", "password": ""`},
		} {
			s.as(c.email).Call(c.status, c.method, c.path, "{"+c.body+"}")
			if *s.hashed != 0 {
				t.Errorf("%s %s {%s}, answered %d, hashed a password", c.method, c.path, c.body, c.status)
				*s.hashed = 0
			}
		}
		ctx := shopapi.WithUser(t.Context(), must(s.authenticate("ana@example.org", s.Keys["ana@example.org"])))
		for id, want := range map[int64]int{99: 404, 1: 403, mighty: 403} {
			if err := s.Users.SetPassword(ctx, id, "opensesame"); status(err) != want || *s.hashed != 0 {
				t.Errorf("SetPassword of user %d: %v, want %d; %d hashes", id, err, want, *s.hashed)
			}
		}
		s.as("vendor@example.org").Call(200, "PUT", at(own), "{"+password+"}")
		if *s.hashed != 1 {
			t.Errorf("a password was hashed %d times", *s.hashed)
		}
	})
}

// TestUsers_SetPassword is the same from Go.
func TestUsers_SetPassword(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		if err := s.Users.SetPassword(t.Context(), 1, "open sesame"); err != nil || !s.signsIn(rootEmail, "open sesame") {
			t.Errorf("SetPassword: %v", err)
		}
		s.Unchanged(func() {
			for _, password := range []string{"", "1234567", strings.Repeat("x", 73)} {
				var told *shopapi.Error
				if err := s.Users.SetPassword(t.Context(), 1, password); !errors.As(err, &told) || told.Fields["password"] == "" {
					t.Errorf("a password of %d bytes: %v", len(password), err)
				}
			}
		})
	})
}

// TestKeys_GeneratedKeyIsTheOnlyOne: a new key invalidates the previous one, and so does
// a revocation (decisions §3).
func TestKeys_GeneratedKeyIsTheOnlyOne(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		id := s.staff("ana@example.org", "A", 1, "view_users")
		ana := s.as("ana@example.org")
		ana.Call(200, "GET", "users", "")
		old := s.Keys["ana@example.org"]
		key := must(s.Users.GenerateKey(t.Context(), id))
		if len(key) < 26 || key == old {
			t.Errorf("a key of %d characters after one of %d", len(key), len(old))
		}
		ana.Call(401, "GET", "users", "")
		s.Keys["ana@example.org"] = key
		ana.Call(200, "GET", "users", "")
		if err := s.Users.RevokeKey(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		ana.Call(401, "GET", "users", "")
	})
}

// TestKeys_SetKeyRefusesInvalidKeys: keys that are too short, too long, or that no header
// can carry.
func TestKeys_SetKeyRefusesInvalidKeys(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		s.Unchanged(func() {
			for _, key := range []string{"", strings.Repeat("k", 15), strings.Repeat("k", 256), "with a newline\n in it", "with bad UTF-8 \xff in it"} {
				if err := s.Users.SetKey(t.Context(), 1, key); status(err) != 400 {
					t.Errorf("%q: %v", key, err)
				}
			}
		})
		s.Keys[rootEmail] = "sixteen: letters"
		if err := s.Users.SetKey(t.Context(), 1, s.Keys[rootEmail]); err != nil {
			t.Error(err)
		}
		s.Call(200, "GET", "users", "")
	})
}

// TestKeys_NotForCustomers, nor for unknown users.
func TestKeys_NotForCustomers(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		id := s.customer("ana@example.org")
		if key, err := s.Users.GenerateKey(t.Context(), id); key != "" || status(err) != 400 {
			t.Errorf("a customer: key %q, %v", key, err)
		}
		if key, err := s.Users.GenerateKey(t.Context(), 99); key != "" || status(err) != 404 {
			t.Errorf("nobody: key %q, %v", key, err)
		}
	})
}

// TestKeys_NoRequestSetsOne (decisions §3).
func TestKeys_NoRequestSetsOne(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		const key = "0123456789abcdef"
		before := s.dump()
		s.Call(200, "PUT", "users/1", `{"api_key": "`+key+`", "key": "`+key+`", "api_key_hash": "`+key+`"}`)
		if diff := cmp.Diff(before, s.dump()); diff != "" {
			t.Error(diff)
		}
		s.Keys[rootEmail] = key
		s.Call(401, "GET", "users", "")
	})
}

// status returns the status of a [shopapi.Error], 0 for any other error.
func status(err error) int {
	var told *shopapi.Error
	if errors.As(err, &told) {
		return told.Status
	}
	return 0
}

// failed returns the error of a call that also returns an object.
func failed[T any](_ T, err error) error { return err }

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
