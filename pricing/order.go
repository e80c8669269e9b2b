package pricing

import (
	"fmt"

	"github.com/govalues/decimal"
)

// An Order has the values that the amounts of an order depend on.
type Order struct {
	Lines            []Line
	SubtotalDiscount decimal.Decimal // from 0 to the subtotal
	Shipping         *Shipping       // nil: nothing is shipped
	Taxes            []Tax           // the taxes that lines and shipping name
	TaxExempt        bool            // no tax is added, and included ones are subtracted
	RoundOrder       bool            // each tax is rounded once for all lines, not for each
	Surcharge        Surcharge
}

// A Line is a number of pieces of one product with the same options.
type Line struct {
	Price     decimal.Decimal // of one piece, without modifiers
	Modifiers []Modifier      // of the price, by the chosen variants
	Amount    int64           // pieces
	Discount  decimal.Decimal // on the whole line
	TaxIDs    []int64

	// Ships says whether the line counts for shipping; the rest matters only then.
	Ships           bool
	Weight          decimal.Decimal // of one piece, without modifiers
	WeightModifiers []Modifier
	Freight         decimal.Decimal // added to the cost of shipping for each piece
}

// A Modifier is what a variant of an option adds to a price or a weight: a value,
// or a percentage of it.
type Modifier struct {
	Value   decimal.Decimal
	Percent bool
}

// A Surcharge is what a payment method costs: a value, and a percentage of goods
// and shipping without the taxes that are subtracted.
type Surcharge struct {
	Value, Percent decimal.Decimal
	TaxIDs         []int64

	// Cost is the surcharge where it was written and is not computed.
	Cost *decimal.Decimal
}

// Amounts are the amounts of an order. All have two places.
type Amounts struct {
	Lines        []LineAmounts
	Subtotal     decimal.Decimal // of the lines, their discounts taken off
	Discount     decimal.Decimal // of the lines, inside Subtotal
	Goods        decimal.Decimal // Subtotal without the discount on the order
	ShippingCost decimal.Decimal
	Taxes        []TaxAmounts    // of the taxes that applied, in the order of Order.Taxes
	TaxSubtotal  decimal.Decimal // of the taxes that prices do not include
	TaxIncluded  decimal.Decimal // of the taxes that prices include
	Exempted     decimal.Decimal // the included taxes that TaxExempt subtracts, on lines, shipping and surcharge

	ShippingExempted, SurchargeExempted decimal.Decimal // parts of Exempted

	Surcharge decimal.Decimal
	Total     decimal.Decimal
}

// LineAmounts are the amounts of one line.
type LineAmounts struct {
	UnitPrice decimal.Decimal
	Subtotal  decimal.Decimal
	Goods     decimal.Decimal // Subtotal without the line's part of the discount on the order
	Tax       decimal.Decimal // all of it, included or not
	Exempted  decimal.Decimal // the included taxes that TaxExempt subtracts
}

// A FieldError is an error of one field of an order.
type FieldError struct {
	Field string // such as "subtotal_discount"
	Line  int    // index of the line, -1 for the order
	Text  string // such as "must be from 0 to 48.50"
}

func (e *FieldError) Error() string { return fmt.Sprintf("pricing: %s %s", e.Field, e.Text) }

// Price computes the amounts of an order. It returns a [*FieldError] for a discount
// that is more than what it is on, [ErrNoRate] for a shipping method that has no
// rate for the address, or [ErrTooLarge].
func Price(o *Order) (Amounts, error) {
	var s sum
	a := Amounts{Lines: make([]LineAmounts, len(o.Lines)), Subtotal: zero, Discount: zero, Exempted: zero, ShippingExempted: zero, SurchargeExempted: zero}
	for i := range o.Lines {
		if err := s.priceLine(&o.Lines[i], &a.Lines[i], i); err != nil {
			return Amounts{}, err
		}
		a.Subtotal = s.add(a.Subtotal, a.Lines[i].Subtotal)
		a.Discount = s.add(a.Discount, Round(o.Lines[i].Discount))
	}
	discount := Round(o.SubtotalDiscount)
	if discount.IsNeg() || discount.Cmp(a.Subtotal) > 0 {
		return Amounts{}, &FieldError{"subtotal_discount", -1, fmt.Sprintf("must be from 0 to the subtotal, %s", a.Subtotal)}
	}
	a.Goods = s.sub(a.Subtotal, discount)
	s.spread(&a, discount)

	var err error
	if a.ShippingCost, err = s.shippingCost(o, &a); err != nil {
		return Amounts{}, err
	}
	onLines, onShipping := s.taxGoods(o, &a)
	a.Surcharge = s.surcharge(o, &a)
	s.setTaxes(o, &a, onLines, onShipping, s.taxSurcharge(o, &a))
	a.Total = s.bounded(s.sub(s.add(a.Goods, a.ShippingCost, a.TaxSubtotal, a.Surcharge), a.Exempted))
	if s.err != nil {
		return Amounts{}, s.err
	}
	return a, nil
}

var zero = decimal.MustParse("0.00")

// UnitPrice returns the price of one piece with the modifiers of its options, at
// least 0. It returns [ErrTooLarge].
func UnitPrice(price decimal.Decimal, modifiers []Modifier) (decimal.Decimal, error) {
	var s sum
	return Round(s.modified(price, modifiers)), s.err
}

// Weight is UnitPrice for a weight, which has three places.
func Weight(weight decimal.Decimal, modifiers []Modifier) (decimal.Decimal, error) {
	var s sum
	return roundWeight(s.modified(weight, modifiers)), s.err
}

// modified is d with the modifiers, each of which looks at d alone.
func (s *sum) modified(d decimal.Decimal, modifiers []Modifier) decimal.Decimal {
	result := d
	for _, m := range modifiers {
		if m.Percent {
			result = s.add(result, s.percent(d, m.Value))
		} else {
			result = s.add(result, m.Value)
		}
	}
	if result.IsNeg() {
		return zero
	}
	return s.bounded(result)
}

func (s *sum) priceLine(l *Line, a *LineAmounts, i int) error {
	a.UnitPrice = Round(s.modified(l.Price, l.Modifiers))
	whole := s.bounded(s.times(a.UnitPrice, l.Amount))
	discount := Round(l.Discount)
	if s.err == nil && (discount.IsNeg() || discount.Cmp(whole) > 0) {
		return &FieldError{"discount", i, fmt.Sprintf("must be from 0 to the price of the line, %s", whole)}
	}
	a.Subtotal, a.Tax, a.Exempted = s.sub(whole, discount), zero, zero
	return nil
}

// surcharge is the surcharge of the payment method.
func (s *sum) surcharge(o *Order, a *Amounts) decimal.Decimal {
	if o.Surcharge.Cost != nil {
		return Round(*o.Surcharge.Cost)
	}
	on := s.sub(s.add(a.Goods, a.ShippingCost), a.Exempted)
	return Round(s.add(o.Surcharge.Value, s.percent(on, o.Surcharge.Percent)))
}

// spread takes the discount on the order off the lines in proportion to their
// subtotals, by running sums. If all subtotals are 0, so is the discount.
func (s *sum) spread(a *Amounts, discount decimal.Decimal) {
	before, upTo := zero, zero // subtotals, and their part of the discount
	for i := range a.Lines {
		l := &a.Lines[i]
		before = s.add(before, l.Subtotal)
		part := zero
		if !a.Subtotal.IsZero() {
			part = share(discount, before, a.Subtotal)
		}
		l.Goods = s.sub(l.Subtotal, s.sub(part, upTo))
		upTo = part
	}
}
