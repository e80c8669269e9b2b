// Package warehouses is the entity warehouses: the places that goods are sent from.
// [Register] adds it to an API; the [Warehouses] that it returns give Go code the
// same rules.
package warehouses

import (
	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// A Warehouse is one place that goods are sent from.
type Warehouse struct {
	WarehouseID int64  `json:"warehouse_id,string" store:"key" bind:"-"`
	CompanyID   int64  `json:"company_id,string" store:"index"` // storefront or vendor
	Name        string `json:"warehouse" store:"fold,index" rule:"required,len=255" hint:"the name of the warehouse"`
	Status      string `json:"status" rule:"oneof=A D,default=A"`      // A active, D disabled
	Position    int64  `json:"position,string" rule:"min=0,max=int32"` // from 0
}

var table = store.MustTable[Warehouse]("warehouses")

// Schemas are the tables of this package, for programs that copy a shop from one
// store to another.
func Schemas() []*store.Schema { return []*store.Schema{table.Schema()} }

// A Filter says which warehouses a list holds, and in which order. Its zero value is
// all that the user may see, by position.
type Filter struct {
	resource.ListOptions

	Name   string `json:"warehouse" match:"contains"` // part of it, in either case
	Status string `json:"status" bind:"codes" rule:"oneof=A D" match:"equal"`
}

func definition() resource.Definition[Warehouse, Warehouse] {
	return resource.Definition[Warehouse, Warehouse]{
		Name:       "warehouses",
		Object:     "warehouse",
		Summary:    "The places that goods are sent from.",
		Privileges: shopapi.Privileges{View: "view_catalog", Manage: "manage_catalog"},
		Table:      table,
		Filter:     func() resource.Filter { return new(Filter) },
		Sorts: []resource.Sort{
			{Key: "position", Column: "position"},
			{Key: "warehouse", Column: "warehouse"},
			{Key: "id", Column: "warehouse_id"},
		},
		Scope: resource.Scope[Warehouse]{
			Company: func(w *Warehouse) *int64 { return &w.CompanyID },
			Parents: resource.Companies[Warehouse](),
		},
	}
}
