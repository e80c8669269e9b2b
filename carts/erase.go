package carts

import (
	"context"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// erase blanks the owner of a person's carts, including carts as a guest.
func (c *Carts) erase(ctx context.Context, p shopapi.Person) error {
	theirs := []store.Cond{store.Equal("user_id", store.Int(p.UserID))}
	if p.Email != "" {
		theirs = append(theirs, store.EqualFold("email", p.Email))
	}
	return resource.EraseRows(ctx, c.api, c.st, table, "carts", store.Any(theirs...), func(r *row) {
		r.Email, r.Phone, r.IPAddress = "", "", ""
		r.rename("", "")
	})
}
