package products

import (
	"context"
	"slices"

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

// dropUsergroups takes the ids of deleted user groups out of the products that name them.
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
		masters, err := p.record(ctx, tx, changed, column)
		if err != nil {
			return err
		}
		for _, id := range changed {
			entity := "products"
			if masters[id] {
				entity = "master_products"
			}
			p.api.ReportAs(ctx, shopapi.Event{Entity: entity, ID: shopapi.FormatID(id), Operation: shopapi.OpUpdate})
		}
		return table.Set(tx, "updated_timestamp", p.api.Now(ctx).Unix(), store.InInts("product_id", changed...))
	})
}

// mastersOf returns which products are common products.
func (p *Products) mastersOf(tx store.Tx, ids []int64) (map[int64]bool, error) {
	masters := map[int64]bool{}
	if !p.masters {
		return masters, nil
	}
	where := []store.Cond{store.InInts("product_id", ids...), store.Equal("company_id", store.Int(0))}
	return masters, table.Subset("company_id").Each(tx, store.Query{Where: where}, func(v *Product) error {
		masters[v.ProductID] = true
		return nil
	})
}

// record writes updates of products to the change log, of common products as master_products
// (E4). It returns which products are common.
func (p *Products) record(ctx context.Context, tx store.Tx, ids []int64, fields ...string) (map[int64]bool, error) {
	masters, err := p.mastersOf(tx, ids)
	if err != nil {
		return nil, err
	}
	ordinary := slices.DeleteFunc(slices.Clone(ids), func(id int64) bool { return masters[id] })
	common := slices.DeleteFunc(slices.Clone(ids), func(id int64) bool { return !masters[id] })
	p.api.RecordEach(ctx, "products", shopapi.OpUpdate, ordinary, fields...)
	p.api.RecordEach(ctx, "master_products", shopapi.OpUpdate, common, fields...)
	return masters, nil
}
