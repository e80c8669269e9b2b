package apitest_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/shop"
)

// fixtures are shops that create users in each possible way.
func fixtures(t *testing.T, edition shopapi.Edition) map[string]*apitest.Shop {
	t.Helper()
	host := shopapi.AuthenticatorFunc(func(_ context.Context, c shopapi.Credentials) (*shopapi.User, error) {
		if c.Email != "host@example.com" || c.Key != "host key" {
			return nil, shopapi.ErrBadCredentials
		}
		return &shopapi.User{ID: 99, Type: shopapi.Administrator, Root: true}, nil
	})
	options := func(a shopapi.Authenticator, without ...string) *shop.Options {
		return &shop.Options{Options: shopapi.Options{Edition: edition, Authenticator: a}, Without: without}
	}
	return map[string]*apitest.Shop{
		"users of the shop":    apitest.New(t, options(nil)),
		"no users":             apitest.New(t, options(nil, "users")),
		"users of the host":    apitest.New(t, options(host, "users")),
		"users of both places": apitest.New(t, options(host)),
	}
}

func TestShop_User(t *testing.T) {
	for name, s := range fixtures(t, shopapi.SingleStore) {
		t.Run(name, func(t *testing.T) {
			s.Post("/api/2.0/categories", `{"category": "Cups"}`)
			reader, writer, nobody := s.User("view_catalog"), s.User("view_catalog", "manage_catalog"), s.User()
			for _, c := range []struct {
				user      *apitest.Client
				get, post int
			}{{s.Client, 200, 201}, {reader, 200, 403}, {writer, 200, 201}, {nobody, 403, 403}} {
				got := [2]int{c.user.Get("/api/2.0/categories/1").Status, c.user.Post("/api/2.0/categories", `{"category": "Mugs"}`).Status}
				if want := [2]int{c.get, c.post}; got != want {
					t.Errorf("%s: GET and POST answer %v, want %v", c.user.Email, got, want)
				}
			}
			if answer := reader.Get("/api/2.0/call_requests"); answer.Status != 403 {
				t.Errorf("a privilege that was not given: %d, want 403", answer.Status)
			}
		})
	}
}

func TestShop_UserOf(t *testing.T) {
	for name, s := range fixtures(t, shopapi.MultiVendor) {
		t.Run(name, func(t *testing.T) {
			two, three := s.UserOf(2, "view_catalog", "manage_catalog"), s.UserOf(3, "view_catalog")
			id := two.Post("/api/2.0/categories", `{"category": "Cups"}`).Field("category_id")
			address := "/api/2.0/categories/" + id
			if got := two.Get(address).Field("company_id"); got != "2" {
				t.Errorf("a vendor's user made a category of company %s, want 2", got)
			}
			if answer := three.Get(address); answer.Status != 404 {
				t.Errorf("another vendor's user is answered %d, want 404", answer.Status)
			}
		})
	}
}

func TestShop_UserOfAStorefront(t *testing.T) {
	s := apitest.New(t, &shop.Options{Options: shopapi.Options{Edition: shopapi.MultiStorefront}})
	s.UserOf(3, "view_catalog")
	got := s.Get("/api/2.0/users/2")
	if diff := cmp.Diff([]string{"3", "A"}, []string{got.Field("company_id"), got.Field("user_type")}); diff != "" {
		t.Errorf("company and type (-want +got):\n%s", diff)
	}
}

func TestNew_TheHostsUsersSignInToo(t *testing.T) {
	s := fixtures(t, shopapi.SingleStore)["users of the host"]
	for key, want := range map[string]int{"host key": 200, "wrong": 401} {
		if answer := s.As("host@example.com", key).Get("/api/2.0/categories"); answer.Status != want {
			t.Errorf("with the key %q: %d, want %d", key, answer.Status, want)
		}
	}
}

func TestShop_Events(t *testing.T) {
	var told []string
	s := apitest.New(t, &shop.Options{Options: shopapi.Options{
		Observer: func(_ context.Context, e shopapi.Event) { told = append(told, string(e.Operation)+" "+e.Entity) },
	}})
	s.Post("/api/2.0/categories", `{"category": "Cups"}`)
	clerk := s.User("view_catalog", "manage_catalog")
	clerk.Put("/api/2.0/categories/1", `{"category": "Mugs"}`)
	clerk.Put("/api/2.0/categories/1", `{"status": "X"}`) // refused
	var got []string
	for _, e := range s.Events() {
		got = append(got, string(e.Operation)+" "+e.Entity+" "+e.ID)
	}
	if diff := cmp.Diff([]string{"create categories 1", "update categories 1"}, got); diff != "" {
		t.Errorf("Events (-want +got):\n%s", diff)
	}
	if again := s.Events(); len(again) != 0 {
		t.Errorf("a second call returns %v, want nothing new", again)
	}
	want := []string{"create categories", "create usergroups", "create users", "update users", "update categories"}
	if diff := cmp.Diff(want[0], told[0]); diff != "" || told[len(told)-1] != want[4] {
		t.Errorf("the host's observer was told of %v, want %v among others", told, want)
	}
}
