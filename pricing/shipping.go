package pricing

import (
	"errors"
	"slices"

	"github.com/govalues/decimal"
)

// A Shipping is a shipping method for one order.
type Shipping struct {
	Rates        []Rate
	Destinations []int64 // of the address, the one whose rates count first
	TaxIDs       []int64

	// Cost is the shipping cost where it was written and is not computed.
	Cost *decimal.Decimal
}

// A Rate is what a method costs to a destination: by the cost of the goods, by
// their weight, and by the number of pieces, added up.
type Rate struct {
	DestinationID            int64
	ByCost, ByWeight, ByItem []Step
}

// A Step is the cost from a threshold on.
type Step struct {
	From    decimal.Decimal
	Value   decimal.Decimal
	Percent bool // of the cost of the goods
	PerUnit bool // for each unit of cost, weight or pieces
}

// Everywhere is the destination that every address belongs to.
const Everywhere int64 = 1

// ErrNoRate says that a shipping method has rates, but none for the address.
var ErrNoRate = errors.New("pricing: the shipping method has no rate for the address")

// shippingCost is the shipping cost of the lines that are shipped.
func (s *sum) shippingCost(o *Order, a *Amounts) (decimal.Decimal, error) {
	if o.Shipping == nil {
		return zero, nil
	}
	if o.Shipping.Cost != nil {
		return Round(*o.Shipping.Cost), nil
	}
	cost, weight, freight, pieces := zero, zero, zero, int64(0)
	for i := range o.Lines {
		l := &o.Lines[i]
		if !l.Ships {
			continue
		}
		pieces += l.Amount
		cost = s.add(cost, a.Lines[i].Goods)
		weight = s.add(weight, s.times(roundWeight(s.modified(l.Weight, l.WeightModifiers)), l.Amount))
		freight = s.add(freight, s.times(l.Freight, l.Amount))
	}
	if pieces == 0 {
		return zero, nil
	}
	rate, err := rateFor(o.Shipping)
	if err != nil || rate == nil {
		return Round(freight), err
	}
	total := s.add(freight,
		s.step(rate.ByCost, cost, cost),
		s.step(rate.ByWeight, weight, cost),
		s.step(rate.ByItem, decimal.MustNew(pieces, 0), cost))
	return s.bounded(Round(total)), nil
}

// rateFor returns the rate of the first of the address's destinations that has one,
// nil when the method has none at all.
func rateFor(m *Shipping) (*Rate, error) {
	if len(m.Rates) == 0 {
		return nil, nil
	}
	for _, destination := range m.Destinations {
		i := slices.IndexFunc(m.Rates, func(r Rate) bool { return r.DestinationID == destination })
		if i >= 0 {
			return &m.Rates[i], nil
		}
	}
	return nil, ErrNoRate
}

// step is the cost by the highest threshold that is not above units.
func (s *sum) step(steps []Step, units, cost decimal.Decimal) decimal.Decimal {
	var best *Step
	for i := range steps {
		if from := steps[i].From; from.Cmp(units) <= 0 && (best == nil || from.Cmp(best.From) > 0) {
			best = &steps[i]
		}
	}
	if best == nil {
		return zero
	}
	value := best.Value
	if best.Percent {
		value = s.percent(cost, best.Value)
	}
	if best.PerUnit {
		value = s.mul(value, units)
	}
	return Round(value)
}
