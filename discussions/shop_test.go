package discussions_test

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/discussions"
	"github.com/shopapi/shopapi/internal/shoptest"
)

// A shop is an API with discussions and the objects to discuss: products 1 to 50 (41 to
// 50 of company 7, the others of company 1), categories, pages and orders with the same
// ids.
type shop struct{ *shoptest.Shop }

var suite = shoptest.Suite[*shop]{
	Entities: []string{"discussions"},
	Users:    users,
	Wrap:     func(s *shoptest.Shop) *shop { return &shop{Shop: s} },
	Fill: func(s *shop) {
		s.Clock.Set(time.Date(2024, 5, 15, 12, 0, 0, 0, time.UTC))
		s.Register(goods{"products", "view_catalog"}, goods{"categories", "view_catalog"}, goods{"pages", "view_pages"},
			goods{"orders", "view_orders"}, goods{"articles", "view_pages"}, goods{"stores", "view_stores"})
	},
}

// The users of the shop.
var users = shoptest.Users{
	shoptest.Root:        {ID: 1, Name: "Rita Root", Type: shopapi.Administrator, Root: true, CompanyID: 1},
	"reader@example.com": {ID: 2, Name: "Rosa Reader", Type: shopapi.Administrator, CompanyID: 1, Privileges: map[string]bool{"view_discussions": true}},
	"vendor@example.com": {ID: 3, Name: "Vera Vendor", Type: shopapi.Vendor, CompanyID: 7, Privileges: map[string]bool{
		"view_discussions": true, "manage_discussions": true, "view_catalog": true, "view_pages": true, "view_orders": true}},
}

// in returns the shop for a subtest.
func (s *shop) in(t testing.TB) *shop { return &shop{s.In(t)} }

// goods are a host's entity, whose objects are discussed.
type goods struct{ name, privilege string }

func (g goods) Describe() shopapi.Description {
	return shopapi.Description{
		Name: g.name, IDField: "id",
		Privileges: shopapi.Privileges{View: g.privilege, Manage: g.privilege},
	}
}

func (g goods) Get(ctx context.Context, _ *shopapi.Request, id string) (any, error) {
	n, err := strconv.ParseInt(id, 10, 64)
	company := int64(1)
	if n > 40 {
		company = 7
	}
	if own, confined := shopapi.CompanyOf(ctx); err != nil || n < 1 || n > 50 || confined && own != company {
		return nil, shopapi.NotFound(g.name, id)
	}
	return map[string]string{"id": id, "company_id": strconv.FormatInt(company, 10)}, nil
}

// Delete lets the API delete the rows that depend on an object.
func (g goods) Delete(context.Context, *shopapi.Request, string) error { return nil }

// A header of a request.
type header struct{ name, value string }

// as sets the user of a request. The default is root.
func as(email string) header { return header{"user", email} }

var (
	asForm = header{"Content-Type", "application/x-www-form-urlencoded"}
	vendor = as("vendor@example.com")
)

// do sends a request, whose body is JSON unless a header says otherwise.
func (s *shop) do(method, address, body string, headers ...header) *answer {
	s.Helper()
	by, remote := s.Shop, "192.0.2.10:4711"
	fields := []string{"Content-Type", "application/json"}
	for _, h := range headers {
		switch h.name {
		case "user":
			by = s.As(h.value)
		case "remote":
			remote = h.value
		default:
			fields = append(fields, h.name, h.value)
		}
	}
	req := by.Request(method, address, body, fields...)
	req.RemoteAddr = remote
	return &answer{Answer: s.Serve(req), t: s, what: method + " " + address}
}

// list returns the post ids of a list, and its total.
func (s *shop) list(query string, headers ...header) string {
	s.Helper()
	address := "/api/2.0/discussions?" + query
	if strings.HasPrefix(query, "/") {
		address = query
	}
	got := s.do("GET", address, "", headers...).want(http.StatusOK).object()
	var ids []string
	for _, item := range got["discussions"].([]any) {
		ids = append(ids, item.(map[string]any)["post_id"].(string))
	}
	return fmt.Sprintf("%s of %s", strings.Join(ids, " "), got["params"].(map[string]any)["total_items"])
}

// file files posts from Go, and stops the test if one is refused.
func (s *shop) file(list ...discussions.Post) {
	s.Helper()
	for _, p := range list {
		if _, err := s.Discussions.Create(s.Context(), p); err != nil {
			s.Fatalf("%+v: %v", p, err)
		}
	}
}

// An answer is a response of the shop.
type answer struct {
	*apitest.Answer
	t    testing.TB
	what string
}

// want checks the status.
func (a *answer) want(status int) *answer {
	a.t.Helper()
	if a.Status != status {
		a.t.Fatalf("%s is answered %d %s, want %d", a.what, a.Status, a.Body, status)
	}
	return a
}

// is checks the body, byte for byte.
func (a *answer) is(body string) *answer {
	a.t.Helper()
	if diff := cmp.Diff(body, a.Body); diff != "" {
		a.t.Errorf("%s (-want +got):\n%s", a.what, diff)
	}
	return a
}

// object is the body.
func (a *answer) object() map[string]any {
	a.t.Helper()
	var object map[string]any
	a.Decode(&object)
	return object
}

// names checks which fields a 400 names.
func (a *answer) names(fields ...string) *answer {
	a.t.Helper()
	a.want(http.StatusBadRequest)
	errors, _ := a.object()["errors"].(map[string]any)
	want := map[string]bool{}
	for _, f := range fields {
		want[f] = true
	}
	got := map[string]bool{}
	for f := range errors {
		got[f] = true
	}
	if diff := cmp.Diff(want, got); diff != "" {
		a.t.Errorf("%s is answered %s (-want +got):\n%s", a.what, a.Body, diff)
	}
	return a
}
