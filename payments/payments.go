package payments

import (
	"context"
	"strings"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// Payments are the payment methods of a store. The methods act for the user of ctx.
//
// Existing orders do not change when their method is deleted.
type Payments struct {
	resource.Objects[Payment]       // Get, Create, CreateAll, Update, Delete, Defaults, Under, BeforeSave, AfterSave, BeforeDelete
	resource.Lists[Filter, Payment] // Find, All

	api *shopapi.API
}

// Register creates the missing tables in st and adds the entity to the API.
func Register(ctx context.Context, api *shopapi.API, st store.Store) (_ *Payments, err error) {
	p := &Payments{api: api}
	api.BeforeDelete("taxes", resource.DropIDs(api, st, "payments", table, "tax_ids", func(p *Payment) *shopapi.IDList { return &p.TaxIDs }))
	api.BeforeDelete("usergroups", resource.DropUsergroups(api, st, "payments", table, func(p *Payment) *shopapi.IDList { return &p.UsergroupIDs }))
	rows, err := resource.Register(ctx, api, st, resource.Definition[Payment, Payment]{
		Name:       "payments",
		Object:     "payment method",
		Summary:    "Ways to pay, and what they cost.",
		Privileges: shopapi.Privileges{View: "view_payments", Manage: "manage_payments"},
		Table:      table,
		Filter:     func() resource.Filter { return new(Filter) },
		Sorts:      sorts,
		Wire: resource.Wire[Payment, Payment]{
			EncodeOne:  p.answer,
			EncodeList: p.answers,
			StringIDs:  true,
		},
		Scope: resource.Scope[Payment]{
			Company:          func(p *Payment) *int64 { return &p.CompanyID },
			NameCompany:      true,
			VendorReadable:   true,
			AuthorizeRequest: resource.ReadOnlyForVendors,
		},
		Rules: resource.Rules[Payment]{
			Normalize: normalize,
			Check:     p.check,
		},
	})
	p.Objects, p.Lists = rows, resource.ListsOf[Filter](rows)
	return p, err
}

// A detail is the wire form of one payment method.
type detail struct {
	Payment
	TaxIDs        []string `json:"tax_ids"`
	Processor     *string  `json:"processor"`
	ProcessorType *string  `json:"processor_type"`
	Image         []string `json:"image"`
}

func (p *Payments) answer(ctx context.Context, v *Payment) any {
	d := detail{Payment: *v, TaxIDs: []string{}, Image: []string{}}
	if v.TaxIDs != "" {
		d.TaxIDs = strings.Split(string(v.TaxIDs), ",")
	}
	if !p.showsParams(ctx) {
		d.ProcessorParams = ""
	}
	return d
}

func (p *Payments) answers(ctx context.Context, list []Payment) any {
	if !p.showsParams(ctx) {
		for i := range list {
			list[i].ProcessorParams = ""
		}
	}
	return list
}

// showsParams reports whether the user of ctx may see the parameters of processors.
func (p *Payments) showsParams(ctx context.Context) bool {
	return p.api.Authorize(ctx, "payments", shopapi.OpUpdate) == nil
}

// Schemas returns the tables of this package, for programs that copy a shop to another
// store.
func Schemas() []*store.Schema { return store.WithTexts(table.Schema()) }
