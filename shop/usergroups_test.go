package shop_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi/apitest"
)

// Deleting a user group takes its id out of all lists that name it (decisions §14). A list
// of which none is left is 0, as an empty list is when it is written, so that a PUT of
// what GET answers changes nothing.
func TestUsergroups_DeletedOnesLeaveTheLists(t *testing.T) {
	s := apitest.New(t, nil)
	made := func(entity, body, id string) string {
		t.Helper()
		a := s.Post("/api/2.0/"+entity, body)
		if a.Status != 201 {
			t.Fatalf("POST %s answered %d %s", entity, a.Status, a.Body)
		}
		return a.Field(id)
	}
	gone := made("usergroups", `{"type": "C", "status": "A", "usergroup": "Wholesale"}`, "usergroup_id")
	stays := made("usergroups", `{"type": "C", "status": "A", "usergroup": "Club"}`, "usergroup_id")
	var addresses []string
	for _, e := range []struct{ entity, name, fields, id string }{
		{"categories", "category", ``, "category_id"},
		{"products", "product", `"category_ids": [1], `, "product_id"},
		{"pages", "page", `"page_type": "T", `, "page_id"},
		{"payments", "payment", ``, "payment_id"},
		{"shippings", "shipping", ``, "shipping_id"},
	} {
		for _, groups := range []string{gone, stays + "," + gone, stays, "0"} {
			body := `{"` + e.name + `": "A", ` + e.fields + `"usergroup_ids": "` + groups + `"}`
			addresses = append(addresses, "/api/2.0/"+e.entity+"/"+made(e.entity, body, e.id))
		}
	}
	s.Events()
	if a := s.Delete("/api/2.0/usergroups/" + gone); a.Status != 204 {
		t.Fatalf("DELETE answered %d %s", a.Status, a.Body)
	}
	for i, address := range addresses {
		a := s.Get(address)
		if diff := cmp.Diff([]string{"0", stays, stays, "0"}[i%4], a.Field("usergroup_ids")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", address, diff)
		}
		if put := s.Put(address, a.Body); put.Status != 200 || s.Get(address).Body != a.Body {
			t.Errorf("PUT %s of what GET answers is %d, and changes it to %s", address, put.Status, s.Get(address).Body)
		}
	}
}

// TestUsergroupIDs_MustExist: lists of user groups take the ids of groups that exist, and 0
// for everybody.
func TestUsergroupIDs_MustExist(t *testing.T) {
	for entity, required := range map[string]string{
		"categories": `"category": "Cups"`,
		"products":   `"product": "Mug", "category_ids": [1]`,
		"pages":      `"page": "About", "page_type": "T"`,
		"payments":   `"payment": "Invoice"`,
		"shippings":  `"shipping": "Courier"`,
	} {
		t.Run(entity, func(t *testing.T) {
			s := apitest.New(t, nil)
			aCategory(t, s.Client)
			group := s.Post("/api/2.0/usergroups", `{"usergroup": "Wholesale", "type": "C", "status": "A"}`).Field("usergroup_id")
			for _, list := range []string{"9", "1,9", "0,1,9", strings.Repeat("1,", 200) + "9"} {
				if r := s.Post("/api/2.0/"+entity, fmt.Sprintf(`{%s, "usergroup_ids": %q}`, required, list)); r.Status != 400 || !strings.Contains(r.Body, "usergroup_ids") {
					t.Errorf("usergroup_ids %s is answered %d %s", list, r.Status, r.Body)
				}
			}
			for _, list := range []string{"", "0", "1,2", "0," + group} {
				if r := s.Post("/api/2.0/"+entity, fmt.Sprintf(`{%s, "usergroup_ids": %q}`, required, list)); r.Status != 201 {
					t.Errorf("usergroup_ids %s is answered %d %s", list, r.Status, r.Body)
				}
			}
		})
	}
}
