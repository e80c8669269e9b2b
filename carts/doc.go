// Package carts is the entity carts: what customers put aside to buy (decisions §19).
// Orders are in package orders; [Carts.Order] places one.
//
// The storefront writes carts in Go; administrators read and correct them over HTTP.
// [Register] adds the entity to an API. A registered user has one cart, whose id is the
// user's. A guest has one under an id that the host creates, from [FirstGuest] on;
// [NewGuest] returns an id that cannot be guessed, for a cookie:
//
//	guest := carts.Owner{ID: carts.NewGuest(), IPAddress: "192.0.2.10"}
//	cart, err := shop.Carts.Put(ctx, guest, carts.Item{ProductID: 12, Amount: 2})
//	cart, err = shop.Carts.Change(ctx, guest.ID, cart.Products[0].ItemID, 1)
//	cart, err = shop.Carts.Claim(ctx, guest.ID, user.UserID) // the guest signs in
//
// # Lines
//
// A line is a number of pieces of one product with the same options; its item id is a
// hash of both, of 32 bits. When a line is written, product and options must exist and
// fit each other. Stock, minimum and maximum quantities and exceptions are checked when
// the cart becomes an order.
//
// # Prices
//
// A cart stores no prices: each read computes them. Total is the sum of the lines,
// without shipping, taxes and discounts. The deletion of a product removes its lines and
// the carts without other lines; the deletion of a user removes the user's cart. If an
// option or a variant is deleted, the line stays, at the price without it.
package carts
