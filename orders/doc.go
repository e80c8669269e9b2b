// Package orders has the entities orders, statuses and shipments (decisions §14, §18 to
// §20): the products that customers ordered, their amounts, the stock that they reserve
// and the pieces that were shipped. [Register] adds orders to an API; the [Orders] that
// it returns give Go code the same rules. Package
// [github.com/shopapi/shopapi/pricing] computes the amounts, without a database.
//
// # A storefront
//
// A [Purchase] names the customer, the products and the methods of a new order.
// [Orders.Quote] computes its amounts and returns the errors of each line; [Orders.Place]
// places the order:
//
//	p := orders.Purchase{
//		UserID: 17, PaymentID: 1, ShippingID: 6,
//		Lines: []orders.PurchaseLine{{Key: "mug", ProductID: 148, Amount: 2, Selection: options.Selection{12: "33"}}},
//	}
//	quote, err := shop.Orders.Quote(ctx, p) // stores nothing
//	…
//	order, err := shop.Orders.Place(ctx, p)
//	…
//	list, total, err := shop.Orders.Find(ctx, orders.Filter{UserID: &p.UserID})
//
// In a transaction of the same store, all of them join it.
//
// # The administration
//
// [Orders.Create] places an order as POST does, with fewer checks than a storefront
// needs. [Orders.Update] changes an order, with a [Change] for lines, shipping and
// customer; [Orders.SetStatus] changes its status. The event of a change has a
// [StatusChange] with the old and the new status, and the recipients of notifications.
//
// # How an order is placed
//
// A new order passes these steps in one transaction: choose reads the customer, the products with
// their options and the payment method; planStock plans which stock the lines take; price computes
// the amounts of each company's lines; write stores the orders; move changes the stock.
//
// # Lines
//
// A line has the name, the code and the price of its product at the time of the order,
// and the chosen options. If an update gives lines, they are the full list. The key of
// each is the id of a line. If there is no such line, product_id or else the key is the
// id of a product, and means the only line of that product with the same options. These
// lines keep their price, unless another is given. All others are new lines, at today's
// price.
//
// # Stock
//
// Orders whose status has inventory D in its parameters reserve their products: each
// line records how many pieces it reserves, and whether it took them from the product or
// from a combination. The stock changes in the transaction of the order. A shipment
// consumes reserved pieces and notes them; if it is deleted, the order reserves them
// again, or they return to the stock if the status of the order has inventory I.
//
// # Several vendors
//
// Products of several vendors become one order for each vendor, and a parent with
// IsParent, which is their sum. Create and Place return the parent.
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
