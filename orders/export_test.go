package orders

import (
	"context"

	"github.com/shopapi/shopapi/store"
)

// CountTables counts the tables that orders keep.
func CountTables(ctx context.Context, st store.Store) (n int64, err error) {
	err = st.View(ctx, func(_ context.Context, tx store.Tx) error {
		n, err = keptTables.Count(tx)
		return err
	})
	return n, err
}

// MakeOlder makes an order one of an older version, which keeps no tables.
func MakeOlder(ctx context.Context, st store.Store, id int64) error {
	return st.Update(ctx, func(_ context.Context, tx store.Tx) error {
		order, err := table.Get(tx, id)
		if err != nil {
			return err
		}
		order.Rules, order.ShippingCostSet, order.PaymentSurchargeSet = Rules{}, false, false
		return table.Update(tx, &order)
	})
}

// SalesRows counts the rows that sales are added up from.
func SalesRows(ctx context.Context, st store.Store) (n int64, err error) {
	err = st.View(ctx, func(_ context.Context, tx store.Tx) error {
		n, err = sales.Count(tx)
		return err
	})
	return n, err
}

// CountNotInvoiced counts the orders without an invoice.
func CountNotInvoiced(ctx context.Context, st store.Store) (n int64, err error) {
	err = st.View(ctx, func(_ context.Context, tx store.Tx) error {
		n, err = table.Count(tx, store.Equal("invoice_date", store.Null))
		return err
	})
	return n, err
}
