package products

import (
	"context"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// An OptionSource tells of the options of products, which are another package's. Its
// methods run in the transaction of the read or the change that asks.
type OptionSource interface {
	// HaveOptions returns which of the products have options, in one read.
	HaveOptions(tx store.Tx, products ...int64) (map[int64]bool, error)

	// ProductOptions returns the options of a product as it shows them: an object by
	// id, or nil where it has none.
	ProductOptions(ctx context.Context, tx store.Tx, p *Product) (any, error)

	// Stock is the sum of the amounts of the combinations of a product.
	Stock(tx store.Tx, product int64) (int64, error)
}

// UseOptions has products show their options, and those whose tracking is O the stock
// of their combinations. It is called before the first request is served. Without
// it they have no options, and their amount is what it is set to.
func (p *Products) UseOptions(source OptionSource) { p.options = source }

// CountStock has the amount of a product whose tracking is O follow those of its
// combinations, in the transaction that changes these. It does nothing for other
// products, or when there is none with the id.
func (p *Products) CountStock(ctx context.Context, tx store.Tx, id int64) error {
	known, err := ByID(tx, id)
	if s, ok := known[id]; err != nil || !ok || p.options == nil || s.Tracking != TrackByOptions {
		return err
	}
	product, err := table.Get(tx, id)
	if err != nil {
		return err
	}
	before := product.Amount
	if product.Amount, err = p.options.Stock(tx, id); err != nil || product.Amount == before {
		return err
	}
	p.api.Changed(ctx, "products", shopapi.OpUpdate, shopapi.FormatID(id))
	return table.Update(tx, &product)
}

// followStock sets the amount of a product that is to be stored where its tracking is
// O: then no change sets it (decisions §17).
func (p *Products) followStock(tx store.Tx, before, after *Product) (err error) {
	switch {
	case p.options == nil || after.Tracking != TrackByOptions:
	case before.Tracking == TrackByOptions:
		after.Amount = before.Amount
	case before.ProductID == 0:
		after.Amount = 0
	default:
		after.Amount, err = p.options.Stock(tx, before.ProductID)
	}
	return err
}

// load fills in what of products is no column.
func (p *Products) load(ctx context.Context, tx store.Tx, list ...*Summary) error {
	for _, s := range list {
		s.showImages()
	}
	if err := p.readLinks(tx, list...); err != nil {
		return err
	}
	if err := p.loadFeatures(ctx, tx, list...); err != nil {
		return err
	}
	return p.loadMasters(tx, list...)
}

// loadItems fills in what products show in lists alone.
func (p *Products) loadItems(ctx context.Context, tx store.Tx, f resource.Filter, list ...*Summary) error {
	if p.options != nil {
		ids := make([]int64, len(list))
		for i, s := range list {
			ids[i] = s.ProductID
		}
		have, err := p.options.HaveOptions(tx, ids...)
		if err != nil {
			return err
		}
		for _, s := range list {
			s.HasOptions = have[s.ProductID]
		}
	}
	return p.loadVariations(ctx, tx, f.(*parameters).details(), list...)
}

// loadOne fills in what a product shows on its own: its options.
func (p *Products) loadOne(ctx context.Context, tx store.Tx, product *Product) (err error) {
	product.Options, product.HasOptions = nil, false
	if p.options != nil {
		if product.Options, err = p.options.ProductOptions(ctx, tx, product); err != nil {
			return err
		}
		product.HasOptions = product.Options != nil
	}
	details, _ := ctx.Value(variationDetailsKey{}).(VariationDetails)
	return p.loadVariations(ctx, tx, details, &product.Summary)
}

// ByID is the function ByID with the texts of the language of ctx, which take another
// read where that is not the base language.
func (p *Products) ByID(ctx context.Context, tx store.Tx, ids ...int64) (map[int64]Summary, error) {
	list, err := readByID(tx, ids)
	if err != nil {
		return nil, err
	}
	rows := make([]*Summary, len(list))
	for i := range list {
		rows[i] = &list[i]
	}
	err = p.texts.Load(ctx, tx, rows...)
	return byID(list), err
}

// ByID reads products in one read. Ids of none are left out. What is no column, such
// as the categories, is not filled in, and the products are not confined to what a
// user may see.
func ByID(tx store.Tx, ids ...int64) (map[int64]Summary, error) {
	list, err := readByID(tx, ids)
	return byID(list), err
}

func readByID(tx store.Tx, ids []int64) ([]Summary, error) {
	list, err := summaries.Select(tx, store.Query{Where: []store.Cond{store.InInts("product_id", ids...)}})
	for i := range list {
		list[i].showImages()
	}
	return list, err
}

func byID(list []Summary) map[int64]Summary {
	m := make(map[int64]Summary, len(list))
	for i := range list {
		m[list[i].ProductID] = list[i]
	}
	return m
}
