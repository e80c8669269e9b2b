package companies

import (
	"cmp"
	"context"
	"net/http"
	"strings"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/address"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

const firstLanguage = "en" // of a company that names none

func normalize(v *Company, problems *shopapi.Problems) {
	v.Email = strings.TrimSpace(v.Email)
	v.Storefront = strings.TrimSpace(v.Storefront)
	if v.CompanyID == 0 {
		v.LangCode = cmp.Or(v.LangCode, firstLanguage)
	}
	if code, ok := shopapi.ParseLanguage(v.LangCode); ok {
		v.LangCode = code
	}
	resource.NormalizeIDs(problems, "categories", &v.Categories)
	if len(v.Shippings) == 0 {
		v.Shippings = shopapi.JSON("[]")
	}
	if err := v.Countries.UnmarshalJSON([]byte(`"` + string(v.Countries) + `"`)); err != nil {
		problems.Add("countries_list", "%s", err)
	}
}

// rules returns the rules that depend on the kind.
func (c *Companies) rules() []shopapi.Rule {
	rules := []shopapi.Rule{
		{Field: "company", Required: true, Hint: "the name of the " + c.kind.object},
		{Field: "status", OneOf: statusesOf(c.api)},
	}
	for _, name := range c.kind.required {
		rules = append(rules, shopapi.Rule{Field: name, Required: true})
	}
	return rules
}

// check checks that the storefront is unique, then the fields of the kind.
func (c *Companies) check(ctx context.Context, tx store.Tx, before, after *Company, problems *shopapi.Problems) error {
	address.CheckEmail(problems, "email", after.Email)
	problems.Language("lang_code", after.LangCode)
	if err := c.checkUnique(tx, after, problems); err != nil {
		return err
	}
	if err := c.kind.check(ctx, before, after, problems); err != nil {
		return err
	}
	if _, confined := shopapi.CompanyOf(ctx); confined {
		return checkOwn(before, after)
	}
	return nil
}

// checkUnique refuses a storefront that another company has.
func (c *Companies) checkUnique(tx store.Tx, v *Company, problems *shopapi.Problems) error {
	if v.Storefront == "" || problems.Skips("storefront") {
		return nil
	}
	n, err := table.Count(tx, store.EqualFold("storefront", v.Storefront), store.NotEqual("company_id", store.Int(v.CompanyID)))
	if err == nil && n > 0 {
		problems.Add("storefront", "is taken: another %s has it", c.kind.object)
	}
	return err
}

// checkOwn returns a 403 for a change of a company by its own user that alters the status
// or the commission.
func checkOwn(before, after *Company) error {
	if after.Status != before.Status || after.Commission.Cmp(before.Commission) != 0 || after.CommissionType != before.CommissionType {
		return shopapi.Errorf(http.StatusForbidden, "The status and the commission of your own company are set by the administrators of the shop.")
	}
	return nil
}

// authorizeRequest refuses POST and DELETE by users who are confined to a company.
func (c *Companies) authorizeRequest(user *shopapi.User, op shopapi.Operation, _ []string) error {
	_, confined := shopapi.CompanyOf(shopapi.WithUser(context.Background(), user))
	if confined && (op == shopapi.OpCreate || op == shopapi.OpDelete) {
		return shopapi.Errorf(http.StatusForbidden, "Your own %s can be read and changed; only administrators of the shop make and delete one.", c.kind.object)
	}
	return nil
}

// authorize refuses to delete the default company.
func (c *Companies) authorize(_ context.Context, _ store.Tx, op shopapi.Operation, v *Company) error {
	if op == shopapi.OpDelete && v.CompanyID == c.api.DefaultCompany() {
		return shopapi.Errorf(http.StatusBadRequest, "The %s %d is the one that what names none belongs to, and cannot be deleted.", c.kind.object, v.CompanyID)
	}
	return nil
}
