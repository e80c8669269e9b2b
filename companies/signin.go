package companies

import (
	"context"
	"errors"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/store"
)

type standing struct {
	CompanyID int64  `json:"company_id" store:"key"`
	Status    string `json:"status" store:"index"`
}

var standings = store.Project[standing](table)

// SignIn reports whether a user whose credentials are right may sign in: a vendor's
// user may not while the vendor is new or disabled, or where there is no such vendor
// (decisions §21). It is for [github.com/shopapi/shopapi/users.NewAuthenticator].
func SignIn(_ context.Context, tx store.Tx, user *shopapi.User) (bool, error) {
	if !user.IsVendor() {
		return true, nil
	}
	c, err := standings.Get(tx, user.CompanyID)
	if errors.Is(err, store.ErrNotFound) {
		return false, nil
	}
	return c.Status == Active || c.Status == Pending, err
}
