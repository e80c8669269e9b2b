package users_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/store/memory"
	"github.com/shopapi/shopapi/users"
)

// TestUsergroups_List is an object keyed by id, not paged, without the reserved
// groups; only groups of administrators have privileges.
func TestUsergroups_List(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		sameJSON(t, s.Call(200, "GET", "usergroups", ""), `{}`)
		sameJSON(t, s.Call(201, "POST", "usergroups", `{"type": "C", "status": "A", "usergroup": "Wholesale"}`), `{"usergroup_id": "3"}`)
		sameJSON(t, s.Call(201, "POST", "usergroups", `{"type": "A", "status": "H", "usergroup": "Clerks"}`), `{"usergroup_id": "4"}`)
		const wholesale = `"3": {"usergroup_id": "3", "type": "C", "status": "A", "usergroup": "Wholesale"}`
		const clerks = `"4": {"usergroup_id": "4", "type": "A", "status": "H", "usergroup": "Clerks", "privileges": []}`
		for query, want := range map[string]string{
			"": wholesale + "," + clerks, "?type=A": clerks, "?type=C": wholesale, "?status=A": wholesale, "?status=H": clerks,
			"?type=C&status=H": "", "?items_per_page=1": wholesale, "?items_per_page=1&page=2": clerks, "?sort_by=name": clerks + "," + wholesale,
		} {
			sameJSON(t, s.Call(200, "GET", "usergroups"+query, ""), "{"+want+"}")
		}
		if got := s.Call(200, "GET", "usergroups", ""); strings.Index(got, `"3"`) > strings.Index(got, `"4"`) {
			t.Errorf("not in the order of ids: %s", got)
		}
	})
}

// TestUsergroups_Reserved groups can be read, but not changed, and users cannot be added
// to them.
func TestUsergroups_Reserved(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		sameJSON(t, s.Call(200, "GET", "usergroups/1", ""), `{"usergroup_id": "1", "type": "C", "status": "A", "usergroup": "Guest"}`)
		sameJSON(t, s.Call(200, "GET", "usergroups/2", ""), `{"usergroup_id": "2", "type": "C", "status": "A", "usergroup": "Registered user"}`)
		for _, id := range []int64{users.Guests, users.Registered} {
			s.Refuses("PUT", groupAt(id), `usergroup=X`)
			s.Refuses("DELETE", groupAt(id), "")
			s.Refuses("PUT", linkAt(1, id), `status=A`, "usergroup_id")
		}
		// Register creates them once, however often the program starts.
		if _, err := users.Register(t.Context(), shopapi.New(nil), s.Store); err != nil {
			t.Error(err)
		}
	})
}

// TestUsergroups_Fields: type and status are required on POST, and each has a fixed set
// of values.
func TestUsergroups_Fields(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		s.Refuses("POST", "usergroups", `usergroup=X`, "type", "status")
		s.Refuses("POST", "usergroups", `{"type": "V", "status": "P", "usergroup": "`+strings.Repeat("x", 256)+`"}`, "type", "status", "usergroup")
		id := s.group("A", "view_users")
		for body, field := range map[string]string{
			`{"status": "X"}`: "status", `{"type": "X"}`: "type", `{"status": null}`: "status",
			`{"privileges": ["View Users"]}`: "privileges", `{"privileges": ["1x"]}`: "privileges", `{"privileges": [1]}`: "privileges",
			`{"privileges": {"manage_users": "Y"}}`: "privileges", `{"type": "C"}`: "privileges",
		} {
			s.Refuses("PUT", groupAt(id), body, field)
		}
		s.Refuses("POST", "usergroups", `{"type": "C", "status": "A", "privileges": ["view_users"]}`, "privileges")
		sameJSON(t, s.Call(200, "PUT", groupAt(id), `{"usergroup_id": 77, "status": "D"}`), fmt.Sprintf(`{"usergroup_id": "%d"}`, id))
		sameJSON(t, s.Call(200, "GET", groupAt(id), ""), fmt.Sprintf(
			`{"usergroup_id": "%d", "type": "A", "status": "D", "usergroup": "Group", "privileges": ["view_users"]}`, id))
	})
}

// TestUsergroups_RootSetsPrivileges as an array, a form's array, or separated by commas;
// each is stored once, sorted.
func TestUsergroups_RootSetsPrivileges(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		id := s.group("A")
		for _, c := range []struct{ body, want string }{
			{`{"privileges": ["view_users", "manage_users", "view_users"]}`, `["manage_users", "view_users"]`},
			{`{"privileges": "view_users, x_2,,"}`, `["view_users", "x_2"]`},
			{`{"privileges": []}`, `[]`},
			{`privileges[]=view_users&privileges[]=a`, `["a", "view_users"]`},
			{`privileges=view_users`, `["view_users"]`},
			{`{"privileges": null}`, `[]`},
		} {
			s.Call(200, "PUT", groupAt(id), c.body)
			var got struct{ Privileges json.RawMessage }
			decode(t, s.Call(200, "GET", groupAt(id), ""), &got)
			sameJSON(t, string(got.Privileges), c.want)
		}
		if err := s.Users.Groups().SetPrivileges(t.Context(), id, "view_users", "no privilege"); status(err) != 400 {
			t.Errorf("SetPrivileges: %v", err)
		}
	})
}

// TestUsergroups_TypeStaysWhileThereAreMembers, so that a customer never becomes a
// member of a group of administrators.
func TestUsergroups_TypeStaysWhileThereAreMembers(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		id, customer := s.group("C"), s.customer("ana@example.org")
		s.join(customer, id)
		s.Refuses("PUT", groupAt(id), `type=A`, "type")
		s.Call(200, "PUT", groupAt(id), `{"type": "C", "status": "H"}`)
		s.Call(204, "DELETE", linkAt(customer, id), "")
		s.Call(200, "PUT", groupAt(id), `{"type": "A", "privileges": ["view_users"]}`)
		s.Call(200, "PUT", groupAt(id), `{"type": "C", "privileges": []}`)
	})
}

// TestUsergroups_DeleteRemovesMemberships in the same transaction.
func TestUsergroups_DeleteRemovesMemberships(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		s.staff("ana@example.org", "A", 1, "view_users")
		s.as("ana@example.org").Call(200, "GET", "users", "")
		if body := s.Call(204, "DELETE", "usergroups/3", ""); body != "" {
			t.Errorf("body %q", body)
		}
		s.as("ana@example.org").Call(403, "GET", "users", "")
		sameJSON(t, s.Call(200, "GET", "users/2/usergroups", ""), `{}`)
		s.Call(404, "DELETE", "usergroups/3", "")
	})
}

// TestMemberships_OverHTTP: the list is an object keyed by group id; PUT with status A
// adds and with F removes, and the response says so.
func TestMemberships_OverHTTP(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		id, first, second := s.customer("ana@example.org"), s.group("C"), s.group("C")
		sameJSON(t, s.Call(200, "GET", at(id)+"/usergroups", ""), `{}`)
		for _, c := range []struct{ body, want string }{
			{`status=P`, `{"usergroup_id": "4", "message": ""}`},
			{`{"status": "D"}`, `{"usergroup_id": "4", "message": ""}`},
			{`{"status": "A"}`, `{"usergroup_id": "4", "message": ""}`},
		} {
			sameJSON(t, s.Call(200, "PUT", linkAt(id, second), c.body), c.want)
		}
		s.Call(200, "PUT", linkAt(id, first), `status=P`)
		sameJSON(t, s.Call(200, "GET", at(id)+"/usergroups", ""), `{
			"3": {"link_id": "2", "usergroup_id": "3", "status": "P"},
			"4": {"link_id": "1", "usergroup_id": "4", "status": "A"}}`)
		sameJSON(t, s.Call(200, "GET", at(id)+"/usergroups?items_per_page=1&page=2", ""), `{"4": {"link_id": "1", "usergroup_id": "4", "status": "A"}}`)
		sameJSON(t, s.Call(200, "GET", at(id)+"/usergroups?page=9", ""), `{}`)
		s.Refuses("GET", at(id)+"/usergroups?page=0", "", "page")
		for range 2 { // removing a missing membership succeeds
			sameJSON(t, s.Call(200, "PUT", linkAt(id, second), `status=F`), `{"usergroup_id": "4", "message": ""}`)
		}
		if body := s.Call(204, "DELETE", linkAt(id, first), ""); body != "" {
			t.Errorf("body %q", body)
		}
		s.Unchanged(func() { s.Call(404, "DELETE", linkAt(id, first), "") })
		sameJSON(t, s.Call(200, "GET", at(id)+"/usergroups", ""), `{}`)
	})
}

// TestMemberships_Preconditions: a membership has no representation of its own, so that
// no ETag matches it, but * does (decisions §25).
func TestMemberships_Preconditions(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		id, g := s.customer("ana@example.org"), s.group("C")
		put := func(match string) int {
			return s.Send("PUT", "/api/2.0/"+linkAt(id, g), "status=A", "If-Match", match).Status
		}
		s.Unchanged(func() {
			if code := put(`"0123456789abcdef"`); code != 412 {
				t.Errorf("with an ETag: %d, want 412", code)
			}
		})
		if code := put("*"); code != 200 {
			t.Errorf("with *: %d, want 200", code)
		}
	})
}

// TestMemberships_Refusals: 400 for an unknown group, a customer in a group of
// administrators and an unknown status, 404 for an unknown user, 405 for operations that
// the interface lacks.
func TestMemberships_Refusals(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		id, customers, administrators := s.customer("ana@example.org"), s.group("C"), s.group("A")
		s.Refuses("PUT", linkAt(id, 99), `status=A`, "usergroup_id")
		s.Refuses("PUT", linkAt(id, 99), `status=F`, "usergroup_id")
		for _, status := range []string{"A", "P", "D"} {
			s.Refuses("PUT", linkAt(id, administrators), `status=`+status, "usergroup_id")
		}
		for _, body := range []string{`status=X`, `status=`, `{"status": null}`, `x=y`} {
			s.Refuses("PUT", linkAt(id, customers), body, "status")
		}
		s.Call(200, "PUT", linkAt(1, administrators), `status=A`)
		s.Unchanged(func() {
			s.Call(404, "PUT", linkAt(99, customers), `status=A`)
			s.Call(404, "DELETE", linkAt(99, customers), "")
			s.Call(404, "GET", "users/99/usergroups", "")
			s.Call(405, "GET", linkAt(id, customers), "")
			s.Call(405, "POST", at(id)+"/usergroups", `status=A`)
			if err := s.Users.SetMembership(t.Context(), 99, customers, users.Member); status(err) != 404 {
				t.Errorf("SetMembership: %v", err)
			}
			if _, err := s.Users.Memberships(t.Context(), 99); status(err) != 404 {
				t.Errorf("Memberships: %v", err)
			}
		})
	})
}

// TestMemberships_EndWithoutDeletingTheGroup: removing a membership does not run the
// deletion of its group.
func TestMemberships_EndWithoutDeletingTheGroup(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		var gone []string
		for _, entity := range []string{"users", "usergroups"} {
			s.API.BeforeDelete(entity, func(_ context.Context, ids []int64) error {
				gone = append(gone, fmt.Sprint(entity, ids))
				return nil
			})
		}
		id, g := s.customer("ana@example.org"), s.group("C")
		s.join(id, g)
		s.Call(204, "DELETE", linkAt(id, g), "")
		if gone != nil {
			t.Errorf("a membership that ended removed what goes with %s", gone)
		}
		s.Call(204, "DELETE", groupAt(g), "")
		s.Call(204, "DELETE", at(id), "")
		if diff := cmp.Diff([]string{"usergroups[3]", "users[2]"}, gone); diff != "" {
			t.Error(diff)
		}
	})
}

// TestUsergroups_PrivilegesHaveALimit in bytes, as every text has.
func TestUsergroups_PrivilegesHaveALimit(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		var names []string
		for i := range 2000 {
			names = append(names, fmt.Sprintf("view_number_%05d", i))
		}
		id := s.group("A")
		s.Refuses("PUT", groupAt(id), "privileges="+strings.Join(names, ","), "privileges")
		s.Call(200, "PUT", groupAt(id), "privileges="+strings.Join(names[:900], ","))
	})
}

// FuzzPrivileges sends privileges: those accepted read back as the same names, each
// once.
func FuzzPrivileges(f *testing.F) {
	for _, seed := range []string{`["a"]`, `"a,b"`, `[]`, `null`, `["a", null, "b,c"]`, `"A"`, `{"a": 1}`, `7`, `["_"]`, `"a\u0000"`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var p, again users.Privileges
		if p.UnmarshalJSON(data) != nil {
			if p != "" {
				t.Errorf("%q was refused, and left %q", data, p)
			}
			return
		}
		if err := again.UnmarshalJSON(must(p.MarshalJSON())); err != nil || again != p {
			t.Errorf("%q became %q, and that %q, %v", data, p, again, err)
		}
		names := slices.Collect(p.All())
		if !slices.IsSorted(names) || len(slices.Compact(slices.Clone(names))) != len(names) || slices.Contains(names, "") {
			t.Errorf("%q became %q", data, names)
		}
	})
}

// FuzzEmail creates users: each accepted one can sign in with the address, which reads
// back as sent.
func FuzzEmail(f *testing.F) {
	for _, seed := range []string{"ana@example.org", " ana@example.org ", "@", "a@b", "a:b@c", "a@b\n", "é@ü", "a@b@c", "a\u200b@c", "\xff@x", "%@_", "ǅ@İ"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, email string) {
		s := suite.Open(t, memory.New(), shopapi.Options{})
		u, err := s.Users.Create(t.Context(), users.User{Summary: users.Summary{Email: email, UserType: shopapi.Administrator}}, "")
		if err != nil {
			if status(err) != 400 {
				t.Errorf("%q: %v", email, err)
			}
			return
		}
		s.Keys[u.Email] = must(s.Users.GenerateKey(t.Context(), u.UserID))
		s.as(u.Email).Call(403, "GET", "users", "") // signed in, without privileges
		if u.Email != strings.TrimSpace(email) {
			t.Errorf("%q became %q", email, u.Email)
		}
	})
}
