package ordermodel

import (
	"math/big"
)

// A Tax is the table of a tax.
type Tax struct {
	ID       int64
	Name     string
	Included bool // price_includes_tax
	Billing  bool // address_type B
	Disabled bool // status D
	Priority int64
	Rates    []Rate
}

// A Rate is a rate of a tax; empty fields fit every address.
type Rate struct {
	Country, State, Zipcode string
	Fixed                   bool // rate_type F, else P
	Value                   *big.Rat
	Shipping                bool // apply_to S, else P
}

// rateFor returns the rate for an address. Of the rates that fit, a rate with a zipcode
// comes before a rate without, then a rate with a state, then a rate with a country, then
// the first (decisions §26).
func (t *Tax) rateFor(a Address, shipping bool) (best *Rate) {
	fits := func(want, is string) bool { return want == "" || want == is }
	rank := func(r *Rate) (n int) {
		for _, field := range []string{r.Zipcode, r.State, r.Country} {
			n *= 2
			if field != "" {
				n++
			}
		}
		return n
	}
	for i := range t.Rates {
		r := &t.Rates[i]
		if r.Shipping != shipping || !fits(r.Country, a.Country) || !fits(r.State, a.State) || !fits(r.Zipcode, a.Zipcode) {
			continue
		}
		if best == nil || rank(r) > rank(best) {
			best = r
		}
	}
	return best
}

// A Payment is the table of a payment method.
type Payment struct {
	ID       int64
	Disabled bool
	Amount   *big.Rat // a_surcharge
	Percent  *big.Rat // p_surcharge
	TaxIDs   []int64
}

// A Shipping is the table of a shipping method.
type Shipping struct {
	ID                   int64
	Disabled             bool
	MinWeight, MaxWeight *big.Rat // a MaxWeight of 0 limits nothing
	TaxIDs               []int64
	Rates                map[int64]Table // by destination
}

// A Table says what shipping to a destination costs, by steps of the cost, the weight
// and the number of items.
type Table struct{ Cost, Weight, Items []Step }

// A Step counts from its threshold up to the next.
type Step struct {
	From, Value      *big.Rat
	Percent, PerUnit bool
}

// destination returns the first of the destinations that the method has rates for.
func (s *Shipping) destination(all []int64) (Table, bool) {
	for _, d := range all {
		if t, ok := s.Rates[d]; ok {
			return t, true
		}
	}
	return Table{}, false
}

// charge is what a list of steps adds for a number of units, where the goods cost cost.
func charge(steps []Step, units, cost *big.Rat) *big.Rat {
	var highest *Step
	for i := range steps {
		s := &steps[i]
		if s.From.Cmp(units) <= 0 && (highest == nil || s.From.Cmp(highest.From) > 0) {
			highest = s
		}
	}
	if highest == nil {
		return new(big.Rat)
	}
	value := highest.Value
	if highest.Percent {
		value = percent(value, cost)
	}
	if highest.PerUnit {
		value = mul(value, units)
	}
	return cents(value)
}

// A Product is what a line takes from a product.
type Product struct {
	ID, Company  int64
	Price        *big.Rat
	Weight       *big.Rat
	Freight      *big.Rat // shipping_freight
	FreeShipping bool
	Download     bool // is_edp Y, edp_shipping N
	TaxIDs       []int64
	Options      []Option
}

// An Option is an option of a product, with its variants.
type Option struct {
	ID       int64
	Variants []Variant
}

// A Variant changes the price and the weight.
type Variant struct {
	ID                       int64
	Modifier, WeightModifier *big.Rat
	Percent, WeightPercent   bool
}

// Selection maps options to variants.
type Selection map[int64]int64

func (p *Product) variants(s Selection) (all []Variant) {
	for _, o := range p.Options {
		for _, v := range o.Variants {
			if s[o.ID] == v.ID {
				all = append(all, v)
			}
		}
	}
	return all
}

// UnitPrice is the price with the modifiers of the selection, at least 0 (§18).
func (p *Product) UnitPrice(s Selection) *big.Rat {
	price := p.Price
	for _, v := range p.variants(s) {
		price = add(price, modifier(v.Modifier, v.Percent, p.Price))
	}
	return cents(positive(price))
}

func (p *Product) unitWeight(s Selection) *big.Rat {
	weight := p.Weight
	for _, v := range p.variants(s) {
		weight = add(weight, modifier(v.WeightModifier, v.WeightPercent, p.Weight))
	}
	return round(positive(weight), 3)
}

func modifier(value *big.Rat, isPercent bool, of *big.Rat) *big.Rat {
	if isPercent {
		return percent(value, of)
	}
	return value
}

func positive(a *big.Rat) *big.Rat {
	if a.Sign() < 0 {
		return new(big.Rat)
	}
	return a
}

// An Address has the fields that amounts follow from.
type Address struct{ Country, State, Zipcode string }

// A Shop has today's rules.
type Shop struct {
	Products     map[int64]*Product
	Taxes        map[int64]*Tax
	Payments     map[int64]*Payment
	Shippings    map[int64]*Shipping
	RoundByOrder bool // the setting tax_rounding is order
	Currency     string
	Destinations func(Address) []int64 // nil is 1 for all addresses

	// Item returns the item id that the shop gives a selection of a product.
	Item func(product int64, s Selection) int64
}

func (s *Shop) destinations(a Address) []int64 {
	if s.Destinations == nil {
		return []int64{1}
	}
	return s.Destinations(a)
}
