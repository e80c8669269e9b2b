package products

import (
	"context"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// dropTaxes takes the ids of deleted taxes out of the products that name them
// (decisions §14).
func (p *Products) dropTaxes(ctx context.Context, taxes []int64) error {
	return p.dropIDs(ctx, "tax_ids", func(ctx context.Context, tx store.Tx) ([]int64, error) {
		return resource.DropFromLists(ctx, tx, table, "tax_ids", func(v *Product) *shopapi.IDList { return &v.TaxIDs }, taxes)
	})
}

// dropUsergroups does so for deleted user groups.
func (p *Products) dropUsergroups(ctx context.Context, groups []int64) error {
	return p.dropIDs(ctx, "usergroup_ids", func(ctx context.Context, tx store.Tx) ([]int64, error) {
		return resource.DropUsergroupsFromLists(ctx, tx, table, func(v *Product) *shopapi.IDList { return &v.UsergroupIDs }, groups)
	})
}

// dropIDs reports the products that drop has taken ids out of, which are in the column.
func (p *Products) dropIDs(ctx context.Context, column string, drop func(ctx context.Context, tx store.Tx) ([]int64, error)) error {
	return p.st.Update(ctx, func(ctx context.Context, tx store.Tx) error {
		changed, err := drop(ctx, tx)
		if err != nil || len(changed) == 0 {
			return err
		}
		for _, id := range changed {
			p.api.ReportAs(ctx, shopapi.Event{Entity: "products", ID: shopapi.FormatID(id), Operation: shopapi.OpUpdate})
		}
		p.api.RecordEach(ctx, "products", shopapi.OpUpdate, changed, column)
		return table.Set(tx, "updated_timestamp", p.api.Now(ctx).Unix(), store.InInts("product_id", changed...))
	})
}
