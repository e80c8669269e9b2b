// Package ordermodel computes the amounts of orders a second time, in exact fractions,
// for tests that compare them with the answers of a shop.
//
// It follows decisions §18, §20 and §26 and shares no code with the packages that it
// checks: it imports the standard library alone. An [Order] holds the content of an
// order and the rules that it keeps; [Order.Compute] derives every amount from them.
// [Shop.Place] and [Order.Put] change orders as POST and PUT do, and return the errors
// that a shop answers with 400.
package ordermodel
