// Package payments is the entity payments: the payment methods of a shop (decisions
// §20). It takes no payments: a method describes how a customer pays and the surcharge
// for it.
//
// [Register] adds the entity to an API; the [Payments] that it returns give Go code the
// same rules.
package payments
