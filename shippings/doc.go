// Package shippings is the entity shippings: the shipping methods of a shop and their
// rates (decisions §20). The parcels of an order are in package orders.
//
// [Register] adds the entity to an API; the [Shippings] that it returns give Go code the
// same rules. Package [github.com/shopapi/shopapi/pricing] computes the cost from
// the [Rates].
package shippings
