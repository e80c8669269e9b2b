package shopapi_test

import (
	"strings"
	"testing"
	"time"

	"github.com/shopapi/shopapi"
)

func TestOptions_Validate(t *testing.T) {
	for _, c := range []struct {
		name string
		opts *shopapi.Options
		want []string // what the error names; none: no error
	}{
		{"nil", nil, nil},
		{"the zero value", &shopapi.Options{}, nil},
		{"no cache", &shopapi.Options{Limits: shopapi.Limits{CacheBytes: -1}}, nil},
		{"the largest editions", &shopapi.Options{Edition: shopapi.MultiVendor, Dialect: shopapi.Live}, nil},
		{"one limit", &shopapi.Options{Limits: shopapi.Limits{Time: -time.Second}}, []string{"Limits.Time"}},
		{"all of them", &shopapi.Options{DefaultCompany: -1, Limits: shopapi.Limits{
			Body: -1, Query: -1, Response: -1, ItemsPerPage: -1, MaxItemsPerPage: -1, Time: -1, Events: -1, LoginFailures: -1, LoginWindow: -1, LoginEntries: -1,
		}}, []string{
			"Limits.Body", "Limits.Query", "Limits.Response", "Limits.ItemsPerPage", "Limits.MaxItemsPerPage", "Limits.Time", "Limits.Events",
			"Limits.LoginFailures", "Limits.LoginWindow", "Limits.LoginEntries", "DefaultCompany",
		}},
		{"an origin", &shopapi.Options{TrustedOrigins: []string{"https://admin.example.com", "http://localhost:8080"}}, nil},
		{"an address in place of an origin", &shopapi.Options{TrustedOrigins: []string{"https://admin.example.com/"}}, []string{"TrustedOrigins"}},
		{"a host in place of an origin", &shopapi.Options{TrustedOrigins: []string{"admin.example.com"}}, []string{"TrustedOrigins"}},
		{"an edition and a dialect that there are not", &shopapi.Options{Edition: 3, Dialect: -1}, []string{"Edition", "Dialect"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := c.opts.Validate()
			if (err != nil) != (len(c.want) > 0) {
				t.Fatalf("got %v", err)
			}
			for _, name := range c.want {
				if !strings.Contains(err.Error(), "Options."+name+" ") {
					t.Errorf("%v does not name %s", err, name)
				}
			}
			defer func() {
				if p := recover(); (p != nil) != (err != nil) {
					t.Errorf("New panicked with %v", p)
				}
			}()
			shopapi.New(c.opts)
		})
	}
}

// A rename of privileges that names no entity would leave them as they are.
func TestCheck_PrivilegesOfAnEntityThatNobodyRegistered(t *testing.T) {
	rename := func(names ...string) func(*shopapi.Options) {
		return func(o *shopapi.Options) {
			o.Privileges = map[string]shopapi.Privileges{}
			for _, name := range names {
				o.Privileges[name] = shopapi.Privileges{View: "v", Manage: "m"}
			}
		}
	}
	s := newShop(t, rename("aisles", "under"))
	if err := s.RegisterUnder("aisles", newThings("under", &s.trace)); err != nil {
		t.Fatal(err)
	}
	if err := s.Check(); err != nil {
		t.Errorf("names that are registered: %v", err)
	}
	s.do("GET", "/api/aisles", "").want(200)

	s = newShop(t, rename("isles", "aisles", "shelfs"))
	if err := s.Check(); err == nil || !strings.HasSuffix(err.Error(), "not registered: isles, shelfs") {
		t.Errorf("got %v", err)
	}
	for range 2 {
		s.do("GET", "/api/aisles", "").want(500)
	}
	if !strings.Contains(s.log.String(), "isles, shelfs") {
		t.Error("the log lacks the names")
	}
	if len(s.trace) > 0 {
		t.Errorf("operations ran: %q", s.trace)
	}
}
