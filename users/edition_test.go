package users_test

import (
	"context"
	"strings"
	"testing"

	"github.com/shopapi/shopapi"
)

// companies is an entity of companies, named stores or vendors: 1, 7 and 8.
type companies string

func (c companies) Describe() shopapi.Description {
	return shopapi.Description{Name: string(c), IDField: "company_id", Privileges: shopapi.Privileges{View: "view_" + string(c)}}
}

func (c companies) Get(_ context.Context, _ *shopapi.Request, id string) (any, error) {
	if id != "1" && id != "7" && id != "8" {
		return nil, shopapi.ErrNotFound
	}
	return map[string]string{"company_id": id, "company": "Company " + id}, nil
}

// TestUsers_CompanyIsRequired on POST, only in the edition with several storefronts
// (decisions §11). Without an entity of storefronts any company is accepted.
func TestUsers_CompanyIsRequired(t *testing.T) {
	suite.EachWith(t, shopapi.Options{Edition: shopapi.MultiStorefront}, func(t *testing.T, s *shop) {
		s.Refuses("POST", "users", `{"email": "ana@example.org", "user_type": "C"}`, "company_id")
		s.add(`{"email": "ana@example.org", "user_type": "C", "company_id": 9}`)
	})
}

// TestUsers_CompanyName is the name that the entity of the storefront or vendor returns,
// and null without a company (users.md).
func TestUsers_CompanyName(t *testing.T) {
	for entity, edition := range map[string]shopapi.Edition{"stores": shopapi.MultiStorefront, "vendors": shopapi.MultiVendor} {
		suite.EachWith(t, shopapi.Options{Edition: edition}, func(t *testing.T, s *shop) {
			if err := s.API.Register(companies(entity)); err != nil {
				t.Fatal(err)
			}
			id := s.add(`{"email": "ana@example.org", "user_type": "C", "company_id": 7}`)
			if got := s.list("", "company_name"); got != "<nil> Company 7" {
				t.Errorf("%s: names %s", entity, got)
			}
			s.Refuses("PUT", at(id), `company_id=9`, "company_id")
			s.Refuses("POST", "users", `{"email": "x@example.org", "user_type": "C", "company_id": 9}`, "company_id")
			s.Call(200, "PUT", at(id), `company_id=8`)
			u, err := s.Users.Get(t.Context(), id)
			if err != nil || u.CompanyID != 8 || u.CompanyName == nil || *u.CompanyName != "Company 8" {
				t.Errorf("%s: %+v, %v", entity, u, err)
			}
		})
	}
}

// TestUsers_UnderAStorefront lists only its users, and creates users in it.
func TestUsers_UnderAStorefront(t *testing.T) {
	suite.EachWith(t, shopapi.Options{Edition: shopapi.MultiStorefront}, func(t *testing.T, s *shop) {
		if err := s.API.Register(companies("stores")); err != nil {
			t.Fatal(err)
		}
		s.add(`{"email": "seven@example.org", "user_type": "C", "company_id": 7}`)
		s.Call(201, "POST", "stores/8/users", `{"email": "eight@example.org", "user_type": "C"}`)
		s.Call(200, "GET", "stores/8/users/3", "")
		s.Call(404, "GET", "stores/7/users/3", "")
		s.Call(404, "PUT", "stores/7/users/3", `firstname=X`)
		s.Call(404, "DELETE", "stores/7/users/3", "")
		if got := s.list("?company=8", "email"); got != "eight@example.org" {
			t.Error(got)
		}
	})
}

// TestUsers_VendorsSeeOnlyTheirCompany: rows of other companies are not found by any
// request (decisions §11).
func TestUsers_VendorsSeeOnlyTheirCompany(t *testing.T) {
	suite.EachWith(t, shopapi.Options{Edition: shopapi.MultiVendor}, func(t *testing.T, s *shop) {
		all := []string{"view_users", "manage_users", "view_usergroups", "manage_usergroups"}
		s.staff("vendor@example.org", "V", 7, all...)
		colleague := s.staff("colleague@example.org", "V", 7)
		other := s.staff("other@example.org", "V", 8)
		g := s.group("C")
		s.join(other, g)
		vendor := s.as("vendor@example.org")
		if got := vendor.list("", "email"); got != "vendor@example.org colleague@example.org" {
			t.Errorf("the vendor lists %s", got)
		}
		if got := vendor.list("?company=8", "email"); got != "" {
			t.Errorf("the vendor finds %s", got)
		}
		for _, id := range []int64{1, other} {
			vendor.Unchanged(func() {
				vendor.Call(404, "GET", at(id), "")
				vendor.Call(404, "PUT", at(id), `firstname=X`)
				vendor.Call(404, "DELETE", at(id), "")
				vendor.Call(404, "GET", at(id)+"/usergroups", "")
				vendor.Call(404, "PUT", linkAt(id, g), `status=A`)
				vendor.Call(404, "DELETE", linkAt(id, g), "")
			})
		}
		vendor.Call(200, "PUT", at(colleague), `{"firstname": "X", "company_id": 8}`)
		if u := must(s.Users.Get(t.Context(), colleague)); u.CompanyID != 7 || u.FirstName != "X" {
			t.Errorf("the colleague became %+v", u)
		}
		created := vendor.add(`{"email": "new@example.org", "user_type": "V", "company_id": 8}`)
		if u := must(s.Users.Get(t.Context(), created)); u.CompanyID != 7 {
			t.Errorf("the new user is of company %d", u.CompanyID)
		}
		vendor.Call(200, "PUT", linkAt(created, g), `status=A`)
		vendor.Call(204, "DELETE", at(created), "")
	})
}

// TestRights_VendorsAndAdministrators: a vendor's user neither creates nor changes
// administrators, whose rights reach beyond the company, nor groups, which belong to the
// whole shop.
func TestRights_VendorsAndAdministrators(t *testing.T) {
	suite.EachWith(t, shopapi.Options{Edition: shopapi.MultiVendor}, func(t *testing.T, s *shop) {
		own := s.staff("vendor@example.org", "V", 7, "view_users", "manage_users", "view_usergroups", "manage_usergroups")
		administrator := s.staff("admin@example.org", "A", 7)
		g := s.group("A")
		vendor := s.as("vendor@example.org")
		vendor.Forbids("POST", "users", `{"email": "x@example.org", "user_type": "A"}`)
		vendor.Forbids("PUT", at(own), `user_type=A`)
		vendor.Forbids("PUT", at(administrator), `password=opensesame`)
		vendor.Forbids("DELETE", at(administrator), "")
		vendor.Forbids("PUT", linkAt(administrator, g), `status=A`)
		vendor.Forbids("POST", "usergroups", `{"type": "C", "status": "A"}`)
		vendor.Forbids("PUT", groupAt(g), `status=D`)
		vendor.Forbids("DELETE", groupAt(g), "")
		vendor.Call(200, "GET", "usergroups", "")
	})
}

// TestRights_11_VendorsChangeMembershipsOfCustomers: a vendor changes memberships of its
// users in groups of type C alone, and the refusal says so.
func TestRights_11_VendorsChangeMembershipsOfCustomers(t *testing.T) {
	suite.EachWith(t, shopapi.Options{Edition: shopapi.MultiVendor}, func(t *testing.T, s *shop) {
		all := []string{"view_users", "manage_users", "view_usergroups", "manage_usergroups"}
		s.staff("vendor@example.org", "V", 7, all...)
		colleague := s.staff("colleague@example.org", "V", 7)
		customers, staff := s.group("C"), s.group("A")
		s.join(colleague, staff)
		vendor := s.as("vendor@example.org")
		vendor.Call(200, "PUT", linkAt(colleague, customers), `status=A`)
		vendor.Call(204, "DELETE", linkAt(colleague, customers), "")
		vendor.Call(404, "DELETE", linkAt(colleague, 99), "")
		for _, status := range []string{"A", "P", "D", "F"} {
			vendor.Forbids("PUT", linkAt(colleague, staff), `status=`+status)
		}
		vendor.Forbids("DELETE", linkAt(colleague, staff), "")
		if message := vendor.Call(403, "DELETE", linkAt(colleague, staff), ""); !strings.Contains(message, "groups of customers, of type C") {
			t.Errorf("the refusal is %s", message)
		}
	})
}

// TestUsers_TakenEmailsOfOtherCompanies: a vendor gets the same response for an e-mail
// address of its own company and of another one.
func TestUsers_TakenEmailsOfOtherCompanies(t *testing.T) {
	suite.EachWith(t, shopapi.Options{Edition: shopapi.MultiVendor}, func(t *testing.T, s *shop) {
		s.staff("vendor@example.org", "V", 7, "view_users", "manage_users")
		own := s.staff("colleague@example.org", "V", 7)
		s.staff("other@example.org", "V", 8)
		s.customer("ana@example.org")
		vendor := s.as("vendor@example.org")
		want := vendor.Call(400, "POST", "users", `{"email": "colleague@example.org", "user_type": "V"}`)
		for _, email := range []string{"other@example.org", "OTHER@example.org", "ana@example.org"} {
			if got := vendor.Call(400, "POST", "users", `{"email": "`+email+`", "user_type": "V"}`); got != want {
				t.Errorf("POST with %s is answered\n%s, want\n%s", email, got, want)
			}
			if got := vendor.Call(400, "PUT", at(own), `{"email": "`+email+`"}`); got != want {
				t.Errorf("PUT with %s is answered\n%s, want\n%s", email, got, want)
			}
		}
	})
}

// TestUsers_StorefrontAdministrators see and change the users of their storefront, and
// cannot move to another; only root assigns company 0, all storefronts (decisions §11).
func TestUsers_StorefrontAdministrators(t *testing.T) {
	suite.EachWith(t, shopapi.Options{Edition: shopapi.MultiStorefront}, func(t *testing.T, s *shop) {
		all := []string{"view_users", "manage_users", "view_usergroups", "manage_usergroups"}
		own := s.staff("seven@example.org", "A", 7, all...)
		other := s.staff("eight@example.org", "A", 8)
		everywhere := s.staff("all@example.org", "A", 0, all...)
		g := s.group("C")
		company := func(id int64) int64 { return must(s.Users.Get(t.Context(), id)).CompanyID }
		if got := company(everywhere); got != 0 {
			t.Fatalf("the administrator of all storefronts is of company %d", got)
		}

		seven := s.as("seven@example.org")
		if got := seven.list("", "email"); got != "seven@example.org" {
			t.Errorf("the administrator of 7 lists %s", got)
		}
		for _, id := range []int64{1, other, everywhere} {
			seven.Unchanged(func() {
				seven.Call(404, "GET", at(id), "")
				seven.Call(404, "PUT", at(id), `firstname=X`)
				seven.Call(404, "DELETE", at(id), "")
				seven.Call(404, "GET", at(id)+"/usergroups", "")
			})
		}
		seven.Forbids("PUT", groupAt(g), `status=D`)
		seven.Call(200, "PUT", at(own), `company_id=0`)
		created := seven.add(`{"email": "new@example.org", "user_type": "A", "company_id": 0}`)
		if company(own) != 7 || company(created) != 7 {
			t.Errorf("the administrators of 7 are of %d and %d", company(own), company(created))
		}

		all0 := s.as("all@example.org")
		all0.Call(200, "GET", at(other), "")
		all0.Forbids("POST", "users", `{"email": "x@example.org", "user_type": "A", "company_id": 0}`)
		all0.Forbids("PUT", at(other), `company_id=0`)
		all0.Call(200, "PUT", at(everywhere), `{"firstname": "Al", "company_id": 0}`)
		s.Call(200, "PUT", at(other), `company_id=0`)
		s.Call(200, "PUT", at(everywhere), `{"user_type": "V"}`)
		if company(other) != 0 || company(everywhere) != 1 {
			t.Errorf("they are of %d and %d", company(other), company(everywhere))
		}
	})
}
