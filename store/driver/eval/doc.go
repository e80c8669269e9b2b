// Package eval evaluates the conditions and orders of a [store.Query] over rows in
// memory. It is for authors of stores that have their rows in memory, or that cache
// counts and ranks and update them with each commit.
//
// [store.Match] defines what conditions mean; package eval gives the same results
// from prepared conditions, in which columns are positions, values are folded and
// lists are sets, so that many rows can be tested.
package eval
