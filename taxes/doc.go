// Package taxes is the entity taxes: what the law adds to prices, or prices include
// (decisions §20). [Register] adds it to an API; the [Taxes] that it returns give Go
// code the same rules.
//
// A tax applies to the products and shipping methods that name it in their
// tax_ids, by the rate that fits the address of the order: see [Rate]. Package
// [github.com/shopapi/shopapi/pricing] computes with it.
package taxes
