// Package eval answers conditions and orders over rows that Go holds, for the
// stores: one that keeps its rows in Go, and one that follows what each change
// does to totals and pages that it keeps. [store.Match] is the meaning that it
// keeps to; here columns are positions, values are folded and lists are sets, so
// that many rows can be asked.
package eval
