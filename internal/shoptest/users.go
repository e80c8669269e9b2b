package shoptest

import (
	"context"

	"github.com/shopapi/shopapi"
)

// Key is the API key of all [Users].
const Key = "key"

// Users can sign in: by e-mail, with [Key].
type Users map[string]*shopapi.User

// Authenticate implements [shopapi.Authenticator].
func (u Users) Authenticate(_ context.Context, c shopapi.Credentials) (*shopapi.User, error) {
	if user, ok := u[c.Email]; ok && c.Key == Key {
		return user, nil
	}
	return nil, shopapi.ErrBadCredentials
}

// Staff are the root user with the id 1, a read-only administrator with the id 2, and
// users of the vendors 2 and 3 with the ids 3 and 4, who may view and manage.
func Staff(p shopapi.Privileges) Users {
	view, manage := map[string]bool{p.View: true}, map[string]bool{p.View: true, p.Manage: true}
	return Users{
		Root:                  {ID: 1, Type: shopapi.Administrator, Root: true},
		"reader@example.com":  {ID: 2, Type: shopapi.Administrator, Privileges: view},
		"vendor2@example.com": {ID: 3, Type: shopapi.Vendor, CompanyID: 2, Privileges: manage},
		"vendor3@example.com": {ID: 4, Type: shopapi.Vendor, CompanyID: 3, Privileges: manage},
	}
}
