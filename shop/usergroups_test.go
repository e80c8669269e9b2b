package shop_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/shopapi/shopapi/apitest"
)

// TestUsergroupIDs_MustExist: lists of user groups take the ids of groups that exist, and 0
// for everybody. A list that a change leaves as it is may name a group that was removed.
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
