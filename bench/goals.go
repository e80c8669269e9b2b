package main

import (
	"github.com/shopapi/shopapi/bench/internal/load"
	"github.com/shopapi/shopapi/bench/internal/peer"
)

// A goal is a bound on the ratio of two measurements of one run, or on one measurement.
type goal struct {
	name    string
	of, by  measurement // without by, the bound is on the measurement itself
	atLeast float64
	atMost  float64 // if it is not 0, the measurements are costs
	values  func(*measured) []float64
}

// A measurement is an operation of a peer.
type measurement struct{ operation, peer string }

// The values of a measurement, a number for each round.
func speeds(m *measured) []float64 { return m.Rounds }

func processorTimes(m *measured) []float64 { return m.cpu }

func times(m *measured) []float64 {
	list := make([]float64, len(m.Rounds))
	for i, perSecond := range m.Rounds {
		list[i] = 1 / perSecond
	}
	return list
}

func kilobytes(m *measured) []float64 {
	list := make([]float64, len(m.written))
	for i, bytes := range m.written {
		list[i] = bytes / 1000
	}
	return list
}

// goals are the promises of the library.
func goals() []goal {
	least := func(name, operation, by string, bound float64) goal {
		return goal{name, measurement{operation, peer.Shop}, measurement{operation, by}, bound, 0, speeds}
	}
	list := []goal{
		least("of the floor", getHot, peer.Floor, 0.80),
		least("of the hand-written handler", getRandom, peer.SQL, 1.6),
		least("of the floor", getRandom, peer.Floor, 0.55),
		least("of the floor", list10, peer.Floor, 0.80),
		least("of the floor", list100, peer.Floor, 0.80),
		least("of the hand-written handler", list10Writing, peer.SQL, 20),
		least("of the hand-written handler", list100Writing, peer.SQL, 20),
		{"cost, of page 1's", measurement{pageMiddle, peer.Shop}, measurement{page1, peer.Shop}, 0, 1.5, times},
		least("of the hand-written handler, grouped", create64, peer.SQLGrouped, 0.85),
		least("of the hand-written handler, grouped", update64, peer.SQLGrouped, 0.85),
		{"cost, of the hand-written handler's", measurement{createAlone, peer.Shop}, measurement{createAlone, peer.SQL}, 0, 1.15, times},
	}
	list = append(list,
		least("of the floor", orders10, peer.Floor, 0.80),
		least("of the floor", orders100, peer.Floor, 0.80),
		least("of the hand-written handler", orders10Writing, peer.SQL, 20),
		least("of the hand-written handler", orders100Writing, peer.SQL, 20),
		least("of the hand-written handler, grouped", place64, peer.SQLGrouped, 0.8),
		goal{"processor time, of the hand-written handler's, grouped", measurement{place64, peer.Shop}, measurement{place64, peer.SQLGrouped}, 0, 1.3, processorTimes},
		goal{"KB written for each", measurement{place64, peer.Shop}, measurement{}, 0, 10, kilobytes},
		goal{"KB written for each", measurement{placeAlone, peer.Shop}, measurement{}, 0, 48, kilobytes})
	over := func(name, operation, by string, bound float64) goal {
		return goal{"PostgreSQL, " + name, measurement{operation, peer.ShopPostgres}, measurement{operation, by}, bound, 0, speeds}
	}
	for _, hot := range []string{getHot, list10, list100, orders10, orders100} {
		list = append(list, over("of the floor", hot, peer.Floor, 0.30))
	}
	list = append(list, over("of hand-written pgx", getHot, peer.PGX, 5))
	for _, hot := range []string{list10, list100, orders10, orders100} {
		list = append(list, over("of hand-written pgx", hot, peer.PGX, 20))
	}
	for _, writing := range []string{list10Writing, list100Writing, orders10Writing, orders100Writing} {
		list = append(list, over("of hand-written pgx", writing, peer.PGX, 10))
	}
	list = append(list, over("of hand-written pgx", place64, peer.PGX, 0.8))
	for _, o := range operations {
		if !o.takesPart(peer.PocketBase) || o.Name == placeAlone {
			continue
		}
		bound := 10.0
		if o.Name == create64 || o.Name == update64 || o.Name == createAlone || o.Name == place64 {
			bound = 5
		}
		list = append(list, least("of PocketBase", o.Name, peer.PocketBase, bound))
	}
	return list
}

// A verdict is a goal with its measured ratio, or with the measurement.
type verdict struct {
	Operation string      `json:"operation"`
	Goal      string      `json:"goal"`
	AtLeast   float64     `json:"at_least,omitempty"`
	AtMost    float64     `json:"at_most,omitempty"`
	Ratio     load.Spread `json:"ratio"`
	Met       bool        `json:"met"`
}

// verdicts compares the measurements with the goals. It leaves out goals without both
// measurements.
func verdicts(results []result) []verdict {
	valuesOf := func(m measurement, values func(*measured) []float64) []float64 {
		for _, r := range results {
			if r.Operation == m.operation && r.Peers[m.peer] != nil {
				return values(r.Peers[m.peer])
			}
		}
		return nil
	}
	var list []verdict
	for _, g := range goals() {
		v := verdict{Operation: g.of.operation, Goal: g.name, AtLeast: g.atLeast, AtMost: g.atMost}
		of, by := valuesOf(g.of, g.values), valuesOf(g.by, g.values)
		switch {
		case len(of) > 0 && g.by == measurement{}:
			v.Ratio = load.SpreadOf(of)
		case len(of) > 0 && len(by) > 0:
			v.Ratio = load.Ratios(of, by)
		default:
			continue
		}
		v.Met = v.Ratio.Median >= g.atLeast && (g.atMost == 0 || v.Ratio.Median <= g.atMost)
		list = append(list, v)
	}
	return list
}
