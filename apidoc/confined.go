package apidoc

import (
	"context"

	"github.com/shopapi/shopapi"
)

// A confinement is how the users of an edition are called who are confined to a company,
// and one of them, who has every privilege.
type confinement struct {
	name string
	user *shopapi.User
}

// confinementOf returns that of the API's edition, nil for a single store.
func confinementOf(api *shopapi.API) *confinement {
	c := &confinement{"vendors", &shopapi.User{Type: shopapi.Vendor}}
	switch api.Edition() {
	case shopapi.SingleStore:
		return nil
	case shopapi.MultiStorefront:
		c = &confinement{"administrators of one storefront", &shopapi.User{Type: shopapi.Administrator}}
	}
	c.user.CompanyID = api.DefaultCompany() + 1
	c.user.Privileges = map[string]bool{}
	for _, p := range api.Places() {
		c.user.Privileges[p.Privileges.View], c.user.Privileges[p.Privileges.Manage] = true, true
	}
	return c
}

// closedTo names the users to whom the edition closes an operation whatever their
// privileges (§11), "" for none.
func (e *endpoint) closedTo(op shopapi.Operation) string {
	if e.confined == nil {
		return ""
	}
	names := make([]string, len(e.Parents))
	for i, parent := range e.Parents {
		names[i] = parent.Name
	}
	ctx := shopapi.WithUser(context.Background(), e.confined.user)
	if e.api.Authorize(ctx, e.Name, op, names...) == nil {
		return ""
	}
	return e.confined.name
}
