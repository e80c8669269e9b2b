// Package masterproducts is the entities master_products and master_product_offers, in
// the edition with vendors: products that several vendors sell, and what each offers of
// them (decisions §21). [Register] adds them to an API.
//
// A common product belongs to no company, is made by administrators and is not sold. An
// offer is a product of a vendor, reached among the products too, that takes name,
// descriptions, features and images from it, and has its own price, amount, status and
// code. A vendor has one of each common product. When that is deleted, the offers stay
// as ordinary products, as they were.
package masterproducts

import (
	"context"
	"iter"

	"github.com/shopapi/shopapi/products"
	"github.com/shopapi/shopapi/resource"
)

// MasterProducts are the common products of a shop. The methods act for the user of
// their context.
type MasterProducts struct {
	rows, offers resource.Collection[products.Product, products.Summary]
}

// Register adds the entities to the API of the products.
func Register(ctx context.Context, list *products.Products) (*MasterProducts, error) {
	rows, offers, err := list.RegisterMasters(ctx)
	if err != nil {
		return nil, err
	}
	return &MasterProducts{rows, offers}, nil
}

// Get returns one common product.
func (m *MasterProducts) Get(ctx context.Context, id int64) (products.Product, error) {
	return m.rows.Get(ctx, id)
}

// All iterates over the common products, by id: see [resource.Collection.All].
func (m *MasterProducts) All(ctx context.Context) iter.Seq2[products.Summary, error] {
	return m.rows.All(ctx, products.MasterFilter())
}

// Create adds a common product and returns it as stored: see [resource.Collection.Create].
func (m *MasterProducts) Create(ctx context.Context, p products.Product) (products.Product, error) {
	return m.rows.Create(ctx, p)
}

// Offer adds the offer that the vendor of the product makes of a common product, with the
// price, amount, status and code of the product, and returns it as stored. It returns a 404
// [*shopapi.Error] when there is no such common product, or a 400 that names the fields at
// fault: company_id where the vendor has an offer of it.
func (m *MasterProducts) Offer(ctx context.Context, master int64, offer products.Product) (products.Product, error) {
	if _, err := m.rows.Get(ctx, master); err != nil {
		return products.Product{}, err
	}
	offer.MasterProductID = master
	return m.offers.Create(ctx, offer)
}

// Update has change alter the common product with the id, and its offers with it: see
// [resource.Collection.Update].
func (m *MasterProducts) Update(ctx context.Context, id int64, change func(*products.Product) error) (products.Product, error) {
	return m.rows.Update(ctx, id, change)
}

// Delete removes a common product. Its offers stay as ordinary products.
func (m *MasterProducts) Delete(ctx context.Context, id int64) error { return m.rows.Delete(ctx, id) }
