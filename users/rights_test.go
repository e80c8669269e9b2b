package users_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/users"
)

// TestUsers_Privileges: view_users reads, manage_users changes (specification,
// Authentication); groups and memberships have their own.
func TestUsers_Privileges(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		id := s.customer("ana@example.org")
		g := s.group("C")
		s.join(id, g)
		requests := []struct{ method, path, body string }{
			{"GET", "users", ""}, {"GET", at(id), ""}, {"POST", "users", `{"firstname": "X"}`}, {"PUT", at(id), `{"status": "X"}`}, {"DELETE", "users/99", ""},
			{"GET", "usergroups", ""}, {"GET", groupAt(g), ""}, {"POST", "usergroups", `{"usergroup": "X"}`}, {"PUT", groupAt(g), `{"status": "X"}`}, {"DELETE", "usergroups/99", ""},
			{"GET", at(id) + "/usergroups", ""}, {"PUT", linkAt(id, g), `{"status": "X"}`}, {"DELETE", linkAt(id, 99), ""},
		}
		for i, c := range []struct {
			privileges []string
			want       []int
		}{
			{nil, []int{403, 403, 403, 403, 403, 403, 403, 403, 403, 403, 403, 403, 403}},
			{[]string{"view_users"}, []int{200, 200, 403, 403, 403, 403, 403, 403, 403, 403, 403, 403, 403}},
			{[]string{"manage_users"}, []int{403, 403, 400, 400, 404, 403, 403, 403, 403, 403, 403, 403, 403}},
			{[]string{"view_usergroups"}, []int{403, 403, 403, 403, 403, 200, 200, 403, 403, 403, 403, 403, 403}},
			{[]string{"manage_usergroups"}, []int{403, 403, 403, 403, 403, 403, 403, 400, 400, 404, 403, 403, 403}},
			{[]string{"view_users", "view_usergroups"}, []int{200, 200, 403, 403, 403, 200, 200, 403, 403, 403, 200, 403, 403}},
			{[]string{"view_users", "manage_usergroups"}, []int{200, 200, 403, 403, 403, 403, 403, 400, 400, 404, 403, 400, 404}},
		} {
			email := fmt.Sprintf("user%d@example.org", i)
			s.staff(email, "A", 1, c.privileges...)
			var got []int
			for _, r := range requests {
				got = append(got, s.as(email).Send(r.method, r.path, r.body).Status)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("%v (-want +got):\n%s", c.privileges, diff)
			}
		}
	})
}

// TestRights_OnlyRootChangesRoot: others change neither password, e-mail address, groups
// nor any other field of root, and cannot make a user root.
func TestRights_OnlyRootChangesRoot(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		own := s.staff("ana@example.org", "A", 1, "view_users", "manage_users", "view_usergroups", "manage_usergroups")
		g := s.group("C")
		s.join(1, g)
		ana := s.as("ana@example.org")
		for _, body := range []string{`password=opensesame`, `email=ana2@example.org`, `status=D`, `firstname=X`, `user_type=C`} {
			ana.Forbids("PUT", "users/1", body)
		}
		ana.Forbids("DELETE", "users/1", "")
		ana.Forbids("PUT", linkAt(1, g), `status=F`)
		ana.Forbids("DELETE", linkAt(1, g), "")

		ctx := shopapi.WithUser(t.Context(), must(s.authenticate("ana@example.org", s.Keys["ana@example.org"])))
		s.Unchanged(func() {
			for name, err := range map[string]error{
				"SetKey":      s.Users.SetKey(ctx, 1, "0123456789abcdef"),
				"RevokeKey":   s.Users.RevokeKey(ctx, 1),
				"SetPassword": s.Users.SetPassword(ctx, 1, "opensesame"),
				"Update":      failed(s.Users.Update(ctx, own, func(u *users.User) error { u.IsRoot = true; return nil })),
			} {
				if status(err) != 403 {
					t.Errorf("%s: %v", name, err)
				}
			}
			if _, err := s.Users.GenerateKey(ctx, 1); status(err) != 403 {
				t.Errorf("GenerateKey: %v", err)
			}
			if _, err := s.Users.Create(ctx, users.User{Summary: users.Summary{Email: "x@example.org", UserType: shopapi.Administrator, IsRoot: true}}, ""); status(err) != 403 {
				t.Errorf("Create: %v", err)
			}
		})
		s.Call(200, "PUT", "users/1", `firstname=X`) // root may
	})
}

// TestRights_NobodyChangesWhoHasMore: setting the password or e-mail address of another
// user allows to act as that user, so that it takes all privileges of that user.
func TestRights_NobodyChangesWhoHasMore(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		all := []string{"view_users", "manage_users", "view_usergroups", "manage_usergroups"}
		s.staff("ana@example.org", "A", 1, all...)
		more := s.staff("more@example.org", "A", 1, "view_orders")
		sleeping := s.staff("sleeping@example.org", "A", 1)
		g := s.group("A", "manage_orders")
		s.join(sleeping, g)
		s.Call(200, "PUT", groupAt(g), `status=D`)
		customers := s.group("C")
		ana := s.as("ana@example.org")
		for _, id := range []int64{more, sleeping} {
			for _, body := range []string{`password=opensesame`, `email=ana2@example.org`, `status=D`, `user_type=C`} {
				ana.Forbids("PUT", at(id), body)
			}
			ana.Forbids("DELETE", at(id), "")
			ana.Forbids("PUT", linkAt(id, customers), `status=A`)
			ana.Forbids("DELETE", linkAt(id, g), "")
		}
		less := s.staff("less@example.org", "A", 1, "view_users")
		same := s.staff("same@example.org", "A", 1, all...)
		for _, id := range []int64{less, same, s.customer("customer@example.org")} {
			ana.Call(200, "PUT", at(id), `lastname=X`)
			ana.Call(200, "PUT", linkAt(id, customers), `status=A`)
			ana.Call(204, "DELETE", at(id), "")
		}
	})
}

// TestRights_NobodyGrantsMissingPrivileges, neither to other users nor to themselves.
func TestRights_NobodyGrantsMissingPrivileges(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		own := s.staff("ana@example.org", "A", 1, "view_users", "manage_usergroups", "view_orders")
		other := s.staff("other@example.org", "A", 1)
		mighty := s.group("A", "view_orders", "manage_orders")
		s.Call(200, "PUT", linkAt(own, mighty), `status=P`)
		harmless := s.group("A", "view_orders")
		ana := s.as("ana@example.org")
		for _, id := range []int64{own, other} {
			ana.Forbids("PUT", linkAt(id, mighty), `status=A`)
			ana.Call(200, "PUT", linkAt(id, harmless), `status=A`)
		}
		// A change of the group does not grant them either.
		ana.Forbids("PUT", groupAt(harmless), `privileges=view_orders,manage_orders`)
		ana.Forbids("PUT", groupAt(harmless), `privileges=`)
		ana.Forbids("POST", "usergroups", `{"type": "A", "status": "A", "privileges": ["view_orders"]}`)
		ana.Forbids("PUT", groupAt(mighty), `status=D`)
		ana.Forbids("DELETE", groupAt(mighty), "")
		ana.Call(201, "POST", "usergroups", `{"type": "A", "status": "A", "usergroup": "Empty"}`)
		ana.Call(200, "PUT", groupAt(harmless), `{"usergroup": "Renamed", "privileges": ["view_orders"]}`)
		ana.Call(204, "DELETE", groupAt(harmless), "")
	})
}

// TestRights_LeavingAdministrationEndsItsMemberships, so that a user who becomes an
// administrator again has no privileges from before.
func TestRights_LeavingAdministrationEndsItsMemberships(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		id := s.staff("ana@example.org", "A", 1, "view_users")
		customers := s.group("C")
		s.join(id, customers)
		s.Call(200, "PUT", at(id), `user_type=C`)
		list, err := s.Users.Memberships(t.Context(), id)
		if err != nil || len(list) != 1 || list[0].UsergroupID != customers {
			t.Errorf("%+v, %v", list, err)
		}
		s.Call(200, "PUT", at(id), `user_type=A`)
		s.as("ana@example.org").Call(403, "GET", "users", "")
	})
}
