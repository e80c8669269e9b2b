package discussions

import (
	"context"
	"errors"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// SettingCompanyName is the setting with the name of the shop, or of a storefront.
const SettingCompanyName = "Company.company_name"

// reply makes a new post the shop's reply to the post that it names (extensions E12): in the
// thread of that post, approved, without a rating, under the name of the company.
func (d *Discussions) reply(ctx context.Context, tx store.Tx, p *Post, problems *shopapi.Problems) error {
	to, err := d.rows.GetIn(ctx, tx, p.ReplyTo)
	if errors.Is(err, shopapi.ErrNotFound) {
		problems.Add("reply_to", "must be the id of a post that exists, not %d", p.ReplyTo)
		return nil
	}
	if err != nil {
		return err
	}
	if p.ThreadID != 0 && p.ThreadID != to.ThreadID || p.object() != (object{}) && p.object() != to.object() {
		problems.Add("reply_to", "must be the id of a post of the same object, not %d", p.ReplyTo)
		return nil
	}
	p.ThreadID = to.ThreadID
	p.Status, p.RatingValue = Approved, NoRating
	name, err := d.companyName(ctx, to.CompanyID)
	if name != "" {
		p.Name = cut(name)
	}
	return err
}

// companyName returns the name of a company, or of the shop, "" where it has none.
func (d *Discussions) companyName(ctx context.Context, company int64) (string, error) {
	if entity := resource.CompanyEntity(d.api); company != 0 && d.api.Registered(entity) {
		found, err := d.api.Lookup(shopapi.WithUser(ctx, nil), entity, shopapi.FormatID(company))
		if name, ok := shopapi.Field(found, "company"); err == nil && ok && name != "" {
			return name, nil
		}
		if err != nil && !errors.Is(err, shopapi.ErrNotFound) {
			return "", err
		}
	}
	name, _, err := d.api.SettingOf(ctx, company, SettingCompanyName)
	return name, err
}
