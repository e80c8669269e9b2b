package users_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/users"
)

// fill adds the users of the list tests, 2 to 5, and group 3 with user 3 as its member.
// User 4 has requested to join it.
func (s *shop) fill() {
	s.Helper()
	for _, body := range []string{
		`{"email": "berta@example.org", "user_type": "A", "firstname": "Berta", "lastname": "Özil", "user_login": "bo"}`,
		`{"email": "adam@shop.example", "user_type": "C", "firstname": "Adam", "lastname": "Petrov", "status": "D"}`,
		`{"email": "dora@example.org", "user_type": "C", "firstname": "Dora", "lastname": "Adams", "user_login": "d_ra"}`,
		`{"email": "carl@example.org", "user_type": "V", "firstname": "Carl", "company_id": 7}`,
	} {
		s.add(body)
	}
	s.join(3, s.group("C"))
	s.Call(200, "PUT", "users/4/usergroups/3", `status=P`)
}

// TestUsers_Filters finds users by each filter; texts match a part in either case, codes
// the whole value (decisions §6).
func TestUsers_Filters(t *testing.T) {
	suite.EachWith(t, shopapi.Options{Edition: shopapi.MultiVendor}, func(t *testing.T, s *shop) {
		s.fill()
		for _, c := range []struct{ query, want string }{
			{"", "1 2 3 4 5"},
			{"?user_ids[]=4&user_ids[]=2&user_ids[]=99", "2 4"},
			{"?user_ids=4,2", "2 4"},
			{"?company=7", "5"},
			{"?company=1", "2 3 4"},
			{"?name=adam", "3 4"},
			{"?name=a%20%C3%B6z", "2"}, // of first and last name together
			{"?name=100%25", ""},
			{"?user_login=BO", "2"},
			{"?user_login=_", "4"}, // no wildcard
			{"?email=EXAMPLE.ORG", "2 4 5"},
			{"?usergroup_id=3", "3"}, // not users whose request is open
			{"?usergroup_id=99", ""},
			{"?status=D", "3"},
			{"?status=A", "1 2 4 5"},
			{"?status=H", ""},
			{"?user_type=V", "5"},
			{"?user_types[]=A&user_types[]=V", "1 2 5"},
			{"?exclude_user_types=A,V", "3 4"},
			{"?user_type=C&status=A", "4"},
			{"?user_type=C&status=A&name=berta", ""},
			{"?user_type=C&email=&name=", "3 4"},
			{"?city=Riga&zipcode=1&country=LV&state=X&address=Y", ""},
		} {
			if got := s.in(t).list(c.query, "user_id"); got != c.want {
				t.Errorf("%s: users %q, want %q", c.query, got, c.want)
			}
		}
	})
}

// TestUsers_CompactJoinsFiltersByOr: one matching filter suffices; without filters every
// user matches.
func TestUsers_CompactJoinsFiltersByOr(t *testing.T) {
	suite.EachWith(t, shopapi.Options{Edition: shopapi.MultiVendor}, func(t *testing.T, s *shop) {
		s.fill()
		for _, c := range []struct{ query, want string }{
			{"?compact=Y", "1 2 3 4 5"},
			{"?compact=Y&name=berta&email=shop.example", "2 3"},
			{"?compact=N&name=berta&email=shop.example", ""},
			{"?compact=Y&user_type=V&exclude_user_types=A,C&user_login=d_", "4 5"},
		} {
			if got := s.list(c.query, "user_id"); got != c.want {
				t.Errorf("%s: users %q, want %q", c.query, got, c.want)
			}
		}
		// compact does not lift the restriction to a vendor's company.
		s.staff("vendor@example.org", "V", 7, "view_users")
		if got := s.as("vendor@example.org").list("?compact=Y&name=berta&email=carl", "user_id"); got != "5" {
			t.Errorf("the vendor finds %q", got)
		}
	})
}

// TestUsers_FilterByGroupNeedsToViewGroups, under the name that the host gave the
// privilege, also if one filter of several suffices.
func TestUsers_FilterByGroupNeedsToViewGroups(t *testing.T) {
	renamed := map[string]shopapi.Privileges{"usergroups": {View: "see_groups", Manage: "edit_groups"}}
	for privilege, options := range map[string]shopapi.Options{"view_usergroups": {}, "see_groups": {Privileges: renamed}} {
		suite.EachWith(t, options, func(t *testing.T, s *shop) {
			s.fill()
			s.staff("without@example.org", "A", 1, "view_users")
			s.staff("with@example.org", "A", 1, "view_users", privilege)
			for _, query := range []string{"?usergroup_id=3", "?usergroup_id=99", "?compact=Y&usergroup_id=3&name=x"} {
				sameJSON(t, s.as("without@example.org").Call(403, "GET", "users"+query, ""),
					`{"message": "Your user groups do not have the privilege `+privilege+`.", "status": 403}`)
			}
			s.as("without@example.org").Call(200, "GET", "users?usergroup_id=", "")
			if got := s.as("with@example.org").list("?usergroup_id=3", "user_id"); got != "3" {
				t.Errorf("users %q", got)
			}
			group := int64(3)
			ctx := shopapi.WithUser(t.Context(), must(s.authenticate("without@example.org", s.Keys["without@example.org"])))
			if _, _, err := s.Users.Find(ctx, users.Filter{UsergroupID: &group}); status(err) != 403 {
				t.Errorf("Find: %v", err)
			}
		})
	}
}

// TestUsers_FiltersOutsideTheirSets are 400 and name the parameter.
func TestUsers_FiltersOutsideTheirSets(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		for query, field := range map[string]string{
			"status=X": "status", "user_type=P": "user_type", "user_types=A,X": "user_types", "exclude_user_types=X": "exclude_user_types",
			"user_ids=1,x": "user_ids", "user_ids=1" + strings.Repeat(",1", 1_000): "user_ids", "name=" + strings.Repeat("x", 1025): "name", "company=x": "company", "usergroup_id=x": "usergroup_id", "compact=maybe": "compact",
			"sort_by=password_hash": "sort_by", "sort_order=up": "sort_order", "page=0": "page", "items_per_page=x": "items_per_page",
		} {
			s.Refuses("GET", "users?"+query, "", field)
		}
		s.Refuses("GET", "usergroups?type=V&status=X", "", "type", "status")
	})
}

// TestUsers_Sorts orders by every key, both ways, text without regard to case.
func TestUsers_Sorts(t *testing.T) {
	suite.EachWith(t, shopapi.Options{Edition: shopapi.MultiVendor}, func(t *testing.T, s *shop) {
		s.fill()
		want := map[string][2]string{
			"id":         {"1 2 3 4 5", "5 4 3 2 1"},
			"email":      {"3 2 5 4 1", "1 4 5 2 3"},
			"name":       {"1 4 5 3 2", "2 3 5 4 1"}, // lastname, then firstname
			"date":       {"2 3 4 5 1", "1 5 4 3 2"},
			"user_login": {"1 3 5 2 4", "4 2 5 3 1"},
			"user_type":  {"1 2 3 4 5", "5 4 3 2 1"},
			"status":     {"1 2 4 5 3", "3 5 4 2 1"},
			"timestamp":  {"2 3 4 5 1", "1 5 4 3 2"},
			"updated_at": {"2 3 4 5 1", "1 5 4 3 2"},
			"company_id": {"1 2 3 4 5", "5 4 3 2 1"},
		}
		for _, key := range users.Sorts() {
			for i, order := range []string{"asc", "desc"} {
				query := fmt.Sprintf("?sort_by=%s&sort_order=%s", key, order)
				if got := s.list(query, "user_id"); got != want[key][i] {
					t.Errorf("%s: users %q, want %q", query, got, want[key][i])
				}
			}
		}
	})
}

// TestUsers_Pages: a page contains a part of the list, and the total counts all of it
// (decisions §6).
func TestUsers_Pages(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		s.fill()
		for _, c := range []struct{ query, want string }{
			{"?items_per_page=2", "1 2"}, {"?items_per_page=2&page=3", "5"}, {"?items_per_page=2&page=4", ""},
		} {
			var answer struct {
				Params struct {
					Total int `json:"total_items,string"`
				}
			}
			decode(t, s.Call(200, "GET", "users"+c.query, ""), &answer)
			if got := s.list(c.query, "user_id"); got != c.want || answer.Params.Total != 5 {
				t.Errorf("%s: users %q of %d, want %q", c.query, got, answer.Params.Total, c.want)
			}
		}
	})
}
