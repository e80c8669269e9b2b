package orders

import (
	"context"
	"maps"
	"slices"

	"github.com/shopapi/shopapi/products"
	"github.com/shopapi/shopapi/store"
)

// A sale is a change of the number of pieces of a product that are in orders whose status has
// inventory D. sales_amount of the product is the sum of its rows (decisions §26). Where Updates run
// concurrently, orders only add rows, so that orders of one product do not wait for each other. Where
// they run one at a time, orders change the row of the product, the key of which is minus its id.
type sale struct {
	SaleID    int64 `json:"sale_id" store:"key"`
	ProductID int64 `json:"product_id" store:"index"`
	Pieces    int64 `json:"pieces"` // below 0 for pieces that are sold no more
}

var sales = store.MustTable[sale]("product_sales")

// mergeEvery is how often, in rows that this process adds, the rows of a product become one: so there
// are never many to add up. As a prime number it meets each line of orders that are alike.
const mergeEvery = 61

// changeOfSales returns how an order that is about to be written changes the sales of products,
// and sets whether its pieces count as sold.
func (o *Orders) changeOfSales(ctx context.Context, tx store.Tx, before, after *Order) (by map[int64]int64, err error) {
	if after.IsParent {
		return nil, nil
	}
	switch placed := after.placed; {
	case placed != nil && placed.Status == after.Status:
		after.Counted = placed.TakesStock()
	case before.OrderID == 0 || after.Status != before.Status || !before.Counted:
		status, err := o.statusOf(ctx, tx, after.Status)
		if err != nil {
			return nil, err
		}
		after.Counted = status.TakesStock()
	}
	by = map[int64]int64{}
	before.addSales(by, -1)
	after.addSales(by, 1)
	return by, nil
}

// addSales adds the pieces of an order to a map by product, if they count as sold.
func (o *Order) addSales(by map[int64]int64, sign int64) {
	if !o.Counted {
		return
	}
	for i := range o.Lines {
		by[o.Lines[i].ProductID] += sign * o.Lines[i].Amount
	}
}

var piecesColumn = sales.Field("pieces")

// addSales adds pieces by product.
func (o *Orders) addSales(tx store.Tx, by map[int64]int64) error {
	rows := salesRows(by)
	if !store.UpdatesConcurrently(tx) {
		return addToSales(tx, rows)
	}
	if err := sales.Append(tx, rows...); err != nil {
		return err
	}
	for _, row := range rows {
		if o.salesAdded.Add(1)%mergeEvery != 0 {
			continue
		}
		if err := mergeSales(tx, row.ProductID); err != nil {
			return err
		}
	}
	return nil
}

// addToSales adds the pieces of rows to the rows of their products.
func addToSales(tx store.Tx, rows []sale) error {
	if len(rows) == 0 {
		return nil
	}
	keys := make([]int64, len(rows))
	for i := range rows {
		rows[i].SaleID = -rows[i].ProductID
		keys[i] = rows[i].SaleID
	}
	err := sales.Alter(tx, func(row []store.Value) {
		i := slices.Index(keys, row[0].Int())
		row[piecesColumn] = store.Int(row[piecesColumn].Int() + rows[i].Pieces)
		keys[i] = 0
	}, store.InInts("sale_id", keys...))
	for i := range rows {
		if err == nil && keys[i] != 0 {
			err = sales.Insert(tx, &rows[i])
		}
	}
	return err
}

func salesRows(by map[int64]int64) (rows []sale) {
	for _, product := range slices.Sorted(maps.Keys(by)) {
		if by[product] != 0 {
			rows = append(rows, sale{ProductID: product, Pieces: by[product]})
		}
	}
	return rows
}

// mergeSales makes the rows of a product one.
func mergeSales(tx store.Tx, product int64) error {
	of := store.Equal("product_id", store.Int(product))
	sum, err := salesOf(tx, product)
	if err != nil {
		return err
	}
	if _, err := sales.Delete(tx, of); err != nil {
		return err
	}
	return sales.Insert(tx, &sale{ProductID: product, Pieces: sum[product]})
}

// salesOf adds up the sales of products.
func salesOf(tx store.Tx, ids ...int64) (map[int64]int64, error) {
	sums := make(map[int64]int64, len(ids))
	err := sales.Each(tx, store.Query{Where: []store.Cond{store.InInts("product_id", ids...)}}, func(s *sale) error {
		sums[s.ProductID] += s.Pieces
		return nil
	})
	return sums, err
}

var (
	_ products.Loader  = part{}
	_ products.Fielder = part{}
)

// ProductFields implements [products.Fielder].
func (part) ProductFields() []string { return []string{"sales_amount"} }

// LoadProducts implements [products.Loader]: products on their own show sales_amount.
func (o part) LoadProducts(_ context.Context, tx store.Tx, r products.Reading, list ...*products.Summary) error {
	if r.Purpose != products.Single {
		return nil
	}
	ids := make([]int64, len(list))
	for i, p := range list {
		ids[i] = p.ProductID
	}
	sums, err := salesOf(tx, ids...)
	for _, p := range list {
		p.SalesAmount = sums[p.ProductID]
	}
	return err
}

// CountSales counts the pieces of all orders anew, for a program that has copied orders
// without their sales.
func CountSales(ctx context.Context, st store.Store) error {
	return st.Update(ctx, countSales)
}

// countSales sets the sales of products from the stored orders. It is the conversion of
// older versions too.
func countSales(_ context.Context, tx store.Tx) error {
	takes := []store.Value{store.String("")} // no status
	err := statuses.Each(tx, store.Query{}, func(s *Status) error {
		if s.TakesStock() {
			takes = append(takes, store.String(s.Status))
		}
		return nil
	})
	if err != nil {
		return err
	}
	sold := []store.Cond{store.In("status", takes...), store.Equal("is_parent_order", store.Bool(false))}
	sums := map[int64]int64{}
	err = orderedProducts.Each(tx, store.Query{Where: sold}, func(v *ordered) error {
		(&Order{Counted: true, Lines: v.Lines}).addSales(sums, 1)
		return nil
	})
	if err != nil {
		return err
	}
	err = sales.Each(tx, store.Query{}, func(s *sale) error {
		sums[s.ProductID] -= s.Pieces
		return nil
	})
	if err != nil {
		return err
	}
	counted := table.Field("counted")
	for is, where := range map[bool]store.Cond{true: store.All(sold...), false: store.Not(store.All(sold...))} {
		set := func(row []store.Value) { row[counted] = store.Bool(is) }
		if err := table.Alter(tx, set, where, store.Equal("counted", store.Bool(!is))); err != nil {
			return err
		}
	}
	return sales.Append(tx, salesRows(sums)...)
}
