package users_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/internal/shoptest"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/users"
)

// TestChanges_ThatChangeNothing: an update without a difference writes nothing, reports
// nothing and runs no hook, over HTTP and from Go.
func TestChanges_ThatChangeNothing(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		id, g := s.staff("ana@example.org", "A", 1), s.group("A", "view_users")
		s.Call(200, "PUT", at(id), `{"firstname": "Ana", "password": "opensesame"}`)
		s.join(id, g)
		other := s.group("C")
		saves := 0
		s.Users.BeforeSave(func(context.Context, store.Tx, *users.User, *users.User) error { saves++; return nil })
		s.Users.Groups().BeforeSave(func(context.Context, store.Tx, *users.Group, *users.Group) error { saves++; return nil })
		s.Unchanged(func() {
			for _, path := range []string{"users/1", at(id), groupAt(g), "usergroups/4"} {
				s.Call(200, "PUT", path, s.Call(200, "GET", path, ""))
			}
			s.Call(200, "PUT", at(id), `{"email": " ana@example.org ", "password": "", "company_id": "1"}`)
			s.Call(200, "PUT", groupAt(g), `privileges=view_users,view_users`)
			s.Call(200, "PUT", linkAt(id, g), `status=A`)
			s.Call(200, "PUT", linkAt(id, other), `status=F`)
			for name, err := range map[string]error{
				"Update":        failed(s.Users.Update(t.Context(), id, func(u *users.User) error { u.UserID, u.Timestamp, u.FirstName = 9, 9, "Ana"; return nil })),
				"SetKey":        s.Users.SetKey(t.Context(), id, s.Keys["ana@example.org"]),
				"SetPrivileges": s.Users.Groups().SetPrivileges(t.Context(), g, "view_users"),
				"SetMembership": s.Users.SetMembership(t.Context(), id, g, users.Member),
				"Available":     s.Users.SetMembership(t.Context(), id, other, users.Available),
			} {
				if err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
		})
		if saves != 0 {
			t.Errorf("hooks ran %d times", saves)
		}
	})
}

// TestChanges_UnchangedFieldsAreNotChecked: an object that an older rule allowed can be
// changed in its other fields (decisions §5).
func TestChanges_UnchangedFieldsAreNotChecked(t *testing.T) {
	type oldUser struct {
		UserID    int64            `json:"user_id" store:"key"`
		Email     string           `json:"email" store:"fold"`
		UserType  shopapi.UserType `json:"user_type"`
		Status    string           `json:"status"`
		CompanyID int64            `json:"company_id"`
	}
	type oldGroup struct {
		UsergroupID int64  `json:"usergroup_id" store:"key"`
		Type        string `json:"type"`
		Status      string `json:"status"`
		Name        string `json:"usergroup"`
		Privileges  string `json:"privileges"`
	}
	shoptest.EachStore(t, func(t *testing.T, st store.Store) {
		old, group := store.MustTable[oldUser]("users"), store.MustTable[oldGroup]("usergroups")
		err := st.Migrate(t.Context(), old.Schema(), group.Schema())
		if err == nil {
			err = st.Update(t.Context(), func(_ context.Context, tx store.Tx) error {
				return errors.Join(old.Insert(tx, &oldUser{Email: "no address", UserType: "P", Status: "H", CompanyID: 1}),
					group.Insert(tx, &oldGroup{UsergroupID: 9, Type: "C", Status: "A", Privileges: "view_users"}))
			})
		}
		if err != nil {
			t.Fatal(err)
		}
		s := suite.Open(t, st, shopapi.Options{})
		s.Call(200, "PUT", "users/1", `{"firstname": "Ana", "email": "no address", "user_type": "P"}`)
		s.Refuses("PUT", "users/1", `{"email": "still none", "user_type": "X"}`, "email", "user_type")
		s.Call(200, "PUT", "usergroups/9", `{"usergroup": "Old", "type": "C"}`)
		s.Refuses("PUT", "usergroups/9", `{"privileges": "view_catalog"}`, "privileges")
	})
}

// TestHooks_OfUsers run with the user, may refuse with a field error, and run on
// deletions.
func TestHooks_OfUsers(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		var told []string
		s.Users.BeforeSave(func(_ context.Context, _ store.Tx, old, after *users.User) error {
			if after.FirstName == "Eve" {
				return shopapi.Invalid("firstname", "must not be Eve")
			}
			from := "none"
			if old != nil {
				from = old.FirstName
			}
			told = append(told, fmt.Sprintf("%s to %s", from, after.FirstName))
			return nil
		})
		s.Users.BeforeDelete(func(_ context.Context, _ store.Tx, old *users.User) error {
			told = append(told, old.FirstName+" goes")
			return nil
		})
		id := s.add(`{"email": "ana@example.org", "user_type": "C", "firstname": "Ana"}`)
		s.Call(200, "PUT", at(id), `firstname=Anna`)
		s.Refuses("PUT", at(id), `firstname=Eve`, "firstname")
		s.Call(200, "PUT", at(id), `password=opensesame`)
		s.Call(204, "DELETE", at(id), "")
		want := []string{"none to Ana", "Ana to Anna", "Anna to Anna", "Anna goes"}
		if diff := cmp.Diff(want, told); diff != "" {
			t.Error(diff)
		}
	})
}

// TestUsers_Under the objects of a host's entity, which selects its users.
func TestUsers_Under(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		employers := &shoptest.Host{Name: "employers", Objects: map[string]any{"7": map[string]any{"id": "7", "name": "Clay"}}}
		if err := s.API.Register(employers); err != nil {
			t.Fatal(err)
		}
		name := func(above resource.ParentRef) string { return above.Data.(map[string]any)["name"].(string) }
		err := s.Users.Under(resource.Parent[users.User]{
			Entity: "employers",
			Where: func(w *resource.Where, above resource.ParentRef) {
				w.Add(store.Equal("company", store.String(name(above))))
			},
			Contains: func(_ context.Context, _ store.Tx, above resource.ParentRef, u *users.User) (bool, error) {
				return u.Company == name(above), nil
			},
			SetParent: func(above resource.ParentRef, u *users.User, problems *shopapi.Problems) { u.Company = name(above) },
		})
		if err != nil {
			t.Fatal(err)
		}
		s.Call(201, "POST", "employers/7/users", `{"email": "ana@example.org", "user_type": "C"}`)
		s.customer("bea@example.org")
		s.Call(200, "GET", "employers/7/users/2", "")
		s.Call(404, "GET", "employers/7/users/3", "")
		var answer struct{ Users []users.User }
		decode(t, s.Call(200, "GET", "employers/7/users", ""), &answer)
		if len(answer.Users) != 1 || answer.Users[0].UserID != 2 || answer.Users[0].Company != "Clay" {
			t.Errorf("under the employer: %+v", answer.Users)
		}
	})
}

// TestUsers_ManyInGo: CreateAll creates all or none; All iterates over the matches of a
// filter.
func TestUsers_ManyInGo(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		ctx := t.Context()
		var list []users.User
		for i := range 1200 {
			list = append(list, users.User{Summary: users.Summary{Email: fmt.Sprintf("user%d@example.org", i), UserType: shopapi.Customer}})
		}
		s.Unchanged(func() {
			if _, err := s.Users.CreateAll(ctx, append(list[:3:3], users.User{Summary: users.Summary{Email: "USER0@example.org", UserType: shopapi.Customer}})); status(err) != 400 {
				t.Errorf("CreateAll: %v", err)
			}
		})
		created, err := s.Users.CreateAll(ctx, list)
		if err != nil || len(created) != len(list) || created[1199].Email != "user1199@example.org" || created[1199].Status != users.Active {
			t.Fatalf("%d created, %v", len(created), err)
		}
		var ids []int64
		for u, err := range s.Users.All(ctx, users.Filter{UserType: "C"}) {
			if err != nil {
				t.Fatal(err)
			}
			ids = append(ids, u.UserID)
		}
		if len(ids) != len(list) || ids[0] != created[0].UserID || ids[1199] != created[1199].UserID {
			t.Errorf("%d users", len(ids))
		}
	})
}
