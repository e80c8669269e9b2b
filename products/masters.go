package products

import (
	"context"
	"iter"

	"github.com/shopapi/shopapi/resource"
)

// MasterProducts are the common products of a marketplace, which its vendors offer: the
// entities master_products and master_product_offers (decisions §21). The methods act for
// the user of their context.
//
// A common product belongs to no company and is not sold. An offer is a product of a
// vendor, reached among the products too. It takes its texts, features and images from the
// common product, and has its own price, amount, status and code. A vendor has one offer of
// each common product. When a common product is deleted, its offers stay as ordinary
// products.
type MasterProducts struct {
	goods        *Products
	rows, offers resource.Collection[Product, Summary]
}

// RegisterMasters adds the entities master_products and master_product_offers to the API.
// Products then show their common product.
func (p *Products) RegisterMasters(ctx context.Context) (*MasterProducts, error) {
	p.masters = true
	m := &MasterProducts{goods: p}
	var err error
	if m.rows, err = resource.Register(ctx, p.api, p.st, masterDefinition(p)); err != nil {
		return nil, err
	}
	if m.offers, err = resource.New(p.api, p.st, offerDefinition(p)); err != nil {
		return nil, err
	}
	return m, p.api.RegisterUnder("master_products", m.offers.Entity())
}

// Get returns one common product.
func (m *MasterProducts) Get(ctx context.Context, id int64) (Product, error) {
	return m.rows.Get(ctx, id)
}

// All iterates over the common products, by id: see [resource.Collection.All].
func (m *MasterProducts) All(ctx context.Context) iter.Seq2[Summary, error] {
	return m.rows.All(ctx, m.goods.queryBelow())
}

// Create adds a common product and returns it as stored: see [resource.Collection.Create].
func (m *MasterProducts) Create(ctx context.Context, p Product) (Product, error) {
	return m.rows.Create(ctx, p)
}

// Offer adds a vendor's offer of a common product, with the company, price, amount,
// status and code of offer, and returns it as stored. It returns a 404 [*shopapi.Error]
// if the common product does not exist, or a 400 that names the invalid fields:
// company_id if the vendor has an offer of it already.
func (m *MasterProducts) Offer(ctx context.Context, master int64, offer Product) (Product, error) {
	if _, err := m.rows.Get(ctx, master); err != nil {
		return Product{}, err
	}
	offer.MasterProductID = master
	return m.offers.Create(ctx, offer)
}

// Update has change alter the common product with the id, and its offers with it: see
// [resource.Collection.Update].
func (m *MasterProducts) Update(ctx context.Context, id int64, change func(*Product) error) (Product, error) {
	return m.rows.Update(ctx, id, change)
}

// Delete removes a common product. Its offers stay as ordinary products.
func (m *MasterProducts) Delete(ctx context.Context, id int64) error { return m.rows.Delete(ctx, id) }
