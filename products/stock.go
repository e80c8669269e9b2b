package products

import (
	"context"
	"maps"
	"slices"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// TakeTurns is [store.TakeTurnsTogether] of a transaction that is going to take stock of products.
func (p *Products) TakeTurns(tx store.Tx, ids ...int64) error {
	return store.TakeTurnsTogether(tx, table.Schema(), ids...)
}

// AddAmounts adds numbers to the stock of products, by product id, in the transaction of
// an order; negative numbers subtract. The stock may become negative: the order decides
// whether it may. Deleted products, and products that track stock by combinations, are
// skipped. A product with the number 0 is read, and not changed.
func (p *Products) AddAmounts(ctx context.Context, tx store.Tx, amounts map[int64]int64) error {
	if len(amounts) == 0 {
		return nil
	}
	counted, now := p.uses(optionsPart), p.api.Now(ctx).Unix()
	return table.Alter(tx, func(row []store.Value) {
		id := row[0].Int()
		if amounts[id] == 0 || row[trackingColumn].Text() == TrackByOptions && counted {
			return
		}
		row[amountColumn] = store.Int(row[amountColumn].Int() + amounts[id])
		row[updatedColumn] = store.Int(now)
		p.api.Report(ctx, shopapi.Change{
			Entity: "products", ID: shopapi.FormatID(id), Operation: shopapi.OpUpdate, Fields: []string{"amount"},
			Owner: &shopapi.Ownership{CompanyID: row[companyColumn].Int()},
		})
	}, store.InInts("product_id", slices.Sorted(maps.Keys(amounts))...))
}

// The columns that orders read and change.
var (
	amountColumn, updatedColumn   = table.Field("amount"), table.Field("updated_timestamp")
	trackingColumn, companyColumn = table.Field("tracking"), table.Field("company_id")
)

// CountStock sets the amount of a product whose tracking is O to the sum that count
// returns, in the transaction that changes the combinations. It does nothing for other
// products, and if the product does not exist.
func (p *Products) CountStock(ctx context.Context, tx store.Tx, id int64, count func(tx store.Tx, product int64) (int64, error)) error {
	known, err := ByID(tx, id)
	if s, ok := known[id]; err != nil || !ok || s.Tracking != TrackByOptions {
		return err
	}
	product, err := table.Get(tx, id)
	if err != nil {
		return err
	}
	before := product.Amount
	if product.Amount, err = count(tx, id); err != nil || product.Amount == before {
		return err
	}
	p.api.Changed(ctx, "products", shopapi.OpUpdate, shopapi.FormatID(id), "amount")
	resource.SetStamp(ctx, p.api, &product)
	return table.Update(tx, &product)
}

// Backorder is the out_of_stock_actions of products that can be ordered beyond their
// stock.
const Backorder = "B"

// checkStock reports a negative amount that is not allowed. An amount that is the sum of
// combinations was written to these, and is checked there.
func (p *Products) checkStock(ctx context.Context, before, after *Product, problems *shopapi.Problems) error {
	counted := after.Tracking == TrackByOptions && p.uses(optionsPart)
	if after.Amount == before.Amount || counted || problems.Has("amount") {
		return nil
	}
	return CheckAmount(ctx, p.api, after.CompanyID, after.OutOfStockActions, after.Amount, problems)
}

// CheckAmount reports a negative amount of a product, or of a combination of its options.
// The setting allow_negative_amount allows it (decisions §18), and so do the
// out_of_stock_actions of the product (§26).
func CheckAmount(ctx context.Context, api *shopapi.API, company int64, outOfStockActions string, amount int64, problems *shopapi.Problems) error {
	if amount >= 0 || outOfStockActions == Backorder {
		return nil
	}
	if api.Edition() != shopapi.MultiStorefront {
		company = 0
	}
	allowed, _, err := api.SettingOf(ctx, company, shopapi.SettingAllowNegativeAmount)
	if err == nil && allowed != "Y" {
		problems.Add("amount", "must not be negative, not %d, unless the setting allow_negative_amount is Y or out_of_stock_actions is B", amount)
	}
	return err
}
