package discussions_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/discussions"
	"github.com/shopapi/shopapi/internal/entitytest"
	"github.com/shopapi/shopapi/store"
)

// A shop is an API with discussions and what they are about: products 1 to 50
// (those from 41 on of company 7, the others of company 1), categories, pages and
// orders with the same ids.
type shop struct {
	t       *testing.T
	api     *shopapi.API
	st      store.Store
	reviews *discussions.Discussions
	now     time.Time
	events  []string
}

// The users of the shop.
var users = entitytest.Users{
	"root@example.com":   {ID: 1, Name: "Rita Root", Type: shopapi.Administrator, Root: true, CompanyID: 1},
	"reader@example.com": {ID: 2, Name: "Rosa Reader", Type: shopapi.Administrator, CompanyID: 1, Privileges: map[string]bool{"view_discussions": true}},
	"vendor@example.com": {ID: 3, Name: "Vera Vendor", Type: shopapi.Vendor, CompanyID: 7, Privileges: map[string]bool{
		"view_discussions": true, "manage_discussions": true, "view_catalog": true, "view_pages": true, "view_orders": true}},
}

// eachStore runs a test over every store that needs no server.
func eachStore(t *testing.T, test func(t *testing.T, s *shop)) {
	t.Helper()
	entitytest.EachStore(t, func(t *testing.T, st store.Store) { test(t, newShop(t, st, nil)) })
}

// newShop makes a shop at noon of 2024-05-15, a Wednesday. The options may be nil.
func newShop(t *testing.T, st store.Store, opts *shopapi.Options) *shop {
	t.Helper()
	s := &shop{t: t, st: st, now: time.Date(2024, 5, 15, 12, 0, 0, 0, time.UTC)}
	if opts == nil {
		opts = &shopapi.Options{}
	}
	opts.Clock = func() time.Time { return s.now }
	opts.Authenticator = users
	opts.Observer = func(_ context.Context, e shopapi.Event) {
		s.events = append(s.events, fmt.Sprintf("%s %s %s", e.Operation, e.Entity, e.ID))
	}
	s.api = shopapi.New(opts)
	for _, e := range []goods{{"products", "view_catalog"}, {"categories", "view_catalog"}, {"pages", "view_pages"}, {"orders", "view_orders"}, {"articles", "view_pages"}, {"stores", "view_stores"}} {
		if err := s.api.Register(e); err != nil {
			t.Fatal(err)
		}
	}
	var err error
	if s.reviews, err = discussions.Register(t.Context(), s.api, st); err != nil {
		t.Fatal(err)
	}
	return s
}

// told returns what the observer was told so far.
func (s *shop) told() []string {
	s.t.Helper()
	if err := s.api.Flush(s.t.Context()); err != nil {
		s.t.Error(err)
	}
	return s.events
}

// goods are an entity of the host, whose objects discussions are about.
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

// Delete has the API delete what goes with an object.
func (g goods) Delete(context.Context, *shopapi.Request, string) error { return nil }

// A header of a request.
type header struct{ name, value string }

// as has a request made by one of the users. Others are made by root.
func as(email string) header { return header{"user", email} }

var (
	asForm = header{"Content-Type", "application/x-www-form-urlencoded"}
	vendor = as("vendor@example.com")
)

// do sends a request, whose body is JSON unless a header says otherwise.
func (s *shop) do(method, address, body string, headers ...header) *answer {
	s.t.Helper()
	req := httptest.NewRequest(method, address, strings.NewReader(body))
	req.RemoteAddr = "192.0.2.10:4711"
	req.Header.Set("Content-Type", "application/json")
	email := "root@example.com"
	for _, h := range headers {
		switch h.name {
		case "user":
			email = h.value
		case "remote":
			req.RemoteAddr = h.value
		default:
			req.Header.Set(h.name, h.value)
		}
	}
	req.SetBasicAuth(email, entitytest.Key)
	w := httptest.NewRecorder()
	s.api.ServeHTTP(w, req)
	return &answer{t: s.t, ResponseRecorder: w, what: method + " " + address}
}

// list returns the post ids of a list, and its total.
func (s *shop) list(query string, headers ...header) string {
	s.t.Helper()
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

// file files posts from Go, and stops the test when one is refused.
func (s *shop) file(list ...discussions.Post) {
	s.t.Helper()
	for _, p := range list {
		if _, err := s.reviews.Create(s.t.Context(), p); err != nil {
			s.t.Fatalf("%+v: %v", p, err)
		}
	}
}

// An answer of the shop.
type answer struct {
	*httptest.ResponseRecorder
	t    *testing.T
	what string
}

// want checks the status.
func (a *answer) want(status int) *answer {
	a.t.Helper()
	if a.Code != status {
		a.t.Fatalf("%s is answered %d %s, want %d", a.what, a.Code, a.Body, status)
	}
	return a
}

// is checks the body, byte for byte.
func (a *answer) is(body string) *answer {
	a.t.Helper()
	if diff := cmp.Diff(body, a.Body.String()); diff != "" {
		a.t.Errorf("%s (-want +got):\n%s", a.what, diff)
	}
	return a
}

// object is the body.
func (a *answer) object() map[string]any {
	a.t.Helper()
	return decode(a.t, a.Body.Bytes())
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
