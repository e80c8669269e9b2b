package features

import (
	"context"
	"strconv"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/images"
	"github.com/shopapi/shopapi/products"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// Features are the features of a store, with their variants and the values of products.
// The methods act for the user of their context: a user of one company finds its features
// and the default company's, which all companies share; the host's own
// code, which has no user, finds all.
//
// Update sets the full set of Variants: omitted ones are deleted, with the values that
// products have of them. Delete also deletes the variants and the values. The features
// inside a deleted group lose their group.
type Features struct {
	resource.Objects[Feature]       // Get, Create, CreateAll, Update, Delete, Defaults, Under, BeforeSave, AfterSave, BeforeDelete
	resource.Lists[Filter, Summary] // Find, All

	api   *shopapi.API
	st    store.Store
	rows  resource.Collection[Feature, Summary]
	goods *products.Products // nil where the products are not the library's

	variantTexts      resource.Texts[Variant]
	shownFeatureTexts resource.TextReader[shownFeature]
	shownVariantTexts resource.TextReader[shownVariant]
}

// Register creates the missing tables in st and adds the entity features to the API, and
// the variants below a feature. goods are the products of the same store, or nil if
// products are not the library's: then features have no values.
func Register(ctx context.Context, api *shopapi.API, st store.Store, goods *products.Products) (*Features, error) {
	f := &Features{api: api, st: st, goods: goods}
	var err error
	if f.rows, err = resource.Register(ctx, api, st, definition(f)); err != nil {
		return nil, err
	}
	f.Objects = f.rows
	f.Lists = resource.ListsOf[Filter](f.rows)
	f.variantTexts = resource.TextsOf(f.rows, variants)
	f.shownFeatureTexts = resource.TextsIn(f.rows.Texts(), shownFeatures)
	f.shownVariantTexts = resource.TextsIn(f.variantTexts, shownVariants)
	if err := f.registerVariants(ctx); err != nil {
		return nil, err
	}
	api.BeforeDelete("categories", resource.DropIDs(api, st, "features", table, "categories_path", func(f *Feature) *shopapi.IDList { return &f.CategoriesPath }))
	api.BeforeDelete("products", f.deleteOf)
	if goods == nil {
		return f, nil
	}
	if err := api.RegisterUnder("products", &ofProduct{f}); err != nil {
		return nil, err
	}
	return f, goods.Use(part{f})
}

func definition(f *Features) resource.Definition[Feature, Summary] {
	return resource.Definition[Feature, Summary]{
		Name:       "features",
		Object:     "feature",
		Summary:    "Properties by which customers find and compare products, such as material or brand.",
		Privileges: shopapi.Privileges{View: "view_catalog", Manage: "manage_catalog"},
		Display:    shopapi.Display{Label: "description"},
		Table:      table,
		Filter:     func() resource.Filter { return new(Filter) },
		Sorts:      sorts,
		Rows: resource.Rows[Feature, Summary]{
			TextLists:   []resource.TextList{{Name: "variants", Parts: variants.Schema(), Owner: "feature_id"}},
			Tables:      []*store.Schema{variants.Schema(), values.Schema(), images.Schema(), images.UploadSchema()},
			Load:        loadGroups,
			LoadDetails: f.loadVariants,
			Write:       f.write,
			Remove:      f.remove,
		},
		List: resource.List[Feature, Summary]{
			Items: summaries,
			Item:  func(f *Feature) *Summary { return &f.Summary },

			LoadItems: f.loadListed,
		},
		Wire: resource.Wire[Feature, Summary]{
			Bind:       f.bind,
			Body:       body{},
			BeforeTx:   images.Storing(f.api, "features", sentImages, func(f *Feature) []*images.Pair { return kind.Images(f.Variants) }),
			EncodeList: func(_ context.Context, list []Summary) any { return itemsOf(list) },
		},
		Scope: resource.Scope[Feature]{
			Company:        func(f *Feature) *int64 { return &f.CompanyID },
			VendorReadable: true,
			Parents:        resource.Companies[Feature](),
		},
		Rules: resource.Rules[Feature]{
			RestoreImmutable: keep,
			Normalize:        normalize,
			Check:            f.check,
		},
	}
}

// loadListed fills in the variants of the features of a list that asks for them, in one
// read, or two in another language than the base one.
func (f *Features) loadListed(ctx context.Context, tx store.Tx, filter resource.Filter, list ...*Summary) error {
	if !filter.(*Filter).GetVariants {
		return nil
	}
	byID := map[int64]*Summary{}
	var ids []int64
	for _, s := range list {
		if HasVariants(s.Type) {
			s.Listed, byID[s.FeatureID] = Variants{}, s
			ids = append(ids, s.FeatureID)
		}
	}
	return kind.Load(ctx, tx, f.variantTexts, ids, func(id int64, list []Variant) { byID[id].Listed = list })
}

// An item is a feature as a list answers it. GroupPosition is the position of its
// group, or 0; groups have none.
type item struct {
	Summary
	GroupPosition string `json:"group_position,omitempty"`

	Variants *Variants `json:"variants,omitempty"` // with get_variants
}

func itemsOf(list []Summary) []item {
	items := make([]item, len(list))
	for i := range list {
		items[i].Summary = list[i]
		if list[i].Listed != nil {
			items[i].Variants = &list[i].Listed
		}
		if list[i].Type != Group {
			items[i].GroupPosition = strconv.FormatInt(list[i].GroupPosition, 10)
		}
	}
	return items
}
