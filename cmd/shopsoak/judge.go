package main

import "fmt"

// A verdict is the course of the memory, in bytes.
type verdict struct {
	flat bool
	rise int64 // over the last third, by linear regression
	mean int64 // of the last third
	most int64 // of all samples
}

// judge judges memory samples at equal intervals. The memory is flat if it rises over
// the last third by at most a twentieth of its mean there.
func judge(rss []int64) verdict {
	var v verdict
	for _, bytes := range rss {
		v.most = max(v.most, bytes)
	}
	third := rss[len(rss)-len(rss)/3:]
	n := float64(len(third))
	if n < 2 {
		return v
	}
	var sum, moment, spread float64
	for _, bytes := range third {
		sum += float64(bytes)
	}
	for i, bytes := range third {
		x := float64(i) - (n-1)/2
		moment += x * (float64(bytes) - sum/n)
		spread += x * x
	}
	v.mean, v.rise = int64(sum/n), int64(moment/spread*(n-1))
	v.flat = v.mean > 0 && v.rise <= v.mean/20
	return v
}

func (v verdict) String() string {
	const mebibyte = 1 << 20
	word := map[bool]string{true: "flat", false: "not flat"}[v.flat]
	return fmt.Sprintf("memory is %s: %.1f MiB on average over the last third of the time, a rise of %.1f MiB within it, at most %.1f MiB ever",
		word, float64(v.mean)/mebibyte, float64(v.rise)/mebibyte, float64(v.most)/mebibyte)
}
