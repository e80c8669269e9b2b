package users_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/users"
)

// A user who is found by id has the rights of a user who signs in, without a key; a user
// who may not sign in is not found.
func TestNewUserByID(t *testing.T) {
	suite.EachWith(t, shopapi.Options{Edition: shopapi.MultiVendor}, func(t *testing.T, s *shop) {
		id := s.staff("ana@example.org", "V", 7, "view_users", "view_catalog")
		var refused int64
		byID := users.NewUserByID(s.Store, func(_ context.Context, _ store.Tx, user *shopapi.User) (bool, error) {
			return user.ID != refused, nil
		})
		want, err := s.authenticate("ana@example.org", s.Keys["ana@example.org"])
		if err != nil {
			t.Fatal(err)
		}
		want.KeyID = ""
		got, err := byID(t.Context(), id)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
		customer := s.customer("cleo@example.org")
		for _, gone := range []int64{0, 99, customer} {
			if got, err := byID(t.Context(), gone); !errors.Is(err, shopapi.ErrNotFound) {
				t.Errorf("user %d is %v, %v", gone, got, err)
			}
		}
		refused = id
		if got, err := byID(t.Context(), id); !errors.Is(err, shopapi.ErrNotFound) {
			t.Errorf("a user who may not sign in is %v, %v", got, err)
		}
		refused = 0
		s.Call(200, "PUT", at(id), `status=D`)
		if got, err := byID(t.Context(), id); !errors.Is(err, shopapi.ErrNotFound) {
			t.Errorf("a disabled user is %v, %v", got, err)
		}
	})
}
