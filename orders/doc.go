// Package orders is the entities orders, statuses and shipments (decisions §14, §18 to
// §20): what customers ordered, what it costs, what of the stock it holds, and what of
// it is on its way. [Register] adds orders to an API; the [Orders] that it returns give
// Go code the same rules. Package [github.com/shopapi/shopapi/pricing] computes
// the amounts, without a database.
//
// # A storefront
//
// A [Cart] says who orders what. [Orders.Quote] tells what it costs and why it cannot
// be ordered, line by line; [Orders.Place] orders it:
//
//	cart := orders.Cart{
//		UserID: 17, PaymentID: 1, ShippingID: 6,
//		Lines: []orders.CartLine{{Key: "mug", ProductID: 148, Amount: 2, Selection: options.Selection{12: "33"}}},
//	}
//	quote, err := shop.Orders.Quote(ctx, cart) // stores nothing
//	…
//	order, err := shop.Orders.Place(ctx, cart)
//	…
//	list, total, err := shop.Orders.Find(ctx, orders.Filter{UserID: &cart.UserID})
//
// Inside a transaction of the same store all of them join it.
//
// # The administration
//
// [Orders.Create] places an order as POST does, with fewer checks than a storefront
// makes. [Orders.Update] changes one, with an [Edit] for lines, shipping and customer;
// [Orders.SetStatus] changes its status. An [shopapi.Options.Observer] finds the old and
// the new status, and whom to tell, in the [StatusChange] of an event.
//
// # Lines
//
// A line keeps the name, the code and the price of its product, and what was chosen.
// Where an update gives the lines, they are the full list. The key of each is first
// the id of a line; else the product that it names, or that the key is the id of,
// means the one line that has it with the same options. Such a line is kept at its
// price, unless another is given. All others are new, at today's price.
//
// # Stock
//
// Orders whose status has inventory D in its parameters hold their goods: each line
// records how many pieces it holds, and whether of the product or of a combination.
// All moves are made in the transaction of the change.
//
// # Several vendors
//
// Products of several vendors make one order of each, and a parent that is their sum,
// with IsParent. The parent is what Create and Place return.
//
// # Worked examples
//
// Two clay mugs at 12.50 with an engraving for 1.50 and a size for 10 % more, and a bowl
// at 18.00; shipping for 5.00 and 0.50 for each piece; a tax of 20 %, and 3 % for the
// payment:
//
//	mugs         (12.50 + 1.50 + 1.25) × 2         = 30.50
//	subtotal     30.50 + 18.00                     = 48.50
//	shipping     5.00 + 0.50 × 3                   =  6.50
//	tax          6.10 + 3.60                       =  9.70
//	surcharge    (48.50 + 6.50) × 3 / 100          =  1.65
//	total        48.50 + 6.50 + 9.70 + 1.65        = 66.35
//
// A vase at 24.00 that includes a tax of 20 %, on which another of 5 % is added, and
// shipping for 6.00 that includes the first:
//
//	net          24.00 / 1.20                      = 20.00
//	added tax    (20.00 + 4.00) × 5 / 100          =  1.20
//	total        24.00 + 6.00 + 1.20               = 31.20
//
// A bowl of one vendor and two baskets at 4.00 of another, shipped for 5.50 and 4.00,
// with 20 % tax on the goods, and 3 % for the payment:
//
//	first        18.00 + 5.50 + 3.60 + 0.71        = 27.81
//	second        8.00 + 4.00 + 1.60 + 0.36        = 13.96
//	parent       27.81 + 13.96                     = 41.77
package orders
