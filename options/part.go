package options

import (
	"context"

	"github.com/shopapi/shopapi/internal/jsonenc"
	"github.com/shopapi/shopapi/products"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

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
