package orders

import (
	"context"
	"errors"

	"github.com/shopapi/shopapi"
)

// profile reads a registered user from the entity users, the library's or a host's.
// Fields that the profile does not have stay empty; fields are the custom fields of the
// user. It reports a user that does not exist on user_id.
func (o *Orders) profile(ctx context.Context, id int64, problems *shopapi.Problems) (c Customer, fields shopapi.Custom, err error) {
	user, err := o.api.Lookup(ctx, "users", shopapi.FormatID(id))
	switch {
	case errors.Is(err, shopapi.ErrNotRegistered):
		return c, fields, nil
	case errors.Is(err, shopapi.ErrNotFound):
		problems.Add("user_id", "must be the id of a user who exists, not %d", id)
		return c, fields, nil
	case err != nil:
		return c, fields, err
	}
	if u, ok := user.(interface{ CustomerFields() shopapi.Custom }); ok {
		fields = u.CustomerFields()
	}
	field := shopapi.FieldsOf(user)
	c.fields(func(name string, text *string) { *text, _ = field(name) })
	c.LangCode, _ = field("lang_code")
	exempt, _ := field("tax_exempt")
	c.TaxExempt = exempt == "Y"
	return c, fields, nil
}
