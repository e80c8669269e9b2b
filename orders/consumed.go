package orders

import (
	"maps"
	"slices"

	"github.com/shopapi/shopapi/internal/jsonenc"
)

// Consumed are the held pieces that a shipment took from the lines of its order.
type Consumed []Consumption

// A Consumption is a number of pieces that a line held from a product, or from one of
// its combinations, until they were shipped.
type Consumption struct {
	ItemID      int64 `json:"item_id"`
	ProductID   int64 `json:"product_id"`
	Combination int64 `json:"combination,omitempty"` // 0: from the product
	Pieces      int64 `json:"pieces"`
}

// MarshalText returns the stored form.
func (c Consumed) MarshalText() ([]byte, error) {
	if len(c) == 0 {
		return nil, nil
	}
	return jsonenc.Append(nil, []Consumption(c))
}

// UnmarshalText reads the stored form.
func (c *Consumed) UnmarshalText(text []byte) error { return readDocument(text, (*[]Consumption)(c)) }

// consume makes a shipment take reserved pieces of the order if it has more pieces than
// before, and return consumed pieces if it has fewer: the lines reserve them again if the
// status of the order takes stock, else they return to the stock.
func (o *Order) consume(plan *stockPlan, before *Shipment, now Quantities, takesStock bool) Consumed {
	var consumed Consumed
	all := maps.Clone(before.Products)
	if all == nil {
		all = Quantities{}
	}
	maps.Copy(all, now)
	lines := o.Lines.byItem()
	for _, id := range slices.Sorted(maps.Keys(all)) {
		l := lines[id]
		kept := now[id]
		for _, c := range before.Consumed {
			if c.ItemID != id {
				continue
			}
			if n := min(c.Pieces, kept); n < c.Pieces {
				l.giveBack(plan, source{c.ProductID, c.Combination}, c.Pieces-n, takesStock)
				c.Pieces = n
			}
			if kept -= c.Pieces; c.Pieces > 0 {
				consumed = append(consumed, c)
			}
		}
		if more := now[id] - before.Products[id]; more > 0 && l != nil && l.Reserved > 0 {
			consumed = consumed.add(l.ship(more))
		}
	}
	return consumed
}

// add adds pieces to the pieces of the same line and source.
func (c Consumed) add(more Consumption) Consumed {
	for i := range c {
		if has := &c[i]; has.ItemID == more.ItemID && has.ProductID == more.ProductID && has.Combination == more.Combination {
			has.Pieces += more.Pieces
			return c
		}
	}
	return append(c, more)
}

// ship consumes up to n of the pieces that the line holds.
func (l *Line) ship(n int64) Consumption {
	s := l.source()
	n = min(n, l.Reserved)
	l.Reserved -= n
	l.FromCombination = l.FromCombination && l.Reserved > 0
	return Consumption{ItemID: l.ItemID, ProductID: s.product, Combination: s.combination, Pieces: n}
}

// giveBack returns n pieces of a source to the line, if that holds pieces of no other
// source and holds pieces at all, else to the stock.
func (l *Line) giveBack(plan *stockPlan, s source, n int64, holds bool) {
	if !holds || l == nil || l.Reserved > 0 && l.source() != s || s.combination != 0 && s.combination != l.Combination {
		plan.add(s, n, "")
		return
	}
	l.Reserved += n
	l.FromCombination = s.combination != 0
}
