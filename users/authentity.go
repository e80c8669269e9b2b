package users

import (
	"context"
	"reflect"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/address"
	"github.com/shopapi/shopapi/resource"
)

// An authEntity makes one-time links over HTTP.
type authEntity struct{ users *Users }

var (
	_ shopapi.Creator    = (*authEntity)(nil)
	_ shopapi.Authorizer = (*authEntity)(nil)
)

// RegisterAuth adds the entity auth: POST creates a one-time link. It returns an error
// for options that are not URLs.
func (u *Users) RegisterAuth(o LinkOptions) error {
	if err := o.validate(); err != nil {
		return err
	}
	u.links = o
	return u.api.Register(&authEntity{u})
}

// Describe implements [shopapi.Entity]. Creating a link needs the privilege to manage
// users: it lets the client sign in as the user.
func (*authEntity) Describe() shopapi.Description {
	return shopapi.Description{
		Name:       "auth",
		IDField:    "key",
		Privileges: shopapi.Privileges{View: "view_users", Manage: "manage_users"},
		StringIDs:  true,
		Summary:    "Links that sign a user in once, without a password.",
		Object:     reflect.TypeFor[linkRequest](),
		Rules:      []shopapi.Rule{{Field: "email", Required: true, Bytes: address.MaxEmail}, {Field: "redirect_url", Bytes: maxRedirect}},
		More:       shopapi.Map{{Name: "link", Value: ""}},
	}
}

// Authorize implements [shopapi.Authorizer].
func (*authEntity) Authorize(user *shopapi.User, op shopapi.Operation, parents []string) error {
	return resource.ClosedToVendors(user, op, parents)
}

// A linkRequest is the payload of POST auth.
type linkRequest struct {
	Email    string `json:"email"`
	Redirect string `json:"redirect_url"`
}

// Create implements [shopapi.Creator].
func (e *authEntity) Create(ctx context.Context, r *shopapi.Request) (shopapi.Reply, error) {
	var asked linkRequest
	var problems shopapi.Problems
	problems.Merge(r.Bind(&asked))
	problems.Required("email", asked.Email, "the e-mail address of the user")
	problems.Bytes("email", asked.Email, address.MaxEmail)
	problems.Bytes("redirect_url", asked.Redirect, maxRedirect)
	if err := problems.Err(); err != nil {
		return shopapi.Reply{}, err
	}
	made, err := e.users.MakeLink(ctx, asked.Email, asked.Redirect)
	if err != nil {
		return shopapi.Reply{}, err
	}
	return shopapi.Reply{ID: made.Key, More: shopapi.Map{{Name: "link", Value: made.URL}}}, nil
}
