package callrequests

import (
	"context"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// eraser blanks the call requests of a person by e-mail address and phone, in any case: user_id is
// the administrator in charge.
func eraser(api *shopapi.API, st store.Store) shopapi.EraseFunc {
	return func(ctx context.Context, p shopapi.Person) error {
		return st.Update(ctx, func(ctx context.Context, tx store.Tx) error {
			ids, err := withEmail(tx, p.Email)
			if err != nil {
				return err
			}
			theirs := []store.Cond{store.InInts("request_id", ids...)}
			for _, phone := range p.Phones {
				theirs = append(theirs, store.EqualFold("phone", phone))
			}
			return resource.EraseRows(ctx, api, st, table, "call_requests", store.Any(theirs...), func(r *CallRequest) {
				r.Name, r.Phone, r.Email, r.TimeFrom, r.TimeTo, r.Notes = "", "", "", "", "", nil
			})
		})
	}
}

// A contact is the e-mail address of a call request.
type contact struct {
	RequestID int64  `json:"request_id" store:"key"`
	Email     string `json:"email"`
}

var contacts = store.Project[contact](table)

// withEmail returns the ids of the call requests with an e-mail address in any case. It reads all
// addresses: the column has no folded form.
func withEmail(tx store.Tx, email string) (ids []int64, err error) {
	if email == "" {
		return nil, nil
	}
	folded := store.Fold(email)
	err = contacts.Each(tx, store.Query{Where: []store.Cond{store.NotEqual("email", store.String(""))}}, func(c *contact) error {
		if store.Fold(c.Email) == folded {
			ids = append(ids, c.RequestID)
		}
		return nil
	})
	return ids, err
}
