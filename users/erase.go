package users

import (
	"context"
	"fmt"
	"slices"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// Erase blanks a person's data in one transaction. The user is disabled and gets an
// e-mail address that nobody has. Rows found by the user's id, e-mail address or phone
// numbers are blanked too: orders, carts, call requests, reviews, and the rows of each
// package that called [shopapi.API.OnErase]. Amounts, times and ids stay. Erasing a user
// again changes nothing.
//
// It returns a 404 [*shopapi.Error] if the user does not exist or the user of ctx may
// not see it, a 403, or a 400 for the last active root administrator.
func (u *Users) Erase(ctx context.Context, id int64) error {
	return u.st.Update(ctx, func(ctx context.Context, tx store.Tx) error {
		r, err := u.rows.GetIn(ctx, tx, id)
		if err != nil {
			return err
		}
		person := r.person()
		_, err = u.rows.Update(ctx, id, func(r *row) error {
			custom := r.Custom
			custom.ErasePersonal(u.api.CustomFields("users"))
			custom.ErasePersonal(u.api.CustomerFields())
			r.User = User{Summary: Summary{
				UserID: r.UserID, UserType: r.UserType, IsRoot: r.IsRoot, Timestamp: r.Timestamp, CompanyID: r.CompanyID,
				Status: Disabled, Email: erasedEmail(id), Custom: custom,
			}}
			if err := u.endKeys(ctx, tx, r); err != nil {
				return err
			}
			r.PasswordHash, r.KeyHash, r.KeyCreated = "", "", 0
			return nil
		})
		if err != nil {
			return err
		}
		if _, err := resource.ErasePersonal(tx, table.Schema(), id); err != nil {
			return err
		}
		return u.api.Erasing(ctx, person)
	})
}

// erasedEmail is the address of an erased user: a domain that nobody can have (RFC 6761).
func erasedEmail(id int64) string { return fmt.Sprintf("erased-%d@erased.invalid", id) }

// person returns the identifiers by which other tables find the user.
func (r *row) person() shopapi.Person {
	p := shopapi.Person{UserID: r.UserID, Email: r.Email}
	if r.Email == erasedEmail(r.UserID) {
		p.Email = ""
	}
	for _, phone := range []string{r.Phone, r.Billing.Phone, r.Shipping.Phone} {
		if phone != "" && !slices.Contains(p.Phones, phone) {
			p.Phones = append(p.Phones, phone)
		}
	}
	return p
}
