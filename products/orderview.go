package products

import (
	"context"
	"maps"
	"slices"

	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/store"
)

// An OrderView is the part of a product that orders read. Its fields are fields of a
// [Summary].
type OrderView struct {
	ProductID         int64           `json:"product_id,string" store:"key"`
	Name              string          `json:"product" store:"fold,search,translated"`
	Code              string          `json:"product_code" store:"fold,search"`
	Status            string          `json:"status"`
	CompanyID         int64           `json:"company_id,string"`
	Price             decimal.Decimal `json:"price" store:"scale=2"`
	Amount            int64           `json:"amount,string"`
	Weight            decimal.Decimal `json:"weight" store:"scale=3"`
	ShippingFreight   decimal.Decimal `json:"shipping_freight" store:"scale=2"`
	FreeShipping      shopapi.Flag    `json:"free_shipping"`
	AvailSince        int64           `json:"avail_since,string"`
	TaxIDs            shopapi.IDList  `json:"tax_ids"`
	IsEDP             shopapi.Flag    `json:"is_edp"`
	EDPShipping       shopapi.Flag    `json:"edp_shipping"`
	UnlimitedDownload shopapi.Flag    `json:"unlimited_download"`
	Tracking          string          `json:"tracking"`
	OutOfStockActions string          `json:"out_of_stock_actions"`
	ZeroPriceAction   string          `json:"zero_price_action"`
	ExceptionsType    string          `json:"exceptions_type"`
	MinQty            int64           `json:"min_qty,string"`
	MaxQty            int64           `json:"max_qty,string"`
	QtyStep           int64           `json:"qty_step,string"`
}

// Backorders reports whether the product can be ordered beyond its stock, which then
// becomes negative (decisions §26).
func (o *OrderView) Backorders() bool { return o.OutOfStockActions == Backorder }

var orderViews = store.Project[OrderView](table)

// OrderViewByID reads the order views of products, with texts in the language of ctx. It
// is [Products.ByID] for order views.
func (p *Products) OrderViewByID(ctx context.Context, tx store.Tx, ids ...int64) (map[int64]*OrderView, error) {
	byID, err := OrderViewByID(tx, ids...)
	if err != nil {
		return nil, err
	}
	rows := make([]*OrderView, 0, len(byID))
	for _, id := range slices.Sorted(maps.Keys(byID)) {
		rows = append(rows, byID[id])
	}
	return byID, p.orderViewTexts.Load(ctx, tx, rows...)
}

// OrderViewByID reads the order views of products, with texts in the base language. It is
// [ByID] for order views.
func OrderViewByID(tx store.Tx, ids ...int64) (map[int64]*OrderView, error) {
	// Sorted as AddAmounts asks for them: reading ahead reads them once.
	return store.ByKey(tx, orderViews, slices.Compact(slices.Sorted(slices.Values(ids)))...)
}
