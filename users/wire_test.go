package users_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/internal/shoptest"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/users"
)

// TestUsers_Fields compares a list and a detail whole: exactly the documented
// fields, every number a string (decisions §4), nothing of a secret.
func TestUsers_Fields(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		sameJSON(t, s.Call(201, "POST", "users", `{"email": " Ana@example.org ", "user_type": "C", "user_login": "ana",
			"firstname": "Ana", "lastname": "Petrov", "company": "Clay & Co", "password": "opensesame"}`),
			`{"user_id": "2", "profile_id": "2"}`)
		const ana = `{"user_id": "2", "user_login": "ana", "is_root": "N", "timestamp": "1700000000", "updated_at": "1700000000", "user_type": "C", "status": "A",
			"firstname": "Ana", "lastname": "Petrov", "email": "Ana@example.org", "company": "Clay & Co", "company_id": "1", "company_name": null}`
		sameJSON(t, s.Call(200, "GET", "users/2", ""), withProfile(ana))
		listed := strings.TrimSuffix(ana, "}") + ", " + emptyBilling + "}"
		sameJSON(t, s.Call(200, "GET", "users?user_type=C", ""), `{"users": [`+listed+`],
			"params": {"items_per_page": "10", "page": 1, "sort_order": "asc", "sort_by": "id", "sort_order_rev": "desc", "total_items": "1"}}`)
	})
}

// emptyBilling is the phone and the billing address of a user without a profile, which
// lists show (decisions §27), and emptyProfile is the whole profile.
const (
	emptyBilling = `"phone": "", "b_firstname": "", "b_lastname": "", "b_address": "", "b_address_2": "", "b_city": "", "b_county": "", "b_state": "",
	"b_state_descr": "", "b_country": "", "b_country_descr": "", "b_zipcode": "", "b_phone": ""`
	emptyProfile = emptyBilling + `, "fax": "", "url": "", "tax_exempt": "N", "lang_code": "", "birthday": "",
	"s_firstname": "", "s_lastname": "", "s_address": "", "s_address_2": "", "s_city": "", "s_county": "", "s_state": "",
	"s_state_descr": "", "s_country": "", "s_country_descr": "", "s_zipcode": "", "s_phone": ""`
)

func withProfile(user string) string {
	return strings.TrimSuffix(user, "}") + ", " + emptyProfile + "}"
}

// TestUsers_RootAdministrator compares the first user whole: company 0, is_root Y.
func TestUsers_RootAdministrator(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		var root map[string]string
		decode(t, strings.Replace(s.Call(200, "GET", "users/1", ""), "null", `""`, 1), &root)
		for _, field := range []string{"timestamp", "updated_at"} {
			if root[field] == "0" {
				t.Errorf("the first user has no %s", field)
			}
			delete(root, field) // the system's clock: the API does not exist yet
		}
		want := map[string]string{"user_id": "1", "user_login": "", "is_root": "Y", "user_type": "A", "status": "A",
			"firstname": "", "lastname": "", "email": rootEmail, "company": "", "company_id": "0", "company_name": ""}
		decode(t, "{"+emptyProfile+"}", &want)
		if diff := cmp.Diff(want, root); diff != "" {
			t.Error(diff)
		}
	})
}

// TestUsers_UpdateChangesOnlySentFields changes fields one at a time.
func TestUsers_UpdateChangesOnlySentFields(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		id := s.add(`{"email": "ana@example.org", "user_type": "C", "user_login": "ana", "firstname": "Ana", "lastname": "P", "company": "Clay"}`)
		var want map[string]any
		decode(t, s.Call(200, "GET", at(id), ""), &want)
		for _, c := range []struct{ field, value string }{
			{"firstname", "Anna"}, {"lastname", ""}, {"email", "anna@example.org"}, {"status", "D"},
			{"user_type", "V"}, {"company", "Bowls"}, {"user_login", "anna"},
		} {
			sameJSON(t, s.Call(200, "PUT", at(id), fmt.Sprintf(`{%q: %q}`, c.field, c.value)), `{"user_id": "2", "profile_id": "2"}`)
			want[c.field] = c.value
			var got map[string]any
			decode(t, s.Call(200, "GET", at(id), ""), &got)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("after a change of %s (-want +got):\n%s", c.field, diff)
			}
		}
	})
}

// TestUsers_ReadOnlyFieldsIgnored sends fields that only the shop sets (decisions §4).
func TestUsers_ReadOnlyFieldsIgnored(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		const readOnly = `"user_id": "77", "is_root": "Y", "timestamp": 5, "company_name": "X", "points": 7,
			"name": "X", "password_hash": "X", "api_key_hash": "X", "privileges": ["manage_users"]`
		id := s.add(`{"email": "ana@example.org", "user_type": "A", ` + readOnly + `}`)
		u, err := s.Users.Get(t.Context(), id)
		if err != nil || id != 2 || u.IsRoot || u.Timestamp != shoptest.Now {
			t.Errorf("created %+v, %v", u, err)
		}
		before := s.dump()
		s.Call(200, "PUT", at(id), `{`+readOnly+`}`)
		if diff := cmp.Diff(before, s.dump()); diff != "" {
			t.Error(diff)
		}
	})
}

// TestUsers_RequiredFields: e-mail address and type are required on POST, and PUT cannot
// empty them.
func TestUsers_RequiredFields(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		s.Refuses("POST", "users", `{"firstname": "Ana"}`, "email", "user_type")
		s.Refuses("POST", "users", `{"email": "", "user_type": null}`, "email", "user_type")
		id := s.customer("ana@example.org")
		s.Refuses("PUT", at(id), `{"email": null, "user_type": ""}`, "email", "user_type")
	})
}

// TestUsers_ValuesOutsideTheirSets are 400 and name the field (decisions §5).
func TestUsers_ValuesOutsideTheirSets(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		id := s.customer("ana@example.org")
		long := strings.Repeat("é", 256)
		for _, c := range []struct{ field, value string }{
			{"user_type", `"P"`}, {"user_type", `"c"`}, {"user_type", `["A"]`},
			{"status", `"N"`}, {"status", `"active"`},
			{"company_id", `-1`}, {"company_id", `"x"`},
			{"email", `"ana"`}, {"email", `"@example.org"`}, {"email", `"ana@"`}, {"email", `"a na@example.org"`},
			{"email", `"a:na@example.org"`}, {"email", `"ana\u0007@example.org"`}, {"email", `["a@example.org"]`},
			{"email", `"` + strings.Repeat("a", 243) + `@example.org"`},
			{"firstname", `"` + long + `"`}, {"lastname", `"` + long + `"`}, {"company", `"` + long + `"`}, {"user_login", `"` + long + `"`},
			{"firstname", `true`},
			{"password", `"` + strings.Repeat("x", 73) + `"`}, {"password", `["x"]`},
		} {
			s.Refuses("PUT", at(id), fmt.Sprintf(`{"status": "D", %q: %s}`, c.field, c.value), c.field)
		}
		s.Refuses("POST", "users", `{"email": "x", "user_type": "X", "status": "X", "password": "`+strings.Repeat("x", 73)+`"}`, "email", "user_type", "status", "password")
	})
}

// TestUsers_EmailIsUnique without regard to case, also when it is changed.
func TestUsers_EmailIsUnique(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		s.customer("ana@example.org")
		other := s.customer("jürgen@example.org")
		for _, email := range []string{"ana@example.org", "ANA@Example.org", " ana@example.org\t", "JÜRGEN@example.org"} {
			s.Refuses("POST", "users", fmt.Sprintf(`{"email": %q, "user_type": "A"}`, email), "email")
		}
		s.Refuses("PUT", at(other), `{"email": "Ana@example.org", "firstname": "X"}`, "email")
		s.Call(200, "PUT", at(other), `{"email": "JÜRGEN@example.org"}`) // its own
		if got := s.list("?user_type=C", "email"); got != "ana@example.org JÜRGEN@example.org" {
			t.Error(got)
		}
	})
}

// TestUsers_NotFound is 404 for ids that do not exist and texts that are not ids
// (decisions §5).
func TestUsers_NotFound(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		for _, path := range []string{"users/99", "users/0", "users/-1", "users/x", "users/01", "usergroups/99", "usergroups/x", "users/1/usergroups/x"} {
			if !strings.HasPrefix(path, "users/1/") {
				s.Call(404, "GET", path, "")
			}
			s.Unchanged(func() { s.Call(404, "PUT", path, `{"status": "A", "password": "x"}`) })
			s.Unchanged(func() { s.Call(404, "DELETE", path, "") })
		}
	})
}

// TestUsers_DeleteRemovesMemberships in the same transaction; the id never
// returns.
func TestUsers_DeleteRemovesMemberships(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		g := s.group("C")
		id := s.customer("ana@example.org")
		s.join(id, g)
		if body := s.Call(204, "DELETE", at(id), ""); body != "" {
			t.Errorf("body %q", body)
		}
		s.Call(404, "GET", at(id), "")
		if got := s.list(fmt.Sprintf("?usergroup_id=%d", g), "user_id"); got != "" {
			t.Errorf("the group still has %s", got)
		}
		if again := s.customer("ana@example.org"); again != id+1 {
			t.Errorf("the id %d returned after %d", again, id)
		}
		sameJSON(t, s.Call(200, "GET", at(id+1)+"/usergroups", ""), `{}`)
	})
}

// TestUsers_ChangesAreReported to the observer once, with the user who made them.
func TestUsers_ChangesAreReported(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		id := s.customer("ana@example.org")
		s.Call(200, "PUT", at(id), `{"firstname": "Ana"}`)
		s.Call(201, "POST", "usergroups", `{"type": "C", "status": "A"}`)
		s.Call(200, "PUT", linkAt(id, 3), `{"status": "A"}`)
		s.Call(204, "DELETE", linkAt(id, 3), "")
		s.Call(200, "PUT", groupAt(3), `{"usergroup": "X"}`)
		s.Call(204, "DELETE", groupAt(3), "")
		s.Call(204, "DELETE", at(id), "")
		want := []string{
			"create users 2 by 1", "update users 2 by 1", "create usergroups 3 by 1", "update users 2 by 1",
			"update users 2 by 1", "update usergroups 3 by 1", "delete usergroups 3 by 1", "delete users 2 by 1",
		}
		if diff := cmp.Diff(want, s.Events()); diff != "" {
			t.Error(diff)
		}
	})
}

// TestUsers_GoCallersGetTheSameRules as clients.
func TestUsers_GoCallersGetTheSameRules(t *testing.T) {
	shoptest.EachStore(t, func(t *testing.T, st store.Store) {
		ctx := t.Context()
		if _, _, err := users.EnsureRoot(ctx, st, rootEmail); err != nil {
			t.Fatal(err)
		}
		u := must(users.Register(ctx, shopapi.New(nil), st))
		_, err := u.Create(ctx, users.User{Summary: users.Summary{Email: "x"}}, strings.Repeat("x", 73))
		var told *shopapi.Error
		if !errors.As(err, &told) || told.Status != 400 || len(told.Fields) != 3 {
			t.Errorf("Create: %v", err)
		}
		created, err := u.Create(ctx, users.User{Summary: users.Summary{Email: "ana@example.org", UserType: shopapi.Customer, Timestamp: 7}}, "")
		if err != nil {
			t.Fatal(err)
		}
		got, err := u.Get(ctx, created.UserID)
		if diff := cmp.Diff(created, got); err != nil || diff != "" || got.Timestamp != 7 || got.CompanyID != 1 || got.Status != users.Active {
			t.Errorf("%v, %s", err, diff)
		}
		stop := errors.New("stop")
		if _, err := u.Update(ctx, created.UserID, func(u *users.User) error { u.FirstName = "X"; return stop }); !errors.Is(err, stop) {
			t.Errorf("Update: %v", err)
		}
		if _, err := u.Get(ctx, 99); !errors.Is(err, shopapi.ErrNotFound) {
			t.Errorf("Get: %v", err)
		}
		if _, _, err := u.Find(ctx, users.Filter{ListOptions: resource.ListOptions{SortBy: "password_hash"}}); !errors.As(err, &told) || told.Fields["sort_by"] == "" {
			t.Errorf("Find by a hidden column: %v", err)
		}
		if _, _, err := u.Find(ctx, users.Filter{UserIDs: make([]int64, shopapi.MaxListItems+1)}); !errors.As(err, &told) || told.Fields["user_ids"] == "" {
			t.Errorf("Find of too many ids: %v", err)
		}
		list, total, err := u.Find(context.Background(), users.Filter{ListOptions: resource.ListOptions{SortBy: "email", Order: resource.Descending, Limit: 1}})
		if err != nil || total != 2 || len(list) != 1 || list[0].Email != rootEmail {
			t.Errorf("Find: %v, %d, %v", list, total, err)
		}
		if err := u.Delete(ctx, created.UserID); err != nil {
			t.Error(err)
		}
	})
}

// TestUsers_LiveDialect: ids of new objects are numbers there, profile_id is a text
// in both (decisions §4).
func TestUsers_LiveDialect(t *testing.T) {
	suite.EachWith(t, shopapi.Options{Dialect: shopapi.DialectLive}, func(t *testing.T, s *shop) {
		sameJSON(t, s.Call(201, "POST", "users", `{"email": "ana@example.org", "user_type": "C"}`), `{"user_id": 2, "profile_id": "2"}`)
		sameJSON(t, s.Call(200, "PUT", "users/2", `{"user_type": "C"}`), `{"user_id": "2", "profile_id": "2"}`)
		sameJSON(t, s.Call(201, "POST", "usergroups", `{"type": "C", "status": "A"}`), `{"usergroup_id": 3}`)
		sameJSON(t, s.Call(200, "PUT", "usergroups/3", `{"status": "D"}`), `{"usergroup_id": "3"}`)
	})
}
