package ordermodel

import (
	"errors"
	"maps"
	"math/big"
	"slices"
)

// Other errors that a shop answers with 400.
var (
	ErrMethod   = errors.New("a method is disabled or unknown")
	ErrPrice    = errors.New("two entries of a line have different prices")
	ErrTotal    = errors.New("the total is negative")
	ErrCurrency = errors.New("the shop has another currency now")
	ErrOptions  = errors.New("several lines have the product")
)

// An Entry is a line as POST and PUT send it.
type Entry struct {
	Item      int64 // of a line of the order; 0 where a product is sent
	Product   int64
	Selection Selection // nil is left out
	Amount    int64     // 0 is left out: of a line that is kept
	Price     *big.Rat  // nil is left out, as of Discount
	Discount  *big.Rat
}

// A Placing is the content of a POST.
type Placing struct {
	Entries  []Entry
	Payment  int64
	Shipping map[int64]int64 // by company
	Discount *big.Rat        // subtotal_discount; nil is 0
	Billing  Address
	To       Address
	Exempt   bool
	// Written amounts, for an order of the past.
	ShippingCost, Surcharge, Total *big.Rat
}

// Place returns the orders that a POST makes: one of each company, by company id.
func (s *Shop) Place(p Placing) ([]*Order, error) {
	payment, ok := s.Payments[p.Payment]
	if !ok || payment.Disabled {
		return nil, ErrMethod
	}
	of := map[int64]*Order{}
	for _, e := range p.Entries {
		company := s.Products[e.Product].Company
		o := of[company]
		if o == nil {
			shipping, ok := s.Shippings[p.Shipping[company]]
			if !ok || shipping.Disabled {
				return nil, ErrMethod
			}
			o = &Order{
				Company: company, Currency: s.Currency, Discount: new(big.Rat), Payment: *payment, Shipping: *shipping,
				Billing: p.Billing, To: p.To, Exempt: p.Exempt, Destinations: s.destinations(p.To), RoundByOrder: s.RoundByOrder,
				ShippingCost: p.ShippingCost, Surcharge: p.Surcharge,
			}
			of[company] = o
		}
		if err := o.enter(s, e); err != nil {
			return nil, err
		}
	}
	var all []*Order
	for _, company := range slices.Sorted(maps.Keys(of)) {
		all = append(all, of[company])
	}
	if err := cutOver(all, p.Discount); err != nil {
		return nil, err
	}
	for _, o := range all {
		o.keepTaxes(s)
	}
	if p.Total != nil {
		all[0].Total = p.Total
	}
	return all, nil
}

// cutOver cuts a discount, and the place of the surcharge, over the orders of companies.
func cutOver(all []*Order, discount *big.Rat) error {
	if discount == nil {
		discount = new(big.Rat)
	}
	if len(all) == 1 {
		all[0].Discount = discount
		return nil
	}
	var weights []*big.Rat
	for _, o := range all {
		subtotal := new(big.Rat)
		for _, l := range o.Lines {
			subtotal = add(subtotal, l.subtotal())
		}
		weights = append(weights, subtotal)
	}
	if discount.Sign() < 0 || discount.Cmp(sum(weights...)) > 0 {
		return ErrDiscount
	}
	for i, f := range fractions(weights) {
		all[i].Discount, all[i].Part = f.of(discount), &f
	}
	return nil
}

// enter adds an entry of a POST: the same product with the same options is one line.
func (o *Order) enter(s *Shop, e Entry) error {
	for i := range o.Lines {
		l := &o.Lines[i]
		if l.Product == e.Product && maps.Equal(l.Selection, e.Selection) {
			l.Amount += e.Amount
			return nil
		}
	}
	o.Lines = append(o.Lines, s.newLine(e))
	return nil
}

func (s *Shop) newLine(e Entry) Line {
	p := s.Products[e.Product]
	l := Line{
		Item: s.Item(p.ID, e.Selection), Product: p.ID, Selection: e.Selection, Price: p.UnitPrice(e.Selection), Amount: e.Amount, Discount: new(big.Rat),
		TaxIDs: p.TaxIDs, Weight: p.unitWeight(e.Selection), Freight: p.Freight, Ships: !p.FreeShipping && !p.Download,
	}
	if e.Price != nil {
		l.Price = e.Price
	}
	if e.Discount != nil {
		l.Discount = e.Discount
	}
	return l
}
