// Package pricing computes the amounts of an order (decisions §18, §20): unit prices with
// the modifiers of options, lines, discounts, shipping, taxes, the surcharge of a payment
// method, and the total. It depends on no database, entity or request, so that the same
// arithmetic serves new orders, changed orders, and carts in a storefront. To price a
// cart of the shop's own products, call Quote of package orders instead.
//
// All amounts are decimals. Each result is rounded to two places, half away from zero,
// before it is used again, so that the amounts of an order add up to its total.
//
// # Worked examples
//
// An order of two lines, by hand. Two clay mugs at 12.50, each with an engraving
// for 1.50 more and a large size for 10 % more; a bowl at 18.00. Shipping costs 5.00,
// and 0.50 for each item. A tax of 20 % is added, and 3 % for the payment.
//
//	mug          12.50 + 1.50 + 12.50 × 10 / 100   = 15.25
//	line 1       15.25 × 2                         = 30.50
//	line 2       18.00 × 1                         = 18.00
//	subtotal     30.50 + 18.00                     = 48.50
//	shipping     5.00 + 0.50 × 3                   =  6.50
//	tax, line 1  30.50 × 20 / 100                  =  6.10
//	tax, line 2  18.00 × 20 / 100                  =  3.60
//	surcharge    (48.50 + 6.50) × 3 / 100          =  1.65
//	total        48.50 + 6.50 + 9.70 + 1.65        = 66.35
//
// Two taxes of different priority, 10 % and then 5 % of the amount with the first tax, on
// one line of 3 pieces at 9.99 with a discount of 2.97 on the line and 7.00 on the order.
//
//	subtotal     9.99 × 3 − 2.97                   = 27.00
//	goods        27.00 − 7.00                      = 20.00
//	10 %         20.00 × 10 / 100                  =  2.00
//	5 %          (20.00 + 2.00) × 5 / 100          =  1.10
//	total        20.00 + 2.00 + 1.10               = 23.10
//
// Prices include a tax of 20 %, and a tax of 5 % of a higher priority is added, on one
// piece at 24.00; shipping for 6.00 has the first tax too.
//
//	net          24.00 / 1.20                      = 20.00
//	20 %         20.00 × 20 / 100                  =  4.00, inside the price
//	5 %          (20.00 + 4.00) × 5 / 100          =  1.20
//	shipping     6.00 / 1.20 = 5.00, 20 % of it    =  1.00, inside the cost
//	total        24.00 + 6.00 + 1.20               = 31.20
package pricing
