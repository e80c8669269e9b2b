package shippings

import (
	"context"
	"strings"
	"sync"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/pricing"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// Shippings are the shipping methods of a store. The methods act for the user of ctx.
//
// Existing orders do not change when their method is deleted.
type Shippings struct {
	resource.Objects[Shipping]      // Get, Create, CreateAll, Update, Delete, Defaults, Under, BeforeSave, AfterSave, BeforeDelete
	resource.Lists[Filter, Summary] // Find, All

	api *shopapi.API

	mu     sync.Mutex
	parsed map[Rates][]pricing.Rate // key: the stored form
}

// Register creates the missing tables in st and adds the entity to the API.
func Register(ctx context.Context, api *shopapi.API, st store.Store) (_ *Shippings, err error) {
	s := &Shippings{api: api}
	api.BeforeDelete("taxes", resource.DropIDs(api, st, "shippings", table, "tax_ids", func(s *Shipping) *shopapi.IDList { return &s.TaxIDs }))
	api.BeforeDelete("usergroups", resource.DropUsergroups(api, st, "shippings", table, func(s *Shipping) *shopapi.IDList { return &s.UsergroupIDs }))
	rows, err := resource.Register(ctx, api, st, resource.Definition[Shipping, Summary]{
		Name:       "shippings",
		Object:     "shipping method",
		Summary:    "Ways to ship, and what they cost.",
		Privileges: shopapi.Privileges{View: "view_shippings", Manage: "manage_shippings"},
		Table:      table,
		Filter:     func() resource.Filter { return new(Filter) },
		Sorts:      sorts,
		Rows:       resource.Rows[Shipping, Summary]{LoadDetails: load},
		List: resource.List[Shipping, Summary]{
			Items: summaries,
			Item:  func(s *Shipping) *Summary { return &s.Summary },
		},
		Wire: resource.Wire[Shipping, Summary]{
			EncodeOne: answer,
			StringIDs: true,
		},
		Scope: resource.Scope[Shipping]{
			Company:        func(s *Shipping) *int64 { return &s.CompanyID },
			VendorReadable: true,
			Parents:        resource.Companies[Shipping](),
		},
		Rules: resource.Rules[Shipping]{
			Normalize: normalize,
			Check:     s.check,
		},
	})
	s.Objects, s.Lists = rows, resource.ListsOf[Filter](rows)
	return s, err
}

// A detail is the wire form of one shipping method.
type detail struct {
	Shipping
	TaxIDs []string `json:"tax_ids"`
	Icon   []string `json:"icon"`
}

func answer(_ context.Context, v *Shipping) any {
	d := detail{Shipping: *v, TaxIDs: []string{}, Icon: []string{}}
	if v.TaxIDs != "" {
		d.TaxIDs = strings.Split(string(v.TaxIDs), ",")
	}
	return d
}

// Schemas returns the tables of this package, for programs that copy a shop to another
// store.
func Schemas() []*store.Schema { return store.WithTexts(table.Schema()) }
