package options

import (
	"context"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/products"
	"github.com/shopapi/shopapi/store"
)

// AddAmount adds n to the stock of a combination, in the transaction of an order, and
// updates the stock of its product. The stock may become negative: the order decides
// whether it may. It returns [store.ErrNotFound] for a deleted combination.
func (o *Options) AddAmount(ctx context.Context, tx store.Tx, hash, n int64) error {
	c, err := combinations.Get(tx, hash)
	if err != nil {
		return err
	}
	c.Amount += n
	if err := combinations.Update(tx, &c); err != nil {
		return err
	}
	o.api.Changed(ctx, "combinations", shopapi.OpUpdate, shopapi.FormatID(hash), "amount")
	return o.products.countStock(ctx, tx, c.ProductID)
}

// checkAmount reports a negative amount of a combination that the rule of its product does not
// allow (decisions §26). A product of the host lacks out_of_stock_actions.
func (p *productReader) checkAmount(ctx context.Context, tx store.Tx, c *Combination, problems *shopapi.Problems) error {
	if c.Amount >= 0 || problems.Has("amount") || problems.Has("product_id") {
		return nil
	}
	of, err := p.owner(ctx, tx, c.ProductID)
	if err != nil {
		return err
	}
	var product products.Summary
	if p.goods != nil {
		known, err := products.ByID(tx, c.ProductID)
		if err != nil {
			return err
		}
		product = known[c.ProductID]
	}
	return products.CheckAmount(ctx, p.api, of.CompanyID, product.OutOfStockActions, c.Amount, problems)
}

// countStock sets the amount of a product whose tracking is O to the sum of its
// combinations' amounts.
func (p *productReader) countStock(ctx context.Context, tx store.Tx, product int64) error {
	if p.goods == nil {
		return nil
	}
	return p.goods.CountStock(ctx, tx, product, stock)
}

// An amount has the columns of a combination that the stock is computed from.
type amount struct {
	Hash   int64 `json:"combination_hash" store:"key"`
	Amount int64 `json:"amount"`
}

var amounts = store.Project[amount](combinations)

// stock returns the sum of the amounts of the combinations of a product.
func stock(tx store.Tx, product int64) (sum int64, err error) {
	err = amounts.Each(tx, store.Query{
		Where: []store.Cond{store.Equal("product_id", store.Int(product))},
	}, func(a *amount) error {
		sum += a.Amount
		return nil
	})
	return sum, err
}

// Amounts reads the stock of combinations in one read. Deleted combinations are left out.
func (o *Options) Amounts(tx store.Tx, hashes ...int64) (map[int64]int64, error) {
	by := make(map[int64]int64, len(hashes))
	err := amounts.Each(tx, store.Query{
		Where: []store.Cond{store.InInts("combination_hash", hashes...)},
	}, func(a *amount) error {
		by[a.Hash] = a.Amount
		return nil
	})
	return by, err
}
