package options

import (
	"context"

	"github.com/shopapi/shopapi/internal/jsonenc"
	"github.com/shopapi/shopapi/products"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// OfProducts returns the options of each of the products, by position, with their
// variants and with names in the language of ctx, in a number of reads that does not depend
// on the number of products. Products that have none, that do not exist or that the user of
// ctx may not see are left out.
//
// Products that are not the library's have all their options, whichever user asks.
func (o *Options) OfProducts(ctx context.Context, ids ...int64) (of map[int64]List, err error) {
	if len(ids) == 0 {
		return map[int64]List{}, nil
	}
	ctx = o.api.Confine(ctx)
	err = o.st.View(ctx, func(ctx context.Context, tx store.Tx) error {
		var visible []store.Cond
		if o.products.goods != nil {
			visible = products.OfVisible(ctx, "product_id")
		}
		of, err = o.read(ctx, tx, ids, visible...)
		if err != nil || len(of) == 0 {
			return err
		}
		companies, err := o.products.companies(ctx, tx, ids...)
		for product, list := range of {
			for i := range list {
				list[i].CompanyID = companies[product]
			}
		}
		return err
	})
	return of, err
}

// A part is the [products.Part] of options: it adds options to the fields of a product
// and sums the stock of its combinations.
type part struct{ *Options }

var (
	_ products.Loader  = part{}
	_ products.Fielder = part{}
	_ products.Deriver = part{}
)

// PartName implements [products.Part].
func (part) PartName() string { return "options" }

// LoadProducts implements [products.Loader]: items of lists show whether they have options,
// a product on its own and lists that ask for them show the options as a [List], in a number
// of reads that does not depend on the number of products.
func (o part) LoadProducts(ctx context.Context, tx store.Tx, r products.Reading, list ...*products.Summary) error {
	switch {
	case r.Purpose == products.Listed && resource.Chooses(ctx):
		return nil // the purpose Single follows
	case r.Purpose == products.Listed && !r.Options:
		return loadHasOptions(tx, list)
	case r.Purpose != products.Listed && r.Purpose != products.Single:
		return nil
	}
	ids := make([]int64, len(list))
	for i, p := range list {
		ids[i] = p.ProductID
	}
	byProduct, err := o.read(ctx, tx, ids)
	if err != nil {
		return err
	}
	for _, p := range list {
		p.Options = nil
		options := byProduct[p.ProductID]
		for i := range options {
			options[i].CompanyID = p.CompanyID
		}
		if p.HasOptions = len(options) > 0; p.HasOptions {
			p.Options = options
		}
	}
	return nil
}

// read returns the options of products, by position, without their company.
func (o *Options) read(ctx context.Context, tx store.Tx, ids []int64, where ...store.Cond) (map[int64]List, error) {
	found, err := table.Select(tx, store.Query{
		Where: append(where, store.InInts("product_id", ids...)),
		Order: []store.Order{store.Asc("position")},
	})
	if err != nil {
		return nil, err
	}
	rows := store.Pointers(found)
	if err := o.rows.Texts().Load(ctx, tx, rows...); err != nil {
		return nil, err
	}
	if err := loadVariants(ctx, tx, o.variantTexts, rows...); err != nil {
		return nil, err
	}
	of := map[int64]List{}
	for _, option := range found {
		of[option.ProductID] = append(of[option.ProductID], option)
	}
	return of, nil
}

// loadHasOptions sets HasOptions of products, in one read.
func loadHasOptions(tx store.Tx, list []*products.Summary) error {
	byID := make(map[int64]*products.Summary, len(list))
	ids := make([]int64, len(list))
	for i, p := range list {
		byID[p.ProductID], ids[i] = p, p.ProductID
		p.HasOptions = false
	}
	return owners.Each(tx, store.Query{Where: []store.Cond{store.InInts("product_id", ids...)}}, func(o *owner) error {
		byID[o.ProductID].HasOptions = true
		return nil
	})
}

// An owner is an option with only the id of its product.
type owner struct {
	OptionID  int64 `json:"option_id" store:"key"`
	ProductID int64 `json:"product_id"`
}

var owners = store.Project[owner](table)

// ProductFields implements [products.Fielder].
func (part) ProductFields() []string { return []string{"has_options", "product_options"} }

// A List is the options of one product, by position, as the product shows them in
// product_options: on the wire an object by id.
type List []Option

// MarshalJSON writes the options as an object by id.
func (l List) MarshalJSON() ([]byte, error) { return l.AppendJSON(nil) }

// AppendJSON writes what MarshalJSON returns.
func (l List) AppendJSON(dst []byte) ([]byte, error) {
	return jsonenc.AppendByID(dst, l, func(v *Option) int64 { return v.OptionID })
}

// DeriveProduct implements [products.Deriver]: with tracking O the amount is the sum of the
// combinations, and no change sets it (decisions §17).
func (part) DeriveProduct(tx store.Tx, before, after *products.Product) (err error) {
	switch {
	case after.Tracking != products.TrackByOptions:
	case before.Tracking == products.TrackByOptions:
		after.Amount = before.Amount
	case before.ProductID == 0:
		after.Amount = 0
	default:
		after.Amount, err = stock(tx, before.ProductID)
	}
	return err
}
