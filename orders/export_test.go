package orders

import (
	"context"
	"errors"

	"github.com/shopapi/shopapi/resource"
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
	return Rewrite(ctx, st, id, func(order *Order) {
		order.Rules, order.ShippingCostSet, order.PaymentSurchargeSet = Rules{}, false, false
	})
}

// CountHistory counts the entries of the history of all orders.
func CountHistory(ctx context.Context, st store.Store) (n int64, err error) {
	err = st.View(ctx, func(_ context.Context, tx store.Tx) error {
		n, err = history.Count(tx)
		return err
	})
	return n, err
}

// Rewrite changes the row of an order without any rule.
func Rewrite(ctx context.Context, st store.Store, id int64, change func(*Order)) error {
	return st.Update(ctx, func(_ context.Context, tx store.Tx) error {
		order, err := table.Get(tx, id)
		if err != nil {
			return err
		}
		change(&order)
		return table.Update(tx, &order)
	})
}

// MakeOlderShipments empties the consumed pieces of all shipments: older versions did not
// store them.
func MakeOlderShipments(ctx context.Context, st store.Store) error {
	return st.Update(ctx, func(_ context.Context, tx store.Tx) error {
		return shipments.Alter(tx, func(row []store.Value) { row[shipments.Field("consumed")] = store.String("") })
	})
}

// Convert runs a conversion of the rows of older versions.
func (o *Orders) Convert(ctx context.Context, name string) error {
	for _, c := range o.conversions() {
		if c.Name == name {
			return o.st.Update(ctx, c.Convert)
		}
	}
	return errors.New("there is no conversion " + name)
}

// SalesRows counts the rows that sales are added up from.
func SalesRows(ctx context.Context, st store.Store) (n int64, err error) {
	err = st.View(ctx, func(_ context.Context, tx store.Tx) error {
		n, err = sales.Count(tx)
		return err
	})
	return n, err
}

// SellBeside changes the sales of a product as older versions do, which add a row, and merge the rows of
// the product now and then.
func SellBeside(ctx context.Context, st store.Store, product, pieces int64, merges bool) error {
	return st.Update(ctx, func(_ context.Context, tx store.Tx) error {
		if err := sales.Append(tx, sale{ProductID: product, Pieces: pieces}); err != nil || !merges {
			return err
		}
		return mergeSales(tx, product)
	})
}

// CountNotInvoiced counts the orders without an invoice.
func CountNotInvoiced(ctx context.Context, st store.Store) (n int64, err error) {
	err = st.View(ctx, func(_ context.Context, tx store.Tx) error {
		n, err = table.Count(tx, store.Equal("invoice_date", store.Null))
		return err
	})
	return n, err
}

// TableContents returns the contents of the tables that orders keep.
func TableContents(ctx context.Context, st store.Store) (list []string, err error) {
	err = st.View(ctx, func(_ context.Context, tx store.Tx) error {
		return keptTables.Each(tx, store.Query{}, func(t *KeptTable) error {
			list = append(list, t.Content)
			return nil
		})
	})
	return list, err
}

// RewriteStatus changes the row of a status without any rule.
func RewriteStatus(ctx context.Context, st store.Store, id int64, change func(*Status)) error {
	return st.Update(ctx, func(_ context.Context, tx store.Tx) error {
		status, err := statuses.Get(tx, id)
		if err != nil {
			return err
		}
		change(&status)
		return statuses.Update(tx, &status)
	})
}

// Found returns the ids of the orders for which one of the conditions holds, as a search finds
// them that reads few orders by their ids.
func Found(ctx context.Context, st store.Store, few int, conds ...store.Cond) (ids []int64, err error) {
	err = st.View(ctx, func(ctx context.Context, tx store.Tx) error {
		found, err := table.Select(tx, store.Query{
			Where: []store.Cond{searched(&resource.Where{Context: ctx, Tx: tx}, conds, few)}, Order: []store.Order{store.Asc("order_id")},
		})
		for i := range found {
			ids = append(ids, found[i].OrderID)
		}
		return err
	})
	return ids, err
}
