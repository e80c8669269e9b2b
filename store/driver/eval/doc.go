// Package eval evaluates the conditions and orders of a [store.Query] over rows
// held in Go. It serves authors of stores: one that holds its rows in Go, and
// one that caches counts and ranks and updates them with each commit.
//
// [store.Match] defines what conditions mean; package eval gives the same results
// from prepared conditions, in which columns are positions, values are folded and
// lists are sets, so that many rows can be tested.
package eval
