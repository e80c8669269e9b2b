package shop_test

import (
	"strings"
	"testing"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store/memory"
)

// Options that name an unknown entity are refused, because a typing error would go
// unnoticed.
func TestNew_RefusesNamesThatAreNoEntitys(t *testing.T) {
	renamed := func(name string) shopapi.Options {
		return shopapi.Options{Privileges: map[string]shopapi.Privileges{name: {View: "v", Manage: "m"}}}
	}
	ours := renamed("products")
	ours.Authenticator = shopapi.AuthenticatorFunc(nil)
	for _, c := range []struct {
		name string
		opts shop.Options
		want string // in the error; "" for none
	}{
		{"an entity of the library", shop.Options{Without: []string{"products", "exceptions"}}, ""},
		{"one of the interface that the library does not have yet", shop.Options{Without: []string{"orders"}}, ""},
		{"a slip in Without", shop.Options{Without: []string{"produtcs"}}, `"produtcs"`},
		{"users with their groups", shop.Options{Options: shopapi.Options{Authenticator: shopapi.AuthenticatorFunc(nil)}, Without: []string{"users", "usergroups"}}, ""},
		{"user groups alone, which stay with users", shop.Options{Without: []string{"usergroups"}}, `"usergroups"`},
		{"privileges of an entity of the library", shop.Options{Options: renamed("usergroups")}, ""},
		{"privileges of one that is left to the host", shop.Options{Options: ours, Without: []string{"products", "users"}}, ""},
		{"a slip in Privileges", shop.Options{Options: renamed("produtcs")}, `"produtcs"`},
		{"a limit that is negative", shop.Options{Options: shopapi.Options{Limits: shopapi.Limits{Body: -1}}}, "Limits.Body"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := shop.New(t.Context(), memory.New(), &c.opts)
			switch {
			case c.want == "" && (err != nil || s == nil):
				t.Errorf("got %v", err)
			case c.want != "" && (err == nil || s != nil || !strings.Contains(err.Error(), c.want)):
				t.Errorf("got %v, want an error that names %s", err, c.want)
			}
		})
	}
}
