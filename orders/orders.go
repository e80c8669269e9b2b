package orders

import (
	"context"
	"sync/atomic"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/exceptions"
	"github.com/shopapi/shopapi/internal/tablecache"
	"github.com/shopapi/shopapi/options"
	"github.com/shopapi/shopapi/payments"
	"github.com/shopapi/shopapi/pricing"
	"github.com/shopapi/shopapi/products"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/shippings"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/taxes"
)

// Orders are the orders of a store. The methods act for the user of their context: a user
// of one company finds only its orders; the host's own code, which has no user, finds
// all.
//
// For the orders of one customer, set UserID in the [Filter].
type Orders struct {
	resource.Hooks[Order]           // Under, BeforeSave, AfterSave, BeforeDelete
	resource.Lists[Filter, Summary] // Find, All

	api  *shopapi.API
	st   store.Store
	from Dependencies
	rows resource.Collection[Order, Summary]

	statuses  *Statuses
	shipments *Shipments

	statusCache  tablecache.Cache[string, Status]
	tables       *tableIndex
	destinations func(context.Context, Address) []int64

	salesAdded atomic.Uint64           // rows of sales, by this process
	lastTaxes  atomic.Pointer[[]int64] // ids that an order looked for last, nil before
}

// Dependencies are the entities of the library that orders use, over the same store.
// Products are required; each other one may be nil if it is not the library's: then there
// are no options, any method is accepted and costs nothing, or nothing is taxed.
type Dependencies struct {
	Products   *products.Products
	Options    *options.Options
	Exceptions *exceptions.Exceptions
	Payments   *payments.Payments
	Shippings  *shippings.Shippings
	Taxes      *taxes.Taxes
}

// Register creates the missing tables in st, with the statuses that are there from the
// start, and adds the entity orders to the API; [Orders.RegisterStatuses] adds statuses,
// and [Orders.RegisterShipments] shipments.
func Register(ctx context.Context, api *shopapi.API, st store.Store, from Dependencies) (*Orders, error) {
	o := &Orders{
		api: api, st: st, from: from,
		statusCache: newStatusCache(st), tables: newTableIndex(st),
		destinations: func(context.Context, Address) []int64 { return []int64{pricing.Everywhere} },
	}
	var err error
	if o.statuses, err = newStatuses(ctx, api, st); err != nil {
		return nil, err
	}
	if o.rows, err = resource.New(api, st, ordersDefinition(o)); err != nil {
		return nil, err
	}
	o.Hooks = o.rows
	o.Lists = resource.ListsOf[Filter](o.rows)
	if err := o.rows.Migrate(ctx); err != nil {
		return nil, err
	}
	if err := api.Register(&entity{o.rows.Entity(), o}); err != nil {
		return nil, err
	}
	if err := from.Products.Use(part{o}); err != nil {
		return nil, err
	}
	api.OnErase(o.erase)
	api.OnErase(o.eraseHistory)
	if err := o.registerHistory(); err != nil {
		return nil, err
	}
	if err := o.registerDocuments(); err != nil {
		return nil, err
	}
	o.registerSettings()
	o.shipments, err = newShipments(ctx, o)
	return o, err
}

// Statuses returns the statuses of these orders.
func (o *Orders) Statuses() *Statuses { return o.statuses }

// RegisterStatuses adds the entity statuses to the API.
func (o *Orders) RegisterStatuses() error { return o.api.Register(o.statuses.rows.Entity()) }

// Shipments returns the shipments of these orders.
func (o *Orders) Shipments() *Shipments { return o.shipments }

// RegisterShipments adds the entity shipments to the API.
func (o *Orders) RegisterShipments() error { return o.api.Register(o.shipments.rows.Entity()) }

// Destinations sets the function that returns the destinations of an address, in the
// order in which their rates count; 1, everywhere, comes last (decisions §20). Without
// it, every address belongs only to destination 1. Call it before the first request is
// served. fn is called in transactions: it must not wait.
func (o *Orders) Destinations(fn func(ctx context.Context, to Address) []int64) { o.destinations = fn }

// Get returns one order. It returns a 404 [*shopapi.Error] if the user cannot see such an
// order.
func (o *Orders) Get(ctx context.Context, id int64) (Order, error) { return o.rows.Get(ctx, id) }

// Create places an order as an administrator does: it is checked against stock, options
// and exceptions, but not against a product's status, quantities or zero price; see
// [Orders.Place]. It returns the order as stored; with several vendors, the order that
// summarizes the vendors' orders. It returns a 400 [*shopapi.Error] that names the
// invalid fields.
func (o *Orders) Create(ctx context.Context, p Purchase) (Order, error) {
	return o.rows.Create(ctx, p.order())
}

// Place places an order as a customer does: in addition to the checks of [Orders.Create],
// its products must be on sale, and their quantities and prices must be allowed. It
// returns the results of Create.
func (o *Orders) Place(ctx context.Context, p Purchase) (Order, error) {
	order := p.order()
	order.Change.storefront = true
	return o.rows.Create(ctx, order)
}

// Update has change alter the order with the id, and returns it as stored. It sets
// the fields of the order that a PUT may have: Status, UserID, PaymentID, Total,
// SubtotalDiscount, Notes, Details, InvoiceID, CreditMemoID and Notify, and asks in
// Change for other lines, another shipping method or another customer. Amounts follow,
// as decisions §18 say. It returns a 404 or 400 [*shopapi.Error], or the error of
// change; then nothing is changed.
func (o *Orders) Update(ctx context.Context, id int64, change func(*Order) error) (Order, error) {
	return o.rows.Update(ctx, id, change)
}

// SetStatus gives an order the status with the letter, with what that does to the
// stock. It returns a 404 or 400 [*shopapi.Error].
func (o *Orders) SetStatus(ctx context.Context, id int64, letter string, n Notify) (Order, error) {
	return o.Update(ctx, id, func(order *Order) error {
		order.Status, order.Notify = letter, n
		if order.IsParent {
			order.Change = &Change{Status: true}
		}
		return nil
	})
}

// Delete deletes an order with its parts and its shipments, and returns its reserved
// stock. It returns a 404 [*shopapi.Error] if the user cannot see such an order.
func (o *Orders) Delete(ctx context.Context, id int64) error { return o.rows.Delete(ctx, id) }

// BeforeSave adds a hook to every create and update, of parents and of their parts: see
// [resource.SaveHook]. Lines, methods and the customer are set by Change, as in
// [Orders.Update].
func (o *Orders) BeforeSave(hook resource.SaveHook[Order]) {
	o.rows.BeforeSave(func(ctx context.Context, tx store.Tx, old, after *Order) error {
		given := after.Change
		after.Change = nil
		err := hook(ctx, tx, old, after)
		if set := after.Change; set != nil {
			after.Change = after.asked.with(set)
		} else {
			after.Change = given
		}
		return err
	})
}

// display says how pages show orders.
var display = shopapi.Display{
	Label:   "order_id",
	Columns: []string{"order_id", "status", "total", "timestamp", "firstname", "lastname", "email"},
	Widgets: map[string]shopapi.Widget{
		"total": shopapi.WidgetMoney, "discount": shopapi.WidgetMoney, "subtotal_discount": shopapi.WidgetMoney,
		"shipping_cost": shopapi.WidgetMoney, "payment_surcharge": shopapi.WidgetMoney,
	},
}

func ordersDefinition(o *Orders) resource.Definition[Order, Summary] {
	return resource.Definition[Order, Summary]{
		Name:       "orders",
		Object:     "order",
		Summary:    "What customers ordered, what it costs, and what became of it.",
		Privileges: shopapi.Privileges{View: "view_orders", Manage: "manage_orders"},
		Display:    display,
		Table:      table,
		Actions:    o.actions(),
		Filter:     func() resource.Filter { return new(Filter) },
		Sorts:      sorts,
		Rows: resource.Rows[Order, Summary]{
			Tables:      []*store.Schema{history.Schema(), keptTables.Schema(), documents.Schema(), counters.Schema(), sales.Schema()},
			InFiles:     []string{"history", "documents"},
			LoadInFiles: o.loadInFiles,
			Conversions: o.conversions(),
			LoadDetails: o.load,
			Write:       o.write,
			Subtree:     o.subtree,
			Remove:      o.remove,
		},
		List: resource.List[Order, Summary]{
			Items:      summaries,
			Item:       func(v *Order) *Summary { return &v.Summary },
			Descending: true,
			Params:     orderParams,
		},
		Wire: resource.Wire[Order, Summary]{
			Bind:        o.bind,
			Body:        body{},
			EventDetail: detailOf,
			EncodeOne:   func(ctx context.Context, v *Order) any { return answerOf(ctx, o.api, v) },
			StringIDs:   true,

			CreateParameters: map[string]string{
				"quote": "Y answers 200 with the order as it would be stored, and the methods of payment and shipping that fit. Nothing is stored, and methods may be left out.",
			},
			UpdateParameters: map[string]string{
				"reprice":     "Y takes today's tables of the methods and taxes, and computes again. The body may be empty.",
				"recalculate": "N keeps the sums and taxes of the order, whatever the body changes.",
			},
			LargePayloads: true, // a thousand lines are more than a MiB
		},
		Scope: resource.Scope[Order]{
			Company:          func(v *Order) *int64 { return &v.CompanyID },
			NameCompany:      true,
			VendorsLimited:   true,
			Parents:          resource.Companies[Order](),
			AuthorizeRequest: authorizeRequest,
		},
		Rules: resource.Rules[Order]{
			Fields:           []shopapi.Rule{{Field: "products", Required: true}},
			Defaults:         o.setDefaults,
			RestoreImmutable: keep,
			Normalize:        normalize,
			Derive:           o.derive,
			Check:            o.check,
		},
	}
}
