// Package shippings is the entity shippings: the shipping methods of a shop and what
// they cost (decisions §20). [Register] adds it to an API; the [Shippings] that it
// returns give Go code the same rules. Package
// [github.com/shopapi/shopapi/pricing] computes with the [Rates].
package shippings
