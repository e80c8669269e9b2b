// Package shop puts a whole shop behind the API in one call: every entity of the library
// over one store, with its users as the authenticator. To mount only some entities, call
// their Register.
//
// A host with entities of its own names them in [Options.Without] and registers them
// under those names.
package shop

import (
	"context"
	"fmt"
	"slices"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/blocks"
	"github.com/shopapi/shopapi/callrequests"
	"github.com/shopapi/shopapi/carts"
	"github.com/shopapi/shopapi/categories"
	"github.com/shopapi/shopapi/companies"
	"github.com/shopapi/shopapi/discussions"
	"github.com/shopapi/shopapi/exceptions"
	"github.com/shopapi/shopapi/extensions/access"
	"github.com/shopapi/shopapi/extensions/bulk"
	"github.com/shopapi/shopapi/extensions/changes"
	"github.com/shopapi/shopapi/extensions/files"
	"github.com/shopapi/shopapi/extensions/webhooks"
	"github.com/shopapi/shopapi/features"
	"github.com/shopapi/shopapi/images"
	"github.com/shopapi/shopapi/languages"
	"github.com/shopapi/shopapi/options"
	"github.com/shopapi/shopapi/orders"
	"github.com/shopapi/shopapi/pages"
	"github.com/shopapi/shopapi/payments"
	"github.com/shopapi/shopapi/products"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/settings"
	"github.com/shopapi/shopapi/shippings"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/taxes"
	"github.com/shopapi/shopapi/users"
	"github.com/shopapi/shopapi/variations"
)

// A Shop is the API with its entities for Go code. Entities in [Options.Without] are
// nil.
type Shop struct {
	*shopapi.API
	Store store.Store

	Settings     *settings.Settings
	Companies    *companies.Companies // in a single store that alone
	Users        *users.Users
	Categories   *categories.Categories
	Products     *products.Products
	Features     *features.Features
	Variations   *variations.Variations
	Exceptions   *exceptions.Exceptions
	Options      *options.Options
	Discussions  *discussions.Discussions
	CallRequests *callrequests.CallRequests
	Taxes        *taxes.Taxes
	Languages    *languages.Languages
	Langvars     *languages.Variables
	Payments     *payments.Payments
	Shippings    *shippings.Shippings
	Pages        *pages.Pages
	Blocks       *blocks.Blocks
	Orders       *orders.Orders
	Carts        *carts.Carts

	MasterProducts *products.MasterProducts // nil but with vendors

	Changes  *changes.Log       // nil where it is off
	Webhooks *webhooks.Webhooks // nil where they are off
	Jobs     *files.Jobs        // nil where they are off

	links users.LinkOptions
}

// Options are the options of the API, and the entities that the host provides. The zero
// value and a nil *Options work.
type Options struct {
	shopapi.Options

	// Settings are settings of the host that administrators change over the API, in
	// addition to the library's.
	Settings []settings.Setting

	// Changes switch the change log on or off, and say how much of it is kept.
	Changes changes.Options

	// Webhooks switch webhooks on (extensions E5), and the change log with them, which must
	// not be Off. With an Authenticator of the host's, they need UserByID.
	Webhooks webhooks.Options

	// Access switches GET /access and GET /openapi on (extensions E12).
	Access access.Options

	// Reports switches GET /reports/orders on (extensions E12).
	Reports orders.ReportOptions

	// Keys switches users/ID/keys on (extensions E12).
	Keys users.KeyOptions

	// Batch switches POST /batch on, and PUT with match (extensions E6).
	Batch bool

	// Export has lists answer Accept: application/x-ndjson and text/csv with all objects
	// that match, as they are read (E7). Otherwise these are 406.
	Export bool

	// Jobs switches POST /jobs on: imports of files (extensions E7). It needs a directory.
	Jobs files.JobOptions

	// Links are the pages of the one-time links of the entity auth.
	Links users.LinkOptions

	// Without names the entities that are not registered: their addresses are 404 unless
	// the host registers its own (§12). "users" includes usergroups, and needs an
	// Authenticator; "options" includes combinations; "products" or "orders" includes
	// orders, statuses and shipments. A name that is not in the interface is an error; an
	// entity of the interface that the library lacks is not.
	Without []string
}

// New creates the missing tables in st, upgrades rows of older versions of the library
// (see [store.Upgrade]), and returns the shop. It returns [store.ErrNewerSchema] if a
// newer version has upgraded st. Without an Authenticator in the options, the users in
// st authenticate; [users.EnsureRoot] creates the first of them. Invalid options are an
// error, as are unknown entities in Without and Privileges.
func New(ctx context.Context, st store.Store, opts *Options) (*Shop, error) {
	ctx = store.Starting(ctx)
	var o Options
	if opts != nil {
		o = *opts
	}
	if err := o.Validate(); err != nil {
		return nil, err
	}
	if err := checkWithout(o.Without); err != nil {
		return nil, err
	}
	if o.Authenticator == nil {
		if slices.Contains(o.Without, "users") {
			return nil, fmt.Errorf("shop: without users an Authenticator is needed")
		}
		o.Authenticator = users.NewAuthenticator(st, o.signIn()...)
		if o.UserByID == nil {
			o.UserByID = users.NewUserByID(st, o.signIn()...)
		}
	}
	if o.Webhooks.On && o.Changes.Mode == changes.Off {
		return nil, fmt.Errorf("shop: Options.Webhooks need the change log, which Options.Changes switches off")
	}
	if o.Webhooks.On {
		o.Changes.Mode = changes.On
	}
	if err := store.Upgrade(ctx, st, conversions...); err != nil {
		return nil, fmt.Errorf("shop: %w", err)
	}
	schemas, err := changes.SchemasIn(st)
	if err == nil {
		err = st.Migrate(ctx, append(o.schemas(), schemas...)...)
	}
	if err != nil {
		return nil, fmt.Errorf("shop: %w", err)
	}
	s := &Shop{API: shopapi.New(&o.Options), Store: st, links: o.Links}
	if s.Changes, err = changes.Open(ctx, s.API, st, o.Changes); err != nil {
		return nil, fmt.Errorf("shop: %w", err)
	}
	for _, e := range entities() {
		if o.leavesOut(e.name) {
			continue
		}
		if err := e.register(ctx, s); err != nil {
			return nil, fmt.Errorf("shop: %s: %w", e.name, err)
		}
	}
	if o.Batch {
		if err := bulk.Register(s.API); err != nil {
			return nil, fmt.Errorf("shop: %w", err)
		}
	}
	if o.Export {
		bulk.RegisterExports(s.API)
	}
	if s.Settings != nil {
		if err := s.Settings.Declare(ctx, o.Settings...); err != nil {
			return nil, fmt.Errorf("shop: %w", err)
		}
	}
	if err := s.registerExtensions(ctx, &o); err != nil {
		return nil, fmt.Errorf("shop: %w", err)
	}
	if err := s.checkPrivileges(&o); err != nil {
		return nil, err
	}
	if err := s.CheckCustomFields(); err != nil {
		return nil, err
	}
	return s, nil
}

// An entity is a package of entities, under the name of its first entity.
type entity struct {
	name     string
	schemas  func() []*store.Schema // nil if the entry before has them
	register func(context.Context, *Shop) error
}

// entities are the entities of the library. Add a new entity here, after the entities
// that its Register takes.
func entities() []entity {
	return []entity{
		alone("settings", settings.Schemas, settings.Register, func(s *Shop) **settings.Settings { return &s.Settings }),
		{"stores", companies.Schemas, registerCompanies},
		{"vendors", companies.Schemas, registerCompanies},
		{"users", users.Schemas, func(ctx context.Context, s *Shop) (err error) {
			if s.Users, err = users.Register(ctx, s.API, s.Store); err == nil && s.Companies != nil && s.Edition() != shopapi.SingleStore {
				s.Users.RequireSignIn(companies.SignIn)
			}
			return err
		}},
		{"auth", nil, func(_ context.Context, s *Shop) error {
			if s.Users == nil {
				return nil
			}
			return s.Users.RegisterAuth(s.links)
		}},
		alone("categories", categories.Schemas, categories.Register, func(s *Shop) **categories.Categories { return &s.Categories }),
		{"products", products.Schemas, func(ctx context.Context, s *Shop) (err error) {
			s.Products, err = products.Register(ctx, s.API, s.Store, s.Categories)
			return err
		}},
		{"master_products", nil, func(ctx context.Context, s *Shop) (err error) {
			if s.Edition() == shopapi.MultiVendor && s.Products != nil {
				s.MasterProducts, err = s.Products.RegisterMasters(ctx)
			}
			return err
		}},
		{"features", features.Schemas, func(ctx context.Context, s *Shop) (err error) {
			s.Features, err = features.Register(ctx, s.API, s.Store, s.Products)
			return err
		}},
		{"product_variations", variations.Schemas, func(ctx context.Context, s *Shop) (err error) {
			s.Variations, err = variations.Register(ctx, s.API, s.Store, s.Products, s.Features)
			return err
		}},
		{"product_variations_groups", nil, func(_ context.Context, s *Shop) error {
			if s.Variations == nil {
				return nil
			}
			return s.Variations.RegisterGroups()
		}},
		alone("exceptions", exceptions.Schemas, exceptions.Register, func(s *Shop) **exceptions.Exceptions { return &s.Exceptions }),
		{"options", options.Schemas, func(ctx context.Context, s *Shop) (err error) {
			s.Options, err = options.Register(ctx, s.API, s.Store, s.Products, s.Exceptions)
			return err
		}},
		{"combinations", nil, func(_ context.Context, s *Shop) error {
			if s.Options == nil {
				return nil
			}
			return s.Options.RegisterCombinations()
		}},
		alone("discussions", discussions.Schemas, discussions.Register, func(s *Shop) **discussions.Discussions { return &s.Discussions }),
		alone("call_requests", callrequests.Schemas, callrequests.Register, func(s *Shop) **callrequests.CallRequests { return &s.CallRequests }),
		alone("languages", languages.Schemas, languages.Register, func(s *Shop) **languages.Languages { return &s.Languages }),
		{"langvars", nil, func(ctx context.Context, s *Shop) (err error) {
			if s.Languages == nil {
				return nil
			}
			s.Langvars, err = s.Languages.RegisterVariables(ctx)
			return err
		}},
		alone("taxes", taxes.Schemas, taxes.Register, func(s *Shop) **taxes.Taxes { return &s.Taxes }),
		alone("payments", payments.Schemas, payments.Register, func(s *Shop) **payments.Payments { return &s.Payments }),
		alone("shippings", shippings.Schemas, shippings.Register, func(s *Shop) **shippings.Shippings { return &s.Shippings }),
		{"orders", orders.Schemas, func(ctx context.Context, s *Shop) (err error) {
			s.Orders, err = orders.Register(ctx, s.API, s.Store, orders.Dependencies{
				Products: s.Products, Options: s.Options, Exceptions: s.Exceptions,
				Payments: s.Payments, Shippings: s.Shippings, Taxes: s.Taxes,
			})
			return err
		}},
		{"statuses", nil, func(_ context.Context, s *Shop) error {
			if s.Orders == nil {
				return nil
			}
			return s.Orders.RegisterStatuses()
		}},
		{"shipments", nil, func(_ context.Context, s *Shop) error {
			if s.Orders == nil {
				return nil
			}
			return s.Orders.RegisterShipments()
		}},
		{"carts", carts.Schemas, func(ctx context.Context, s *Shop) (err error) {
			s.Carts, err = carts.Register(ctx, s.API, s.Store, s.Users, s.Products, s.Options)
			if err == nil && s.Orders != nil {
				s.Carts.UseOrders(s.Orders)
			}
			return err
		}},
		alone("pages", pages.Schemas, pages.Register, func(s *Shop) **pages.Pages { return &s.Pages }),
		alone("blocks", blocks.Schemas, blocks.Register, func(s *Shop) **blocks.Blocks { return &s.Blocks }),
	}
}

// alone returns an entity that depends on no other entity. field is where the shop has it.
func alone[T any](name string, schemas func() []*store.Schema, register func(context.Context, *shopapi.API, store.Store) (T, error), field func(*Shop) *T) entity {
	return entity{name, schemas, func(ctx context.Context, s *Shop) (err error) {
		*field(s), err = register(ctx, s.API, s.Store)
		return err
	}}
}

// conversions change rows that released versions of the library wrote (decisions §24), in
// the order in which they run. A conversion of one entity is in its definition too
// ([resource.Definition]), for programs that call its Register themselves.
var conversions []store.Conversion

// Schemas returns the tables of a shop, for programs that copy it to another store.
func Schemas() []*store.Schema {
	var o Options
	return o.schemas()
}

// withImages are the entities that share the tables of images.
var withImages = []string{"categories", "products", "options", "features"}

// schemas returns the tables of the entities that are not left out. New has them created at once,
// since a store over a network takes some round trips for each call. The table of webhooks is
// there without webhooks too: programs that copy a shop read all tables.
func (o *Options) schemas() []*store.Schema {
	list := append(resource.Schemas(), store.SchemaChanges(), webhooks.Schema())
	for _, e := range entities() {
		if e.schemas != nil && !o.leavesOut(e.name) {
			list = append(list, e.schemas()...)
		}
	}
	if slices.ContainsFunc(withImages, func(name string) bool { return !o.leavesOut(name) }) {
		list = append(list, images.Schema(), images.UploadSchema())
	}
	return list
}

// SchemasOf is [Schemas] with the custom fields that a store knows (extensions E13).
func SchemasOf(ctx context.Context, st store.Store) ([]*store.Schema, error) {
	return resource.WithCustom(ctx, st, Schemas()...)
}
