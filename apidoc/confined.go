package apidoc

import (
	"context"

	"github.com/shopapi/shopapi"
)

// A confinement describes the users that an edition confines to a company.
type confinement struct {
	name string        // in the plural, such as "vendors"
	user *shopapi.User // such a user, with every privilege
}

// confinementOf returns the confinement of the API's edition, nil for a single store.
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
	for _, p := range api.EntityPaths() {
		c.user.Privileges[p.Privileges.View], c.user.Privileges[p.Privileges.Manage] = true, true
	}
	return c
}

// closedTo names the confined users if the edition closes an operation to them whatever
// their privileges (§11), "" otherwise.
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
