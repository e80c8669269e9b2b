package options

import (
	"context"
	"iter"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/exceptions"
	"github.com/shopapi/shopapi/images"
	"github.com/shopapi/shopapi/internal/tablecache"
	"github.com/shopapi/shopapi/products"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// Options are the options of a store's products. The methods act for the user of their
// context: a user of one company finds only options of its products; the host's own code,
// which has no user, finds all.
//
// Update sets the full set of Variants: omitted ones are deleted, with the combinations
// and exceptions that refer to them. It does not change the product. Delete also deletes
// the variants, and the combinations and exceptions that refer to the option. Defaults
// returns an active select box that takes part in combinations. Hooks of BeforeDelete run
// when an option is deleted alone, without its product. Lists at an address that Under
// adds name the product in product_id.
type Options struct {
	resource.Objects[Option] // Get, Create, CreateAll, Update, Delete, Defaults, Under, BeforeSave, AfterSave, BeforeDelete

	api          *shopapi.API
	st           store.Store
	rows         resource.Collection[Option, Option]
	combinations *Combinations
	products     *productReader
	exceptions   *exceptions.Exceptions // nil where they are not the library's
	variantTexts resource.Texts[Variant]
	byProduct    tablecache.Cache[int64, []Option]
}

// Register creates the missing tables in st and adds the entity options to the API;
// [Options.RegisterCombinations] adds combinations. goods and exceptions belong to the
// same store; each is nil if it is not the library's. The options of a product are
// deleted with it, whichever entity products is.
func Register(ctx context.Context, api *shopapi.API, st store.Store, goods *products.Products, x *exceptions.Exceptions) (*Options, error) {
	o := &Options{api: api, st: st, exceptions: x, products: &productReader{api, goods}, byProduct: newCache(st)}
	var err error
	if o.rows, err = resource.Register(ctx, api, st, optionsDefinition(o)); err != nil {
		return nil, err
	}
	o.Objects = o.rows
	o.variantTexts = resource.TextsOf(o.rows, variants)
	if o.combinations, err = newCombinations(ctx, o); err != nil {
		return nil, err
	}
	api.BeforeDelete("products", o.deleteOf)
	if goods != nil {
		return o, goods.Use(part{o})
	}
	return o, nil
}

// Combinations returns the combinations of these options.
func (o *Options) Combinations() *Combinations { return o.combinations }

// Find returns the options of a product, by position, and their number without limit
// and offset; none of a product that does not exist or that the user may not see. It
// returns a 400 [*shopapi.Error] for a filter without a product.
func (o *Options) Find(ctx context.Context, f Filter) ([]Option, int64, error) {
	f.products = o.products
	return o.rows.Find(ctx, &f)
}

// All iterates over the options of a product, by id: see [resource.Collection.All].
func (o *Options) All(ctx context.Context, f Filter) iter.Seq2[Option, error] {
	f.products = o.products
	return o.rows.All(ctx, &f)
}

func optionsDefinition(o *Options) resource.Definition[Option, Option] {
	return resource.Definition[Option, Option]{
		Name:       "options",
		Object:     "option",
		Summary:    "What customers choose when they order a product, such as its size.",
		Privileges: shopapi.Privileges{View: "view_catalog", Manage: "manage_catalog"},
		Table:      table,
		Filter:     func() resource.Filter { return &Filter{products: o.products} },
		Sorts: []resource.Sort{
			{Key: "position", Column: "position"}, {Key: "id", Column: "option_id"}, {Key: "name", Column: "option_name"},
		},
		Rows: resource.Rows[Option, Option]{
			Tables:    []*store.Schema{variants.Schema(), images.Schema(), images.UploadSchema()},
			TextLists: []resource.TextList{{Name: "variants", Parts: variants.Schema(), Owner: "option_id"}},
			Load:      o.load,
			Write:     o.write,
			Remove:    o.remove,
		},
		List: resource.List[Option, Option]{Shape: resource.Keyed},
		Wire: resource.Wire[Option, Option]{
			PayloadDefaults: func(o *Option) { o.Inventory = true },
			Bind:            bind,
			Body:            body{},
			BeforeTx:        images.Storing(o.api, "options", sentImages, func(o *Option) []*images.Pair { return kind.Images(o.Variants) }),
		},
		Scope: resource.Scope[Option]{
			Visible: func(ctx context.Context, tx store.Tx, option *Option) (bool, error) {
				return o.products.visible(ctx, tx, option.ProductID)
			},
			Owner: func(ctx context.Context, tx store.Tx, option *Option) (shopapi.Ownership, error) {
				return o.products.owner(ctx, tx, option.ProductID)
			},
			Parents: append(resource.Companies[Option](),
				below(func(o *Option) *int64 { return &o.ProductID }, func(o *Option) bool { return o.OptionID == 0 })),
		},
		Rules: resource.Rules[Option]{
			RestoreImmutable: keep,
			Normalize:        func(o *Option, _ *shopapi.Problems) { o.normalize() },
			Check:            o.check,
		},
	}
}
