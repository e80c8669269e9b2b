// Package carts is the entity carts: what customers put aside to buy (decisions §19).
// The storefront writes carts in Go, the administration reads and corrects them over
// HTTP. [Register] adds the entity to an API.
//
// A registered user has one cart, under the user's own id. A guest has one under an id
// that the host makes, from [FirstGuest] on; [NewGuest] makes one that nobody guesses,
// for a cookie of the host's:
//
//	guest := carts.Owner{ID: carts.NewGuest(), IPAddress: "192.0.2.10"}
//	cart, err := shop.Carts.Put(ctx, guest, carts.Item{ProductID: 12, Amount: 2})
//	cart, err = shop.Carts.Change(ctx, guest.ID, cart.Products[0].ItemID, 1)
//	cart, err = shop.Carts.Claim(ctx, guest.ID, user.UserID) // the guest signs in
//
// # Lines
//
// A line is a number of pieces of one product with the same options; its item id is a
// number of 32 bits made from both. Products and options must exist and fit each
// other when a line is written. Stock, quantities and exceptions are looked at when
// the cart becomes an order.
//
// # Prices
//
// A cart keeps no prices: they are those of the moment of reading. Total is the sum of
// its lines, without shipping, taxes and discounts. When a product is deleted its
// lines go, a cart without lines goes with them, and so does the cart of a user who is
// deleted. Where an option or a variant is gone, a line stays, at a price without it.
package carts
