package pricing

import (
	"errors"
	"math/big"

	"github.com/govalues/decimal"
)

// ErrTooLarge says that an amount has more digits than can be stored.
var ErrTooLarge = errors.New("pricing: an amount is too large")

// Max is the greatest amount, in the shop's currency.
var Max = decimal.MustParse("9999999999.99")

var (
	half     = decimal.MustParse("0.005")
	halfGram = decimal.MustParse("0.0005")
)

// Round rounds to two places, half away from zero.
func Round(d decimal.Decimal) decimal.Decimal {
	if d.Scale() <= 2 {
		return d.Pad(2)
	}
	moved, err := d.Add(half.CopySign(d))
	if err != nil { // within 0.005 of the greatest decimal there are no places left
		return d.Trunc(2)
	}
	return moved.Trunc(2).Pad(2)
}

// roundWeight rounds to three places, half away from zero.
func roundWeight(d decimal.Decimal) decimal.Decimal {
	if d.Scale() <= 3 {
		return d.Pad(3)
	}
	moved, err := d.Add(halfGram.CopySign(d))
	if err != nil {
		return d.Trunc(3)
	}
	return moved.Trunc(3).Pad(3)
}

// A sum computes with decimals; its first error stays.
type sum struct{ err error }

// result returns a result, or 0 when there is none.
func (s *sum) result(d decimal.Decimal, err error) decimal.Decimal {
	if err != nil && s.err == nil {
		s.err = ErrTooLarge
	}
	return d
}

func (s *sum) add(d decimal.Decimal, more ...decimal.Decimal) decimal.Decimal {
	for _, m := range more {
		d = s.result(d.Add(m))
	}
	return d
}

func (s *sum) sub(d, e decimal.Decimal) decimal.Decimal { return s.result(d.Sub(e)) }

func (s *sum) mul(d, e decimal.Decimal) decimal.Decimal { return s.result(d.Mul(e)) }

func (s *sum) quo(d, e decimal.Decimal) decimal.Decimal { return s.result(d.Quo(e)) }

func (s *sum) times(d decimal.Decimal, n int64) decimal.Decimal {
	return s.mul(d, decimal.MustNew(n, 0))
}

// percent is p percent of d, not rounded.
func (s *sum) percent(d, p decimal.Decimal) decimal.Decimal {
	return s.quo(s.mul(d, p), decimal.Hundred)
}

// bounded notes an amount that is out of bounds.
func (s *sum) bounded(d decimal.Decimal) decimal.Decimal {
	if d.CmpAbs(Max) > 0 && s.err == nil {
		s.err = ErrTooLarge
	}
	return d
}

// share is d × part / whole, rounded, where d has two places and whole is not less
// than part. The product may have more digits than a decimal has.
func share(d, part, whole decimal.Decimal) decimal.Decimal {
	units := func(d decimal.Decimal) *big.Int { return new(big.Int).SetUint64(d.Rescale(2).Coef()) }
	product := new(big.Int).Mul(units(d), units(part))
	divisor := units(whole)
	// Half of the divisor is added, so that the quotient is rounded half up.
	product.Add(product.Lsh(product, 1), divisor)
	product.Quo(product, divisor.Lsh(divisor, 1))
	return decimal.MustNew(product.Int64(), 2)
}
