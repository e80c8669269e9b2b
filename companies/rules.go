package companies

import (
	"cmp"
	"context"
	"math"
	"net/http"
	"strings"

	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/address"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

func statusesOf(api *shopapi.API) []string {
	if api.Edition() == shopapi.MultiVendor {
		return []string{New, Active, Pending, Disabled}
	}
	return []string{Active, Disabled, Hidden}
}

// setDefaults fills the fields at their zero value.
func (c *Companies) setDefaults(ctx context.Context, v *Company) {
	v.Status = cmp.Or(v.Status, Active)
	v.LangCode = cmp.Or(v.LangCode, "en")
	v.Timestamp = cmp.Or(v.Timestamp, c.api.Now(ctx).Unix())
	v.EntryPage = cmp.Or(v.EntryPage, IndexPage)
	v.CommissionType = cmp.Or(v.CommissionType, "P")
}

func normalize(v *Company, problems *shopapi.Problems) {
	v.Email = strings.TrimSpace(v.Email)
	v.Storefront = strings.TrimSpace(v.Storefront)
	resource.NormalizeIDs(problems, "categories", &v.Categories)
	resource.NormalizeDecimal(problems, "commission", &v.Commission, 2, maxCommission)
	if len(v.Shippings) == 0 {
		v.Shippings = shopapi.JSON("[]")
	}
	if err := v.Countries.UnmarshalJSON([]byte(`"` + string(v.Countries) + `"`)); err != nil {
		problems.Add("countries_list", "%s", err)
	}
}

// check notes what is wrong with a company.
func (c *Companies) check(ctx context.Context, tx store.Tx, before, after *Company, problems *shopapi.Problems) error {
	problems.Required("company", after.Name, "the name of the "+c.object)
	problems.Length("company", after.Name, maxText)
	problems.OneOf("status", after.Status, statusesOf(c.api)...)
	problems.Range("timestamp", after.Timestamp, 0, math.MaxInt64)
	problems.Length("email", after.Email, maxText)
	problems.Length("lang_code", after.LangCode, 2)
	problems.Bytes("company_description", after.Description, maxDocument)
	problems.Length("storefront", after.Storefront, maxText)
	if err := c.checkUnique(tx, after, problems); err != nil {
		return err
	}
	if c.vendors() {
		c.checkVendor(before, after, problems)
		if err := resource.CheckIDs(ctx, c.api, problems, "categories", "categories", after.Categories); err != nil {
			return err
		}
	} else {
		c.checkStorefront(after, problems)
	}
	if _, confined := shopapi.CompanyOf(ctx); confined {
		return keepsOffice(before, after)
	}
	return nil
}

func (c *Companies) checkStorefront(v *Company, problems *shopapi.Problems) {
	if v.CompanyID != c.api.DefaultCompany() { // which is there before anybody says where
		problems.Required("storefront", v.Storefront, "the address of the storefront, such as shop.example.com")
	}
	problems.Length("secure_storefront", v.SecureStorefront, maxText)
	problems.OneOf("entry_page", v.EntryPage, AllPages, NoPage, IndexPage)
	problems.Bytes("countries_list", string(v.Countries), maxDocument)
}

func (c *Companies) checkVendor(before, v *Company, problems *shopapi.Problems) {
	// The first company may lack what nobody was asked for.
	if v.CompanyID != c.api.DefaultCompany() || before.Email != "" {
		for _, f := range []struct{ field, value, hint string }{
			{"email", v.Email, "where the vendor is written to"}, {"phone", v.Phone, "where the vendor is rung up"},
			{"address", v.Address, "street and number"}, {"city", v.City, "of the address"},
			{"country", v.Country, "of the address, two letters"}, {"state", v.State, "of the address"},
		} {
			problems.Required(f.field, f.value, f.hint)
		}
		if c.api.Dialect() == shopapi.Documented {
			problems.Required("zipcode", v.Zipcode, "of the address")
		}
	}
	if v.Country != "" && !problems.Skips("country") && !address.IsCountry(v.Country) {
		problems.Add("country", "must be the two letters of a country, such as NO")
	}
	for _, f := range []struct{ field, value string }{
		{"phone", v.Phone}, {"address", v.Address}, {"city", v.City}, {"state", v.State}, {"zipcode", v.Zipcode},
		{"url", v.URL}, {"fax", v.Fax}, {"seo_name", v.SEOName},
	} {
		problems.Length(f.field, f.value, maxText)
	}
	problems.Bytes("terms", v.Terms, maxDocument)
	problems.Bytes("shippings", string(v.Shippings), maxDocument)
	problems.OneOf("commission_type", v.CommissionType, "A", "P")
}

var maxCommission = decimal.MustParse("999999999.99")

// checkUnique notes that another company has the storefront.
func (c *Companies) checkUnique(tx store.Tx, v *Company, problems *shopapi.Problems) error {
	if v.Storefront == "" || problems.Skips("storefront") {
		return nil
	}
	n, err := table.Count(tx, store.EqualFold("storefront", v.Storefront), store.NotEqual("company_id", store.Int(v.CompanyID)))
	if err == nil && n > 0 {
		problems.Add("storefront", "is taken: another %s has it", c.object)
	}
	return err
}

// keepsOffice returns a 403 when a change that a company's own user makes alters what
// the shop decides of the company.
func keepsOffice(before, after *Company) error {
	if after.Status != before.Status || after.Commission.Cmp(before.Commission) != 0 || after.CommissionType != before.CommissionType {
		return shopapi.Errorf(http.StatusForbidden, "The status and the commission of your own company are set by the administrators of the shop.")
	}
	return nil
}

// authorizeRequest closes POST and DELETE to those who are confined to a company.
func (c *Companies) authorizeRequest(user *shopapi.User, op shopapi.Operation, _ []string) error {
	_, confined := shopapi.CompanyOf(shopapi.WithUser(context.Background(), user))
	if confined && (op == shopapi.OpCreate || op == shopapi.OpDelete) {
		return shopapi.Errorf(http.StatusForbidden, "Your own %s can be read and changed; only administrators of the shop make and delete one.", c.object)
	}
	return nil
}

// authorize keeps the default company.
func (c *Companies) authorize(_ context.Context, _ store.Tx, op shopapi.Operation, v *Company) error {
	if op == shopapi.OpDelete && v.CompanyID == c.api.DefaultCompany() {
		return shopapi.Errorf(http.StatusBadRequest, "The %s %d is the one that what names none belongs to, and cannot be deleted.", c.object, v.CompanyID)
	}
	return nil
}
