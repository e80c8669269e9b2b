// Package taxes is the entity taxes: taxes that are added to prices or included in them
// (decisions §20).
//
// [Register] adds the entity to an API; the [Taxes] that it returns give Go code the
// same rules. A tax applies to the products and shipping methods with its id in their
// tax_ids, at the rate for the address of the order: see [Rate]. Package
// [github.com/shopapi/shopapi/pricing] computes the amounts.
package taxes
