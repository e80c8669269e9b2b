package callrequests_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/callrequests"
	"github.com/shopapi/shopapi/internal/entitytest"
	"github.com/shopapi/shopapi/store"
)

// products has mugs of company 1 and bowls of company 2.
func products() *entitytest.Host {
	return &entitytest.Host{Name: "products", Objects: map[string]any{
		"41": shopapi.Map{{Name: "product_id", Value: "41"}, {Name: "product", Value: "Clay mug"}, {Name: "company_id", Value: "1"}},
		"77": map[string]any{"product_id": 77, "product": "Bowl <b>&</b>", "company_id": 2},
	}}
}

// orders has two orders of company 1 and one of company 2.
func orders() *entitytest.Host {
	type order struct {
		OrderID   int64  `json:"order_id,string"`
		Status    string `json:"status"`
		CompanyID int64  `json:"company_id,string"`
	}
	return &entitytest.Host{Name: "orders", Objects: map[string]any{
		"501": order{501, "O", 1},
		"502": &order{502, "C", 1},
		"503": order{503, "O", 1},
		"901": order{901, "P", 2},
	}}
}

// officers are administrators: by first and last name, by name, and without one.
func officers() *entitytest.Host {
	return &entitytest.Host{Name: "users", Objects: map[string]any{
		"5": map[string]any{"user_id": "5", "firstname": "Zora", "lastname": "Adler"},
		"6": map[string]any{"user_id": "6", "firstname": "", "lastname": "ähren"},
		"7": map[string]any{"user_id": "7", "name": "ada"},
		"8": map[string]any{"user_id": "8"},
		"9": map[string]any{"user_id": "9", "firstname": "zora", "lastname": "ADLER"},
	}}
}

// stores are the storefronts of a shop that has several.
func stores() *entitytest.Host {
	return &entitytest.Host{Name: "stores", Objects: map[string]any{
		"1": map[string]any{"company_id": "1"}, "3": map[string]any{"company_id": "3"},
	}}
}

// A shop is an API with call requests in it.
type shop struct {
	t        *testing.T
	api      *shopapi.API
	requests *callrequests.CallRequests
	as       string // e-mail of the user
	events   *[]shopapi.Event
}

var users = entitytest.Users{
	"root@shop.example":   {ID: 1, Type: shopapi.Administrator, Root: true},
	"vendor@shop.example": {ID: 2, Type: shopapi.Vendor, CompanyID: 2, Privileges: map[string]bool{"view_call_requests": true, "manage_call_requests": true, "view_users": true}},
	"reader@shop.example": {ID: 3, Type: shopapi.Administrator, Privileges: map[string]bool{"view_call_requests": true}},
}

// now is the time in the tests' shop.
const now = 1700000000

func newShop(t *testing.T, st store.Store, opts shopapi.Options, entities ...shopapi.Entity) *shop {
	t.Helper()
	events := &[]shopapi.Event{}
	opts.Authenticator = users
	opts.Logger = slog.New(slog.DiscardHandler)
	opts.Clock = func() time.Time { return time.Unix(now, 0) }
	opts.Observer = func(_ context.Context, e shopapi.Event) { *events = append(*events, e) }
	api := shopapi.New(&opts)
	for _, e := range entities {
		if err := api.Register(e); err != nil {
			t.Fatal(err)
		}
	}
	c, err := callrequests.Register(context.Background(), api, st)
	if err != nil {
		t.Fatal(err)
	}
	return &shop{t: t, api: api, requests: c, as: "root@shop.example", events: events}
}

// by returns the shop as another user reaches it.
func (s *shop) by(email string) *shop {
	other := *s
	other.as = email
	return &other
}

// send makes a request; a body that begins with { is JSON, any other a form.
func (s *shop) send(method, path, body string) (status int, answer string) {
	s.t.Helper()
	w := entitytest.Send(s.api, s.as, entitytest.Key, method, path, body)
	return w.Code, w.Body.String()
}

// want makes a request and compares the whole answer.
func (s *shop) want(method, path, body string, status int, answer string) {
	s.t.Helper()
	code, got := s.send(method, path, body)
	if diff := cmp.Diff(answer, got); code != status || diff != "" {
		s.t.Errorf("%s %s %s: status %d, want %d; answer (-want +got):\n%s", method, path, body, code, status, diff)
	}
}

// status makes a request and compares the status alone.
func (s *shop) status(method, path, body string, want int) {
	s.t.Helper()
	if code, got := s.send(method, path, body); code != want {
		s.t.Errorf("%s %s %s: status %d, want %d; answer %s", method, path, body, code, want, got)
	}
}

// refused makes a request that is answered 400 about exactly the fields.
func (s *shop) refused(method, path, body string, fields ...string) {
	s.t.Helper()
	code, got := s.send(method, path, body)
	var answer struct {
		Message string
		Errors  map[string]string
	}
	if err := json.Unmarshal([]byte(got), &answer); err != nil {
		s.t.Fatalf("%s %s %s: answer %q: %v", method, path, body, got, err)
	}
	same := code == http.StatusBadRequest && len(answer.Errors) == len(fields) && answer.Message != ""
	for _, f := range fields {
		same = same && answer.Errors[f] != ""
	}
	if !same {
		s.t.Errorf("%s %s %s: status %d, answer %s; want 400 about %v alone", method, path, body, code, got, fields)
	}
}

// field returns one member of an answer as JSON.
func (s *shop) field(path, name string) string {
	s.t.Helper()
	_, got := s.send("GET", path, "")
	var members map[string]json.RawMessage
	if err := json.Unmarshal([]byte(got), &members); err != nil {
		s.t.Fatalf("GET %s: answer %q: %v", path, got, err)
	}
	return string(members[name])
}

// ids returns the ids of a list in their order, and its total.
func (s *shop) ids(query string) (ids []string, total string) {
	s.t.Helper()
	code, got := s.send("GET", "/api/2.0/call_requests?"+query, "")
	var list struct {
		CallRequests []struct {
			RequestID string `json:"request_id"`
		} `json:"call_requests"`
		Params struct {
			TotalItems string `json:"total_items"`
		}
	}
	if err := json.Unmarshal([]byte(got), &list); code != 200 || err != nil {
		s.t.Fatalf("GET ?%s: status %d, answer %s, %v", query, code, got, err)
	}
	for _, c := range list.CallRequests {
		ids = append(ids, c.RequestID)
	}
	return ids, list.Params.TotalItems
}

// lists makes a list and compares the ids, joined by spaces.
func (s *shop) lists(query, want string) {
	s.t.Helper()
	ids, _ := s.ids(query)
	if got := strings.Join(ids, " "); got != want {
		s.t.Errorf("GET ?%s: requests %q, want %q", query, got, want)
	}
}
