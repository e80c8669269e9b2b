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
//
// Update also changes the offers, without the hooks of [Products].
type MasterProducts struct {
	resource.Objects[Product] // Get, Create, CreateAll, Update, Delete, Defaults, Under, BeforeSave, AfterSave, BeforeDelete

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
	m.Objects = m.rows
	if m.offers, err = resource.New(p.api, p.st, offerDefinition(p)); err != nil {
		return nil, err
	}
	return m, p.api.RegisterUnder("master_products", m.offers.Entity())
}

// All iterates over the common products, by id: see [resource.Collection.All].
func (m *MasterProducts) All(ctx context.Context) iter.Seq2[Summary, error] {
	return m.rows.All(ctx, m.goods.queryBelow())
}

// Offer adds a vendor's offer of a common product, with the company, price, amount,
// status and code of offer, and returns it as stored. It returns a 404 [*shopapi.Error]
// if the common product does not exist, or a 400 that names the invalid fields:
// company_id if the vendor has an offer of it already.
func (m *MasterProducts) Offer(ctx context.Context, master int64, offer Product) (Product, error) {
	if _, err := m.Get(ctx, master); err != nil {
		return Product{}, err
	}
	offer.MasterProductID = master
	return m.offers.Create(ctx, offer)
}
