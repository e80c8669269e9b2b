package period

import (
	"math"

	"github.com/shopapi/shopapi/store"
)

// The ends of a [Range] that is open.
const (
	Beginning int64 = math.MinInt64
	Forever   int64 = math.MaxInt64
)

// A Range is a stretch of time in seconds since 1970. Both ends belong to it. It
// is empty when From is after To, as yesterday is where the calendar skipped a day.
type Range struct {
	From int64 // [Beginning] when open
	To   int64 // [Forever] when open
}

// Always is the range of all time.
var Always = Range{From: Beginning, To: Forever}

// Contains reports whether an instant, in seconds since 1970, is in the range.
func (r Range) Contains(second int64) bool { return r.From <= second && second <= r.To }

// Conds are the conditions on a column of seconds since 1970.
func (r Range) Conds(column string) []store.Cond {
	var conds []store.Cond
	if r.From != Beginning {
		conds = append(conds, store.AtLeast(column, store.Int(r.From)))
	}
	if r.To != Forever {
		conds = append(conds, store.AtMost(column, store.Int(r.To)))
	}
	return conds
}
