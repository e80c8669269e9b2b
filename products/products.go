package products

import (
	"context"
	"iter"
	"slices"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/categories"
	"github.com/shopapi/shopapi/images"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// Products are the products of a store, with their links to categories. The methods act
// for the user of their context: a user of one company finds only its products; the
// host's own code, which has no user, finds all.
//
// Create gives defaults to codes, names of layouts and the timestamp that are empty.
// Update makes the first category the main one if the old main one is not among the
// categories any more. It does not change fields that no request can set: product_type,
// parent_product_id and the time of the last change. Delete also deletes the links, and
// returns the errors of dependent entities ([shopapi.API.RefuseDelete]). Defaults returns
// a product with one piece in stock, returnable within 10 days.
type Products struct {
	resource.Objects[Product] // Get, Create, CreateAll, Update, Delete, Defaults, Under, BeforeSave, AfterSave, BeforeDelete

	api  *shopapi.API
	st   store.Store
	tree *categories.Categories // nil where the categories are not the library's
	rows resource.Collection[Product, Summary]

	parts

	texts          resource.TextReader[Summary]
	orderViewTexts resource.TextReader[OrderView]

	masters bool // see [Products.RegisterMasters]
}

// Register creates the missing tables in st and adds the entity to the API. The
// categories of tree are in the same store; without tree, products may be linked to any
// category of the API and, if it has none, to any id.
func Register(ctx context.Context, api *shopapi.API, st store.Store, tree *categories.Categories) (*Products, error) {
	p := &Products{api: api, st: st, tree: tree}
	rows, err := resource.Register(ctx, api, st, definition(p))
	if err != nil {
		return nil, err
	}
	p.Objects, p.rows, p.texts = rows, rows, resource.TextsIn(rows.Texts(), summaries)
	p.orderViewTexts = resource.TextsIn(rows.Texts(), orderViews)
	api.BeforeDelete("categories", p.unlink)
	api.CheckSetting(shopapi.SettingDefaultCategory, p.checkDefaultCategory)
	api.BeforeDelete("taxes", p.dropTaxes)
	api.BeforeDelete("usergroups", p.dropUsergroups)
	return p, nil
}

// Find returns the products that match, and their number without limit and offset.
// It returns a 400 [*shopapi.Error] for a filter that no product could be meant by.
func (p *Products) Find(ctx context.Context, f Filter) (list []Summary, total int64, err error) {
	return p.rows.Find(ctx, p.query(f))
}

// All iterates over the products that match, by id, in constant memory: see
// [resource.Collection.All].
func (p *Products) All(ctx context.Context, f Filter) iter.Seq2[Summary, error] {
	return p.rows.All(ctx, p.query(f))
}

// CreateCopy adds a copy of the product with the id, which may differ from it in all but
// the texts: these are copied in every language, whatever the language of ctx (decisions
// §15). It runs in the transaction of tx and ctx.
func (p *Products) CreateCopy(ctx context.Context, tx store.Tx, id int64, copied Product) (Product, error) {
	original, err := table.Get(tx, id)
	if err != nil {
		return Product{}, err
	}
	copied.takeTexts(&original)
	copied.AgeWarningMessage = original.AgeWarningMessage
	created, err := p.Create(ctx, copied)
	if err != nil {
		return Product{}, err
	}
	return created, p.rows.Texts().CopyFrom(tx, id, created.ProductID)
}

func definition(p *Products) resource.Definition[Product, Summary] {
	return resource.Definition[Product, Summary]{
		Name:       "products",
		Object:     "product",
		Summary:    "What the shop sells, with prices, stock and categories.",
		Privileges: shopapi.Privileges{View: "view_catalog", Manage: "manage_catalog"},
		Display: shopapi.Display{
			Relations: map[string]string{"main_category": "categories"},
			Widgets: map[string]shopapi.Widget{
				"avail_since": shopapi.WidgetTime, "price": shopapi.WidgetMoney, "list_price": shopapi.WidgetMoney,
			},
		},
		Table:  table,
		Filter: func() resource.Filter { return p.query(Filter{}) },
		Sorts:  sorts,
		Rows: resource.Rows[Product, Summary]{
			Tables:      []*store.Schema{links.Schema(), images.Schema(), images.UploadSchema()},
			Load:        p.load,
			LoadDetails: p.loadDetails,
			Needs:       needs,
			Write:       p.write,
			AfterWrite:  p.followTexts,
			Remove:      p.remove,
		},
		List: resource.List[Product, Summary]{
			Items:     summaries,
			Item:      func(p *Product) *Summary { return &p.Summary },
			Params:    tellParams,
			LoadItems: p.loadItems,
		},
		Wire: resource.Wire[Product, Summary]{
			Codes:           codes(sold),
			BindFilter:      bindFilter,
			PayloadDefaults: setDocumented,
			Bind:            p.bindPlaced,
			Body:            body{},
			BeforeTx: images.Storing(p.api, "products", func(sent *shopapi.Payload) images.Pairs {
				return images.Sent(sent, "main_pair", "image_pairs")
			}, func(p *Product) []*images.Pair { return append(p.ImagePairs.Each(), &p.MainPair) }),
			SplitChange: p.loggedApart,
			EncodeOne:   func(_ context.Context, p *Product) any { return answerOf(p) },
			EncodeList:  func(_ context.Context, list []Summary) any { return itemsOf(list) },
		},
		Scope: resource.Scope[Product]{
			Company:   func(p *Product) *int64 { return &p.CompanyID },
			Parents:   append(resource.Companies[Product](), underCategory),
			Authorize: p.authorize,
		},
		Rules: resource.Rules[Product]{
			Fields:           append(nameRules(), shopapi.Rule{Field: "category_ids", Required: true}),
			RestoreImmutable: keep,
			Normalize:        p.normalize,
			Derive: func(ctx context.Context, tx store.Tx, _, after *Product, problems *shopapi.Problems) error {
				return p.followMaster(ctx, tx, after, problems)
			},
			Check: p.check,
		},
	}
}

// underCategory has the products that are linked to a category below it. Its
// condition on lists is that of cid, which may reach further down.
var underCategory = resource.Parent[Product]{
	Entity: "categories",
	Contains: func(_ context.Context, _ store.Tx, above resource.ParentRef, p *Product) (bool, error) {
		return slices.Contains(p.CategoryIDs, above.ID), nil
	},
	SetParent: func(above resource.ParentRef, p *Product, _ *shopapi.Problems) {
		if p.ProductID == 0 && len(p.CategoryIDs) == 0 {
			p.CategoryIDs = []int64{above.ID}
		}
	},
}

// bind lays the payload over a product. Categories that are given without a main
// one have their first as such.
func (p *Products) bind(ctx context.Context, r *shopapi.Request, product *Product) error {
	var problems shopapi.Problems
	checkAmountTexts(&problems, r.Payload)
	problems.Merge(r.Bind(product))
	problems.Merge(p.bindParts(ctx, r.Payload, &product.Summary))
	if r.Payload.Has("category_ids") && !r.Payload.Has("main_category") {
		product.MainCategory = 0
	}
	return problems.Err()
}

// write stores a product, with ids for its new images, its links and its parts.
func (p *Products) write(ctx context.Context, tx store.Tx, before, after *Product) error {
	if err := images.AssignIDs(tx, &after.MainPair, after.ImagePairs); err != nil {
		return err
	}
	if err := p.rows.WriteRow(ctx, tx, before, after); err != nil {
		return err
	}
	if err := p.writeLinks(tx, &before.Summary, &after.Summary); err != nil {
		return err
	}
	for _, part := range p.writers {
		if err := part.WriteProduct(ctx, tx, before, after); err != nil {
			return err
		}
	}
	return nil
}

// remove removes a product and its links.
func (p *Products) remove(_ context.Context, tx store.Tx, product *Product) error {
	if err := p.writeLinks(tx, &product.Summary, &Summary{ProductID: product.ProductID}); err != nil {
		return err
	}
	return table.DeleteKey(tx, product.ProductID)
}
