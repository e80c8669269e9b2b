// Package products is the entity products: the goods of a shop, and their links to
// categories. [Register] adds it to an API; the [Products] that it returns give Go code
// the same rules.
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
// A product is linked to categories, one of which is its main one. The package maintains
// the links, the product_count of the linked categories and, when categories are deleted,
// the main category of their products (decisions §7), all in the transaction of the
// change. For that, the categories must be in the same store.
//
// A vendor's users may link its products to categories of their own company and of the
// default company, whose categories are common to the marketplace. They cannot see the
// categories of other vendors (decisions §11); at an address below a storefront, nobody
// sees categories of other storefronts. Links that an administrator added stay until a
// vendor's user names other categories.
//
// # Amounts
//
// Prices have two decimals and weights three. They are exact: a value with more decimals
// is refused, not rounded. The stock may be negative, because shops may sell before they
// buy; prices, weights and measures may not.
//
// # Parts
//
// Features, options, groups of variations and orders are parts of products ([Part]), and so
// are fields of a host: [Products.Use] adds a part with its fields, rules, rows and filters.
//
// # Dependent objects
//
// Packages whose objects belong to products, such as reviews and exceptions, delete them
// in a hook that they register with [shopapi.API.BeforeDelete].
//
// # Limits
//
// Switches for extra data (get_options and the like) are ignored. The fields of modules
// that this library does not have contain their documented empty values.
package products
