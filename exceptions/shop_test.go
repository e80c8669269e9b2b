package exceptions_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/exceptions"
	"github.com/shopapi/shopapi/internal/entitytest"
	"github.com/shopapi/shopapi/store"
)

// products has two of company 1 and one of company 2.
func products() *entitytest.Host {
	return &entitytest.Host{Name: "products", View: "view_catalog", Objects: map[string]any{
		"41": shopapi.Map{{Name: "product_id", Value: "41"}, {Name: "company_id", Value: "1"}},
		"42": map[string]any{"product_id": 42, "company_id": 1},
		"77": map[string]any{"product_id": "77", "company_id": "2"},
	}}
}

// options has a select box and a checkbox of product 41, a text of 41, and radio
// buttons of 42 and of 77.
func options() *entitytest.Host {
	option := func(id, product, kind string, variants ...string) any {
		o := map[string]any{"option_id": id, "product_id": product, "option_type": kind, "variants": []string{}}
		if len(variants) > 0 {
			m := map[string]any{}
			for _, v := range variants {
				m[v] = map[string]any{"variant_id": v}
			}
			o["variants"] = m
		}
		return o
	}
	return &entitytest.Host{Name: "options", View: "view_catalog", Objects: map[string]any{
		"12": option("12", "41", "S", "33", "34"),
		"14": option("14", "41", "C", "36", "37"),
		"15": option("15", "41", "I"),
		"16": option("16", "41", "R"),
		"21": option("21", "42", "R", "51"),
		"71": option("71", "77", "R", "91"),
	}}
}

// A shop is an API with exceptions in it.
type shop struct {
	t          *testing.T
	api        *shopapi.API
	exceptions *exceptions.Exceptions
	as         string // e-mail of the user
	events     *[]shopapi.Event
}

var users = entitytest.Users{
	"root@shop.example":   {ID: 1, Type: shopapi.Administrator, Root: true},
	"vendor@shop.example": {ID: 2, Type: shopapi.Vendor, CompanyID: 2, Privileges: map[string]bool{"view_catalog": true, "manage_catalog": true}},
	"reader@shop.example": {ID: 3, Type: shopapi.Administrator, Privileges: map[string]bool{"view_catalog": true}},
}

func newShop(t *testing.T, st store.Store, opts shopapi.Options, entities ...shopapi.Entity) *shop {
	t.Helper()
	events := &[]shopapi.Event{}
	opts.Authenticator = users
	opts.Logger = slog.New(slog.DiscardHandler)
	opts.Observer = func(_ context.Context, e shopapi.Event) { *events = append(*events, e) }
	api := shopapi.New(&opts)
	for _, e := range entities {
		if err := api.Register(e); err != nil {
			t.Fatal(err)
		}
	}
	x, err := exceptions.Register(context.Background(), api, st)
	if err != nil {
		t.Fatal(err)
	}
	return &shop{t: t, api: api, exceptions: x, as: "root@shop.example", events: events}
}

// told returns what the observer was told so far.
func (s *shop) told() []shopapi.Event {
	s.t.Helper()
	if err := s.api.Flush(s.t.Context()); err != nil {
		s.t.Error(err)
	}
	return *s.events
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

// refused makes a request that is answered 400 about exactly one field, and
// returns what is said of it.
func (s *shop) refused(method, path, body, field string) string {
	s.t.Helper()
	code, got := s.send(method, path, body)
	var answer struct {
		Message string
		Errors  map[string]string
	}
	if err := json.Unmarshal([]byte(got), &answer); err != nil {
		s.t.Fatalf("%s %s %s: answer %q: %v", method, path, body, got, err)
	}
	if code != http.StatusBadRequest || len(answer.Errors) != 1 || answer.Errors[field] == "" || answer.Message == "" {
		s.t.Errorf("%s %s %s: status %d, answer %s; want 400 about %s alone", method, path, body, code, got, field)
	}
	return answer.Errors[field]
}

// status makes a request and compares the status alone.
func (s *shop) status(method, path, body string, want int) {
	s.t.Helper()
	if code, got := s.send(method, path, body); code != want {
		s.t.Errorf("%s %s %s: status %d, want %d; answer %s", method, path, body, code, want, got)
	}
}
