package products

import (
	"context"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// A taxed product is a product with the ids of its taxes.
type taxed struct {
	ProductID int64          `json:"product_id" store:"key"`
	TaxIDs    shopapi.IDList `json:"tax_ids"`
}

var taxIDs = store.Project[taxed](table)

// dropTaxes takes the ids of deleted taxes out of the products that name them
// (decisions §14).
func (p *Products) dropTaxes(ctx context.Context, taxes []int64) error {
	return p.st.Update(ctx, func(ctx context.Context, tx store.Tx) error {
		var naming []int64
		err := taxIDs.Each(tx, store.Query{Where: []store.Cond{store.NotEqual("tax_ids", store.String(""))}}, func(t *taxed) error {
			if t.TaxIDs.Without(taxes...) != t.TaxIDs {
				naming = append(naming, t.ProductID)
			}
			return nil
		})
		if err != nil {
			return err
		}
		for _, id := range naming {
			product, err := table.Get(tx, id)
			if err != nil {
				return err
			}
			product.TaxIDs = product.TaxIDs.Without(taxes...)
			resource.SetStamp(ctx, p.api, &product)
			if err := table.Update(tx, &product); err != nil {
				return err
			}
			p.api.ReportAs(ctx, shopapi.Event{Entity: "products", ID: shopapi.FormatID(id), Operation: shopapi.OpUpdate})
		}
		p.api.RecordEach(ctx, "products", shopapi.OpUpdate, naming, "tax_ids")
		return nil
	})
}
