package main

import (
	"context"
	"strings"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/products"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// A supplier is an object of the shop.
type supplier struct {
	SupplierID int64  `json:"supplier_id,string" store:"key" bind:"-"`
	Name       string `json:"supplier" store:"fold,index" rule:"required,len=255" hint:"the name of the supplier"`
	Prefix     string `json:"code_prefix" rule:"required" hint:"what the codes of its products begin with"` // of the codes of its products
}

var suppliers = store.MustTable[supplier]("suppliers")

// A supplierFilter has the parameters of lists.
type supplierFilter struct {
	resource.ListOptions
	Name string `json:"supplier" match:"contains"` // part of it
}

// registerSuppliers adds the entity suppliers, which follows the same rules as the
// library's entities, and serves products below each of them: suppliers/1/products.
func registerSuppliers(ctx context.Context, api *shopapi.API, st store.Store, p *products.Products) error {
	_, err := resource.Register(ctx, api, st, resource.Definition[supplier, supplier]{
		Name:       "suppliers",
		Object:     "supplier",
		Privileges: shopapi.Privileges{View: "view_catalog", Manage: "manage_catalog"},
		Table:      suppliers,
		Filter:     func() resource.Filter { return new(supplierFilter) },
		Sorts:      []resource.Sort{{Key: "supplier", Column: "supplier"}, {Key: "id", Column: "supplier_id"}},
	})
	if err != nil {
		return err
	}
	return p.Under(resource.Parent[products.Product]{
		Entity: "suppliers",
		Where: func(w *resource.Where, above resource.ParentRef) {
			w.Add(store.StartsWith("product_code", above.Data.(supplier).Prefix))
		},
		Contains: func(_ context.Context, _ store.Tx, above resource.ParentRef, v *products.Product) (bool, error) {
			return strings.HasPrefix(v.Code, above.Data.(supplier).Prefix), nil
		},
	})
}
