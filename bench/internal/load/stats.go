package load

import "slices"

// A Spread is a median with the largest deviation.
type Spread struct {
	Median float64 `json:"median"`
	Min    float64 `json:"min"`
	Max    float64 `json:"max"`
}

// SpreadOf returns the spread of values, zero for none. The median of an even
// number of values is the mean of the middle two.
func SpreadOf(values []float64) Spread {
	if len(values) == 0 {
		return Spread{}
	}
	v := slices.Sorted(slices.Values(values))
	middle := len(v) / 2
	median := v[middle]
	if len(v)%2 == 0 {
		median = (v[middle-1] + v[middle]) / 2
	}
	return Spread{median, v[0], v[len(v)-1]}
}

// Ratios divides the rounds of one peer by the rounds of another, round by round, so
// that a disturbance of the machine affects both. It leaves out rounds that only one of
// them has, and rounds in which the other has no requests.
func Ratios(of, by []float64) Spread {
	var ratios []float64
	for i := range min(len(of), len(by)) {
		if by[i] > 0 {
			ratios = append(ratios, of[i]/by[i])
		}
	}
	return SpreadOf(ratios)
}
