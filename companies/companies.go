package companies

import (
	"context"
	"errors"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/settings"
	"github.com/shopapi/shopapi/store"
)

// Companies are the storefronts or vendors of a shop in a store. The methods act for the
// user of their context: a user of one company finds only this company.
//
// Delete returns a 400 for the default company, and while rows of any entity name the
// company.
type Companies struct {
	resource.Objects[Company]       // Get, Create, CreateAll, Update, Delete, Defaults, Under, BeforeSave, AfterSave, BeforeDelete
	resource.Lists[Filter, Company] // Find, All

	api      *shopapi.API
	st       store.Store
	settings *settings.Settings // nil: storefronts have no contact data
	kind     kind
	rows     resource.Collection[Company, Company]
}

// Register creates the missing tables in st and the default company, and adds the entity
// stores or vendors to the API. A shop with one store has it as stores/1, which is neither
// created nor deleted (decisions §27). Settings may be nil.
func Register(ctx context.Context, api *shopapi.API, st store.Store, s *settings.Settings) (*Companies, error) {
	c := &Companies{api: api, st: st, settings: s}
	switch api.Edition() {
	case shopapi.MultiVendor:
		c.kind = c.vendors()
	case shopapi.MultiStorefront:
		c.kind = c.storefronts()
	default:
		c.kind = c.onlyStore()
	}
	var err error
	if c.rows, err = resource.New(api, st, definition(c)); err != nil {
		return nil, err
	}
	c.Objects = c.rows
	c.Lists = resource.ListsOf[Filter](c.rows)
	if err := c.rows.Migrate(ctx); err != nil {
		return nil, err
	}
	if err := c.Ensure(ctx, api.DefaultCompany()); err != nil {
		return nil, err
	}
	if err := api.Register(&entity{c.rows.Entity(), c}); err != nil {
		return nil, err
	}
	return c, c.kind.relate(ctx)
}

func definition(c *Companies) resource.Definition[Company, Company] {
	return resource.Definition[Company, Company]{
		Name:       c.kind.name,
		Object:     c.kind.object,
		Summary:    c.kind.summary,
		Privileges: c.kind.privileges,
		Display:    shopapi.Display{Label: "company"},
		Operations: c.kind.operations,
		Table:      table,
		Filter:     func() resource.Filter { return new(Filter) },
		Sorts:      sorts,
		Rows: resource.Rows[Company, Company]{
			Tables: []*store.Schema{texts.Schema(), translations.Schema()},
			Write:  c.write,
			Remove: c.remove,
		},
		List: resource.List[Company, Company]{
			Descending: true,
			Parameters: []shopapi.Rule{{Field: "status", OneOf: statusesOf(c.api)}},
		},
		Wire: resource.Wire[Company, Company]{
			PayloadDefaults: func(v *Company) { v.RedirectCustomer = true },
			Bind:            c.kind.bind,
			EncodeOne:       func(_ context.Context, v *Company) any { return c.kind.encode(v) },
			EncodeList:      func(_ context.Context, list []Company) any { return c.kind.encodeItems(list) },
		},
		Scope: resource.Scope[Company]{
			Visible: func(ctx context.Context, _ store.Tx, v *Company) (bool, error) {
				return resource.Visible(ctx, v.CompanyID) && (!c.isOnly() || v.CompanyID == c.api.DefaultCompany()), nil
			},
			Owner: func(_ context.Context, _ store.Tx, v *Company) (shopapi.Ownership, error) {
				return shopapi.Ownership{CompanyID: v.CompanyID}, nil
			},
			VisibleConds:     c.visibleConds,
			Authorize:        c.authorize,
			AuthorizeRequest: c.authorizeRequest,
		},
		Rules: resource.Rules[Company]{
			Fields:    c.rules(),
			Normalize: normalize,
			Check:     c.check,
		},
	}
}

// isOnly reports whether the shop has one store.
func (c *Companies) isOnly() bool { return c.api.Edition() == shopapi.SingleStore }

func (c *Companies) visibleConds(ctx context.Context) []store.Cond {
	if c.isOnly() {
		return []store.Cond{store.Equal("company_id", store.Int(c.api.DefaultCompany()))}
	}
	return resource.VisibleConds(ctx)
}

// write stores a company, and its contact data as settings.
func (c *Companies) write(ctx context.Context, tx store.Tx, before, after *Company) error {
	if err := c.rows.WriteRow(ctx, tx, before, after); err != nil {
		return err
	}
	return c.writeContact(ctx, after)
}

func (c *Companies) remove(_ context.Context, tx store.Tx, v *Company) error {
	if err := deleteTexts(tx, store.Equal("company_id", store.Int(v.CompanyID))); err != nil {
		return err
	}
	return table.DeleteKey(tx, v.CompanyID)
}

// Ensure creates the company with the id if it does not exist: active, with the name
// "Company <id>". It reports no event.
func (c *Companies) Ensure(ctx context.Context, id int64) error {
	ensure := func() error {
		return c.st.Update(ctx, func(ctx context.Context, tx store.Tx) error {
			return ensure(tx, id, c.api.Now(ctx).Unix())
		})
	}
	err := ensure()
	if errors.Is(err, store.ErrConflict) { // another process made it
		err = ensure()
	}
	return err
}

func ensure(tx store.Tx, id, now int64) error {
	there, err := table.Exists(tx, id)
	if err != nil || there {
		return err
	}
	return table.Insert(tx, &Company{
		CompanyID: id, Name: "Company " + shopapi.FormatID(id), Status: Active, LangCode: firstLanguage, Timestamp: now,
		StorefrontFields: StorefrontFields{EntryPage: IndexPage, RedirectCustomer: true},
		VendorFields:     VendorFields{CommissionType: "P"},
	})
}
