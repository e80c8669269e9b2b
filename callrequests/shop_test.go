package callrequests_test

import (
	"strings"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/internal/shoptest"
)

// products has mugs of company 1 and bowls of company 2.
func products() *shoptest.Host {
	return &shoptest.Host{Name: "products", Objects: map[string]any{
		"41": shopapi.Map{{Name: "product_id", Value: "41"}, {Name: "product", Value: "Clay mug"}, {Name: "company_id", Value: "1"}},
		"77": map[string]any{"product_id": 77, "product": "Bowl <b>&</b>", "company_id": 2},
	}}
}

// orders has two orders of company 1 and one of company 2.
func orders() *shoptest.Host {
	type order struct {
		OrderID   int64  `json:"order_id,string"`
		Status    string `json:"status"`
		CompanyID int64  `json:"company_id,string"`
	}
	return &shoptest.Host{Name: "orders", Objects: map[string]any{
		"501": order{501, "O", 1},
		"502": &order{502, "C", 1},
		"503": order{503, "O", 1},
		"901": order{901, "P", 2},
	}}
}

// officers are administrators: with first and last name, with name, and without a name.
func officers() *shoptest.Host {
	return &shoptest.Host{Name: "users", Objects: map[string]any{
		"5": map[string]any{"user_id": "5", "firstname": "Zora", "lastname": "Adler"},
		"6": map[string]any{"user_id": "6", "firstname": "", "lastname": "ähren"},
		"7": map[string]any{"user_id": "7", "name": "ada"},
		"8": map[string]any{"user_id": "8"},
		"9": map[string]any{"user_id": "9", "firstname": "zora", "lastname": "ADLER"},
	}}
}

// stores are the storefronts of a shop.
func stores() *shoptest.Host {
	return &shoptest.Host{Name: "stores", Objects: map[string]any{
		"1": map[string]any{"company_id": "1"}, "3": map[string]any{"company_id": "3"},
	}}
}

// A shop is an API with call requests in it.
type shop struct{ *shoptest.Shop }

var suite = shoptest.Suite[*shop]{
	Entities: []string{"call_requests"},
	Users:    users,
	Wrap:     func(s *shoptest.Shop) *shop { return &shop{Shop: s} },
}

// users can sign in. Vendors' users may view users too.
var users = func() shoptest.Users {
	staff := shoptest.Staff(shopapi.Privileges{View: "view_call_requests", Manage: "manage_call_requests"})
	staff["vendor2@example.com"].Privileges["view_users"] = true
	return staff
}()

// as returns the shop, used as another user.
func (s *shop) as(email string) *shop { return &shop{s.As(email)} }

// ids returns the ids of a list in their order, and its total.
func (s *shop) ids(query string) (ids []string, total string) {
	s.Helper()
	var list struct {
		CallRequests []struct {
			RequestID string `json:"request_id"`
		} `json:"call_requests"`
		Params struct {
			TotalItems string `json:"total_items"`
		}
	}
	shoptest.Decode(s, s.Call(200, "GET", "call_requests?"+query, ""), &list)
	for _, c := range list.CallRequests {
		ids = append(ids, c.RequestID)
	}
	return ids, list.Params.TotalItems
}

// lists makes a list and compares the ids, joined by spaces.
func (s *shop) lists(query, want string) {
	s.Helper()
	ids, _ := s.ids(query)
	if got := strings.Join(ids, " "); got != want {
		s.Errorf("GET ?%s: requests %q, want %q", query, got, want)
	}
}
