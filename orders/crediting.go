package orders

import (
	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi/pricing"
)

// A crediting computes a credit memo: the amounts that it takes of the remainder of an
// invoice. All three ledgers have the same parts.
type crediting struct {
	invoiced, left, memo *ledger
}

// newCrediting begins a credit memo of an invoice of which earlier memos have taken theirs.
func newCrediting(invoice *Document, earlier []Document) *crediting {
	c := &crediting{invoiced: invoice.ledger()}
	c.left = c.invoiced.clone()
	for i := range earlier {
		c.left.subtract(earlier[i].ledger())
	}
	c.memo = c.left.blank()
	return c
}

// shipping and surcharge are the indexes of these parts.
func (c *crediting) shipping() int  { return len(c.left.parts) - 2 }
func (c *crediting) surcharge() int { return len(c.left.parts) - 1 }

// takeAll takes all that is left.
func (c *crediting) takeAll() { c.memo = c.left.clone() }

// takePart takes all that is left of a part.
func (c *crediting) takePart(i int) {
	pieces := c.memo.parts[i].pieces
	c.memo.parts[i] = c.left.clone().parts[i]
	c.memo.parts[i].pieces = pieces
}

// takePieces takes pieces of a line: the proportion of each of its amounts, at most its
// remainder.
func (c *crediting) takePieces(i int, n int64) {
	all := c.invoiced.parts[i].pieces
	c.memo.parts[i].pieces = n
	from := all - c.left.parts[i].pieces
	c.takeShare(i, decimal.MustNew(from, 0), decimal.MustNew(from+n, 0), decimal.MustNew(all, 0), true)
}

// takeShare takes, of each amount of a part, what running sums give to what lies between
// from and to, at most the remainder; without worth only of amounts that follow and of added
// taxes.
func (c *crediting) takeShare(i int, from, to, of decimal.Decimal, worth bool) {
	invoiced, follow := c.invoiced.parts[i].amounts()
	left, followLeft := c.left.parts[i].amounts()
	memo, followMemo := c.memo.parts[i].amounts()
	take := func(k int, invoiced, left, memo []*decimal.Decimal) {
		*memo[k] = atMost(pricing.Part(*invoiced[k], from, to, of), *left[k])
	}
	for k := range invoiced {
		if worth || k > 0 && !c.left.parts[i].taxes[k-1].included {
			take(k, invoiced, left, memo)
		}
	}
	for k := range follow {
		if worth || k > 0 { // the exempted amount is a part of the base, which is cut apart
			take(k, follow, followLeft, followMemo)
		}
	}
}

// takeBase takes an amount of the base of a part, which is at most the remainder. Added
// taxes come in proportion.
func (c *crediting) takeBase(i int, amount decimal.Decimal) {
	left, memo := &c.left.parts[i], &c.memo.parts[i]
	before := minus(c.invoiced.parts[i].base(), left.base())
	if amount.Equal(left.base()) {
		c.takePart(i)
		return
	}
	from, to := []*decimal.Decimal{&left.net, &left.exempted}, []*decimal.Decimal{&memo.net, &memo.exempted}
	for k := range left.taxes {
		if left.taxes[k].included {
			from, to = append(from, &left.taxes[k].amount), append(to, &memo.taxes[k].amount)
		}
	}
	cutInto(amount, from, to)
	c.takeShare(i, before, plus(before, amount), c.invoiced.parts[i].base(), false)
}

// takeAmount takes an amount, which is less than the parts that are left are worth together,
// and cuts it over all of them.
func (c *crediting) takeAmount(amount decimal.Decimal) {
	var from, to []*decimal.Decimal
	for i := range c.left.parts {
		left, _ := c.left.parts[i].amounts()
		memo, _ := c.memo.parts[i].amounts()
		from, to = append(from, left...), append(to, memo...)
	}
	cutInto(amount, from, to)
	for i := range c.left.parts {
		whole := c.left.parts[i].worth()
		if whole.IsZero() {
			continue
		}
		_, left := c.left.parts[i].amounts()
		_, memo := c.memo.parts[i].amounts()
		for k := range left {
			*memo[k] = pricing.Part(*left[k], zero, c.memo.parts[i].worth(), whole)
		}
	}
}

// takeRounding takes the rounding if the memo leaves nothing else.
func (c *crediting) takeRounding() {
	if c.memo.worth().Equal(c.left.worth()) {
		c.memo.rounding = c.left.rounding
	}
}

// cutInto cuts an amount over others, in proportion to them, by running sums. The amount is
// at most their sum, so that each gets at most itself.
func cutInto(amount decimal.Decimal, over, into []*decimal.Decimal) {
	all, upTo := zero, zero
	for _, d := range over {
		all = plus(all, *d)
	}
	if all.IsZero() {
		return
	}
	for i, d := range over {
		next := plus(upTo, *d)
		*into[i] = pricing.Part(amount, upTo, next, all)
		upTo = next
	}
}

// atMost is an amount, or the remainder if that is less. Both have the same sign: the net
// amount of a line may be below 0 ([ledger.hasNegative]).
func atMost(amount, left decimal.Decimal) decimal.Decimal {
	if amount.CmpAbs(left) < 0 {
		return amount
	}
	return left
}
