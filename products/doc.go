// Package products is the entity products: what a shop sells, and the categories
// that it stands in. [Register] adds it to an API; the [Products] that it returns
// give Go code the same rules.
//
//	goods, err := products.Register(ctx, api, st, tree)
//	…
//	mug := goods.Defaults(ctx)
//	mug.Name, mug.CategoryIDs = "Clay mug", []int64{cups.CategoryID}
//	mug.Price = decimal.MustParse("9.50")
//	mug, err = goods.Create(ctx, mug)
//
// # Categories
//
// A product is linked to categories, one of which is its main one. The package
// maintains the links, the product_count of the categories on the other end, and,
// when categories are removed, the main category of what they held (decisions §7);
// all of it in the transaction of the change. For that the categories must be in the
// same store.
//
// A vendor's users may link its products to the categories of their own company and
// to those of the default company, which are the marketplace's common ones. The
// categories of other vendors do not exist for them (decisions §11), nor do those of
// other storefronts at an address that leads through one. Links that an
// administrator gave a product stay until a vendor's user names other categories.
//
// # Amounts
//
// Prices have two decimals and weights three. They are exact: a value with more
// decimals is refused, not rounded. The stock may be negative, as it is in shops
// that sell what they have yet to buy; prices, weights and measures may not.
//
// # Parts
//
// Features, options, groups of variations and orders are parts of products ([Part]), and so
// are fields of a host: [Products.Use] adds a part with its fields, rules, rows and filters.
//
// # What refers to products
//
// Packages of what belongs to products, such as reviews and exceptions, register
// with [shopapi.API.BeforeDelete] to go with them.
//
// # Not here
//
// Switches for extra data (get_options and the like) are ignored. The fields of modules that
// this library does not have are answered with their documented empty values.
package products
