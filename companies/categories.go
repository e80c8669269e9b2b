package companies

import (
	"context"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// refuseCategories keeps the last categories that a vendor may sell in: a list without
// any stands for all of them.
func (c *Companies) refuseCategories(ctx context.Context, ids []int64) error {
	return c.st.View(ctx, func(_ context.Context, tx store.Tx) error {
		return table.Each(tx, store.Query{Where: []store.Cond{store.NotEqual("categories", store.String(""))}}, func(v *Company) error {
			if v.Categories.Without(ids...) != "" {
				return nil
			}
			if !resource.Visible(ctx, v.CompanyID) {
				return shopapi.Errorf(400, "Another vendor may sell in this category and in no other that stays. Only administrators of the shop can change that.")
			}
			return shopapi.Errorf(400, "The vendor %d (%s) may sell in this category and in no other that stays. Give the vendor another category first, or none, which stands for all.",
				v.CompanyID, v.Name)
		})
	})
}
