package orders

import (
	"context"
	"errors"

	"github.com/shopapi/shopapi"
)

// profile reads who a registered user is, as the entity of users shows it: whichever
// package that is, a host's too. What a profile has not stays empty. It notes on
// user_id that there is no such user.
func (o *Orders) profile(ctx context.Context, id int64, problems *shopapi.Problems) (Customer, error) {
	var c Customer
	user, err := o.api.Lookup(ctx, "users", shopapi.FormatID(id))
	switch {
	case errors.Is(err, shopapi.ErrNotRegistered):
		return c, nil
	case errors.Is(err, shopapi.ErrNotFound):
		problems.Add("user_id", "must be the id of a user who exists, not %d", id)
		return c, nil
	case err != nil:
		return c, err
	}
	field := shopapi.FieldsOf(user)
	c.fields(func(name string, text *string) { *text, _ = field(name) })
	c.LangCode, _ = field("lang_code")
	exempt, _ := field("tax_exempt")
	c.TaxExempt = exempt == "Y"
	return c, nil
}
