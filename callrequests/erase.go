package callrequests

import (
	"context"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// eraser blanks the call requests of a person by e-mail address and phone: user_id is
// the administrator in charge.
func eraser(api *shopapi.API, st store.Store) shopapi.EraseFunc {
	return func(ctx context.Context, p shopapi.Person) error {
		var theirs []store.Cond
		if p.Email != "" {
			theirs = append(theirs, store.Equal("email", store.String(p.Email)))
		}
		for _, phone := range p.Phones {
			theirs = append(theirs, store.EqualFold("phone", phone))
		}
		if len(theirs) == 0 {
			return nil
		}
		return resource.EraseRows(ctx, api, st, table, "call_requests", store.Any(theirs...), func(r *CallRequest) {
			r.Name, r.Phone, r.Email, r.TimeFrom, r.TimeTo, r.Notes = "", "", "", "", "", nil
		})
	}
}
