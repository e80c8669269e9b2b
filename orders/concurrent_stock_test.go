package orders_test

import (
	"math/big"
	"slices"
	"strconv"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/orders"
)

// A source is where an order holds pieces of: a product, or a combination of one.
type source struct{ product, combination int64 }

// combinations returns the combinations of product 3.
func (w *world) combinations() (list []shownCombination) {
	w.t.Helper()
	w.Get("/api/2.0/combinations?product_id=3").Decode(&list)
	return list
}

type shownCombination struct {
	Hash   int64 `json:"combination_hash,string"`
	Amount int64 `json:",string"`
}

// inStock returns the stock of each source, without the pieces that orders hold.
func (w *driftWorld) inStock() map[source]int64 {
	w.t.Helper()
	amount := func(product int64) int64 {
		n, err := strconv.ParseInt(w.Get("/api/2.0/products/"+shopapi.FormatID(product)).Field("amount"), 10, 64)
		if err != nil {
			w.t.Fatal(err)
		}
		return n
	}
	stock := map[source]int64{}
	for _, product := range []int64{1, 2, 5} {
		stock[source{product: product}] = amount(product)
	}
	sum := int64(0)
	for _, c := range w.combinations() {
		stock[source{3, c.Hash}] = c.Amount
		sum += c.Amount
	}
	if n := amount(3); n != sum {
		w.t.Errorf("there are %d of product 3, and %d of its combinations", n, sum)
	}
	return stock
}

// check compares the shop with the successful requests.
func (w *driftWorld) check() {
	w.t.Helper()
	w.done.check(w.t)
	all := w.orders()
	w.checkIDs(all)
	stock := w.inStock()
	for s, n := range stock {
		if n < 0 {
			w.t.Errorf("there are %d of %v", n, s)
		}
	}
	shipped, consumed := w.shipped(all)
	for id, o := range all {
		if o.IsParent {
			w.checkParent(o, all)
			continue
		}
		if _, ok := all[o.ParentOrderID]; o.ParentOrderID != 0 && !ok {
			w.t.Errorf("order %d is a part of %d, which is gone", id, o.ParentOrderID)
		}
		for i := range o.Lines {
			l := &o.Lines[i]
			w.checkHeld(o, l, shipped[id][l.ItemID])
			stock[sourceOf(l)] += l.Reserved
			if n := shipped[id][l.ItemID]; n != o.Shipped[l.ItemID] || n > l.Amount {
				w.t.Errorf("of the %d pieces of the line %d of order %d, %d are shipped and %d shown so", l.Amount, l.ItemID, id, n, o.Shipped[l.ItemID])
			}
		}
		w.checkAmounts(o)
	}
	delete(stock, source{product: 4}) // not tracked
	for s, n := range w.stocked {
		stock[s] += consumed[s]
		// shipped pieces of deleted orders do not return
		if stock[s] > n || stock[s] < n && len(w.done.Deleted) == 0 {
			w.t.Errorf("there are %d of %v with what orders hold, and were %d", stock[s], s, n)
		}
	}
}

// orders are all orders, as they are stored.
func (w *driftWorld) orders() map[int64]*orders.Order {
	w.t.Helper()
	all := map[int64]*orders.Order{}
	for s, err := range w.Orders.All(w.t.Context(), orders.Filter{IncludeParents: true}) {
		if err != nil {
			w.t.Fatal(err)
		}
		all[s.OrderID] = nil
	}
	for id := range all {
		o, err := w.Orders.Get(w.t.Context(), id)
		if err != nil {
			w.t.Fatal(err)
		}
		all[id] = &o
	}
	return all
}

// checkIDs: exactly the orders that were placed and not deleted exist, and their parts. A
// parent is deleted with the last of its parts.
func (w *driftWorld) checkIDs(all map[int64]*orders.Order) {
	w.t.Helper()
	there := map[string]bool{}
	for id, o := range all {
		there[shopapi.FormatID(id)] = true
		if _, placed := w.done.Placed[shopapi.FormatID(id)]; !placed && o.ParentOrderID == 0 {
			w.t.Errorf("order %d was not placed", id)
		}
	}
	for id, split := range w.done.Placed {
		if !there[id] && !w.done.Deleted[id] && !split {
			w.t.Errorf("order %s was placed, and is gone", id)
		}
	}
	for id := range w.done.Deleted {
		if there[id] {
			w.t.Errorf("order %s was deleted, and is there", id)
		}
	}
}

// shipped returns the pieces in shipments by order and line, and the consumed pieces by
// the stock that they were taken from.
func (w *driftWorld) shipped(all map[int64]*orders.Order) (shipped map[int64]map[int64]int64, consumed map[source]int64) {
	w.t.Helper()
	consumed = map[source]int64{}
	shipped = map[int64]map[int64]int64{}
	for s, err := range w.Orders.Shipments().All(w.t.Context(), orders.ShipmentFilter{}) {
		if err != nil {
			w.t.Fatal(err)
		}
		if all[s.OrderID] == nil {
			w.t.Errorf("shipment %d is of order %d, which is gone", s.ShipmentID, s.OrderID)
			continue
		}
		if shipped[s.OrderID] == nil {
			shipped[s.OrderID] = map[int64]int64{}
		}
		for line, n := range s.Products {
			shipped[s.OrderID][line] += n
		}
		for _, c := range s.Consumed {
			consumed[source{c.ProductID, c.Combination}] += c.Pieces
		}
	}
	return shipped, consumed
}

func sourceOf(l *orders.Line) source {
	if l.FromCombination {
		return source{l.ProductID, l.Combination}
	}
	return source{product: l.ProductID}
}

// checkHeld: in a status that takes stock, a line of a tracked product reserves all its
// unshipped pieces; otherwise it reserves none.
func (w *driftWorld) checkHeld(o *orders.Order, l *orders.Line, shipped int64) {
	w.t.Helper()
	want := l.Amount - shipped
	if !slices.Contains([]string{"P", "C", "O", "B", "Y"}, o.Status) || l.ProductID == 4 {
		want = 0
	}
	if l.Reserved != want || l.FromCombination != (want > 0 && l.ProductID == 3) {
		w.t.Errorf("a line of %d of product %d in an order with status %s holds %d (of a combination: %t)", l.Amount, l.ProductID, o.Status, l.Reserved, l.FromCombination)
	}
}

// checkParent: a parent is the sum of its parts, one of each vendor, and holds nothing.
func (w *driftWorld) checkParent(o *orders.Order, all map[int64]*orders.Order) {
	w.t.Helper()
	var sums struct{ subtotal, shipping, tax, surcharge, total big.Rat }
	lines, companies := 0, map[int64]bool{}
	for _, part := range all {
		if part.ParentOrderID != o.OrderID {
			continue
		}
		lines += len(part.Lines)
		if companies[part.CompanyID] {
			w.t.Errorf("order %d has two parts of the vendor %d", o.OrderID, part.CompanyID)
		}
		companies[part.CompanyID] = true
		for _, l := range part.Lines {
			if l.CompanyID != part.CompanyID {
				w.t.Errorf("order %d of the vendor %d has a line of %d", part.OrderID, part.CompanyID, l.CompanyID)
			}
		}
		plus(&sums.subtotal, part.Subtotal)
		plus(&sums.shipping, part.ShippingCost)
		plus(&sums.tax, part.TaxSubtotal)
		plus(&sums.surcharge, part.PaymentSurcharge)
		plus(&sums.total, part.Total)
	}
	if len(companies) == 0 || len(o.Lines) != lines {
		w.t.Errorf("order %d has parts of %d vendors, and %d of their %d lines", o.OrderID, len(companies), len(o.Lines), lines)
	}
	for i := range o.Lines {
		if l := &o.Lines[i]; l.Reserved != 0 {
			w.t.Errorf("the parent %d holds %d of product %d", o.OrderID, l.Reserved, l.ProductID)
		}
	}
	same(w.t, o, "subtotal", o.Subtotal, &sums.subtotal)
	same(w.t, o, "shipping", o.ShippingCost, &sums.shipping)
	same(w.t, o, "tax", o.TaxSubtotal, &sums.tax)
	same(w.t, o, "surcharge", o.PaymentSurcharge, &sums.surcharge)
	same(w.t, o, "total", o.Total, &sums.total)
}
