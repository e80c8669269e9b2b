package users_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/internal/shoptest"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/memory"
	"github.com/shopapi/shopapi/users"
)

// authenticate asks for a user by e-mail address and key.
func (s *shop) authenticate(email, key string) (*shopapi.User, error) {
	return users.NewAuthenticator(s.Store).Authenticate(s.Context(), shopapi.Credentials{Email: email, Key: key})
}

// TestAuthenticator_User compares the whole user; the e-mail address is found without
// regard to case and surrounding space (decisions §3).
func TestAuthenticator_User(t *testing.T) {
	suite.EachWith(t, shopapi.Options{Edition: shopapi.MultiVendor}, func(t *testing.T, s *shop) {
		id := s.staff("jürgen@example.org", "V", 7, "view_users", "view_catalog")
		s.Call(200, "PUT", at(id), `{"firstname": "Jürgen", "lastname": "Özil"}`)
		for _, email := range []string{"jürgen@example.org", " JÜRGEN@Example.org\n"} {
			got, err := s.authenticate(email, s.Keys["jürgen@example.org"])
			want := &shopapi.User{
				ID: id, Name: "Jürgen Özil", Email: "jürgen@example.org", Type: shopapi.Vendor, CompanyID: 7,
				Privileges: map[string]bool{"view_users": true, "view_catalog": true},
				KeyID:      fmt.Sprintf("p%d", id),
			}
			if diff := cmp.Diff(want, got); err != nil || diff != "" {
				t.Errorf("%q: %v\n%s", email, err, diff)
			}
		}
		root, err := s.authenticate(rootEmail, s.Keys[rootEmail])
		if err != nil || !root.Root || root.Type != shopapi.Administrator || !root.Can("anything") {
			t.Errorf("root: %+v, %v", root, err)
		}
	})
}

// TestAuthenticator_Refusals are all the same: unknown e-mail, wrong key, disabled
// user, no key, customer (decisions §3).
func TestAuthenticator_Refusals(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		disabled := s.staff("disabled@example.org", "A", 1)
		s.Call(200, "PUT", at(disabled), `status=D`)
		former := s.staff("former@example.org", "A", 1)
		s.Call(200, "PUT", at(former), `user_type=C`)
		keyless := s.staff("keyless@example.org", "A", 1)
		if err := s.Users.RevokeKey(t.Context(), keyless); err != nil {
			t.Fatal(err)
		}
		key := s.Keys[rootEmail]
		for _, c := range []struct{ email, key string }{
			{"unknown@example.org", key}, {rootEmail, ""}, {rootEmail, "wrong"}, {rootEmail, key + "x"}, {rootEmail, key[1:]},
			{"disabled@example.org", s.Keys["disabled@example.org"]}, {"former@example.org", s.Keys["former@example.org"]},
			{"keyless@example.org", s.Keys["keyless@example.org"]}, {"keyless@example.org", ""},
			{"", key}, {"", ""}, {"root%", key}, {"root@example.com\x00", key}, {"\xff", "\xff"},
		} {
			if u, err := s.authenticate(c.email, c.key); u != nil || err != shopapi.ErrBadCredentials {
				t.Errorf("%q: %+v, %v", c.email, u, err)
			}
		}
	})
}

// TestAuthenticator_HiddenUsers have the status H of the fact page: it is written, shown
// and filtered by, and only active users sign in (decisions §3).
func TestAuthenticator_HiddenUsers(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		id := s.staff("hidden@example.org", "A", 1)
		key := s.Keys["hidden@example.org"]
		for _, c := range []struct {
			status string
			signs  bool
		}{{"H", false}, {"A", true}, {"H", false}, {"D", false}} {
			s.Call(200, "PUT", at(id), `{"status": "`+c.status+`"}`)
			if u, err := s.authenticate("hidden@example.org", key); u != nil != c.signs {
				t.Errorf("%s: %+v, %v", c.status, u, err)
			}
			if got := s.in(t).list("?status="+c.status+"&email=hidden", "user_id"); got != shopapi.FormatID(id) {
				t.Errorf("?status=%s lists %q", c.status, got)
			}
		}
		s.Call(200, "PUT", at(id), `{"status": "H"}`)
		if _, _, err := s.Users.AddKey(t.Context(), id, ""); err == nil {
			t.Error("a hidden user gets a key")
		}
	})
}

// TestAuthenticator_Privileges come from the active administrator groups of which the
// user is a member.
func TestAuthenticator_Privileges(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		id := s.staff("ana@example.org", "A", 1, "view_users", "view_pages")
		for i, status := range []string{"A", "H", "D"} {
			g := s.group("A", "view_pages", []string{"view_a", "view_h", "view_d"}[i])
			s.join(id, g)
			s.Call(200, "PUT", groupAt(g), `status=`+status)
		}
		for _, status := range []string{"P", "D"} {
			s.Call(200, "PUT", linkAt(id, s.group("A", "view_none")), `status=`+status)
		}
		s.join(id, s.group("C"))
		got, err := s.authenticate("ana@example.org", s.Keys["ana@example.org"])
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]bool{"view_users": true, "view_pages": true, "view_a": true}
		if diff := cmp.Diff(want, got.Privileges); diff != "" {
			t.Error(diff)
		}
	})
}

// TestAuthenticator_Reads counts: one row and, for a user without root, the groups, in
// one view. A key that is not the program's is looked for among the further keys too.
func TestAuthenticator_Reads(t *testing.T) {
	s := suite.Open(t, memory.New(), shopapi.Options{})
	s.staff("ana@example.org", "A", 1, "view_users")
	for _, c := range []struct {
		email, key   string
		views, reads int64
	}{
		{rootEmail, s.Keys[rootEmail], 1, 1},
		{"ana@example.org", s.Keys["ana@example.org"], 1, 2},
		{"ana@example.org", "wrong", 1, 2},
		{"unknown@example.org", "wrong", 1, 2},
		{strings.Repeat("a", 254), "wrong", 1, 2},
		{" " + strings.Repeat("a", 254) + "\n", "wrong", 1, 2},
		// Credentials longer than any stored ones cost no read.
		{strings.Repeat("a", 255), s.Keys[rootEmail], 0, 0},
		{strings.Repeat("ß", 300_000), s.Keys[rootEmail], 0, 0},
		{rootEmail, strings.Repeat("k", 256), 0, 0},
	} {
		st := &shoptest.CountingStore{Store: s.Store}
		_, err := users.NewAuthenticator(st).Authenticate(t.Context(), shopapi.Credentials{Email: c.email, Key: c.key})
		if views, reads := st.Views.Load(), st.Reads.Load(); views != c.views || reads != c.reads {
			t.Errorf("%.40s: %d views with %d reads, want %d with %d (%v)", c.email, views, reads, c.views, c.reads, err)
		}
	}
}

// TestAuthenticator_StoreFailure is not a refusal: the status is not 401.
func TestAuthenticator_StoreFailure(t *testing.T) {
	s := suite.Open(t, memory.New(), shopapi.Options{})
	if err := s.Store.Close(); err != nil {
		t.Fatal(err)
	}
	if u, err := s.authenticate(rootEmail, s.Keys[rootEmail]); u != nil || !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("%+v, %v", u, err)
	}
	s.Call(503, "GET", "users", "")
}
