package ordermodel

import (
	"maps"
	"math/big"
	"slices"
)

// An Order is the content of an order, the rules that it keeps, and the amounts that
// were written into it.
type Order struct {
	ID       string
	Company  int64
	Currency string

	Lines    []Line
	Discount *big.Rat // subtotal_discount
	Payment  Payment
	Shipping Shipping
	Billing  Address
	To       Address // where it is shipped
	Exempt   bool

	Taxes        map[int64]Tax // by id; a tax stays when nothing names it any more
	Destinations []int64       // of the shipping address, when it was written
	RoundByOrder bool
	Part         *Fraction // the part of a_surcharge, in an order split by vendors; else nil

	ShippingCost *big.Rat // written; nil where it is computed
	Surcharge    *big.Rat
	Total        *big.Rat
	Stands       *Amounts // what recalculate=N kept; nil where all is computed
}

// A Line is a line with the rules that it keeps.
type Line struct {
	Item      int64 // the item id, that the shop gave
	Product   int64
	Selection Selection
	Price     *big.Rat
	Amount    int64
	Discount  *big.Rat
	TaxIDs    []int64
	Weight    *big.Rat // of a piece
	Freight   *big.Rat
	Ships     bool // whether it counts for shipping
}

func (l *Line) subtotal() *big.Rat { return sub(mul(l.Price, Int(l.Amount)), l.Discount) }

func (o *Order) clone() *Order {
	c := *o
	c.Lines = slices.Clone(o.Lines)
	c.Taxes = maps.Clone(o.Taxes)
	return &c
}

// keepTaxes takes today's tables of the taxes that are new to the order.
func (o *Order) keepTaxes(today *Shop) {
	if o.Taxes == nil {
		o.Taxes = map[int64]Tax{}
	}
	named := slices.Concat(o.Payment.TaxIDs, o.Shipping.TaxIDs)
	for _, l := range o.Lines {
		named = append(named, l.TaxIDs...)
	}
	for _, id := range named {
		if _, kept := o.Taxes[id]; kept {
			continue
		}
		if t, ok := today.Taxes[id]; ok {
			o.Taxes[id] = *t
		}
	}
}
