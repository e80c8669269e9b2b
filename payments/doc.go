// Package payments is the entity payments: the payment methods of a shop (decisions
// §20). [Register] adds it to an API; the [Payments] that it returns give Go code
// the same rules. No payment is taken by this library: a method says how a customer
// pays, and what that costs.
package payments
