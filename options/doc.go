// Package options is the entities options and combinations: the choices that customers
// make for a product, such as its size, and the stock of each combination of choices
// (decisions §17). [Register] adds them to an API; the [Options] that it returns, and
// their [Options.Combinations], give Go code the same rules.
//
//	list, err := options.Register(ctx, api, st, goods, exceptions)
//	…
//	size := list.Defaults(ctx)
//	size.ProductID, size.Name, size.Required = mug, "Size", true
//	size.Variants = options.Variants{
//		{Name: "Small"},
//		{Name: "Large", Modifier: decimal.MustParse("1.50")},
//	}
//	size, err = list.Create(ctx, size)
//
// # Variants
//
// Select boxes and radio buttons have the variants of the request. A checkbox always has
// two, "No" and "Yes", which can be renamed and priced. Texts and files have none. The
// variants of an update are the full set: variants with an existing id are changed,
// variants without id are created, and omitted variants are deleted with the combinations
// and exceptions that refer to them.
//
// # Combinations
//
// A combination has one variant of each option of the product with inventory Y, and its
// own stock. While a product has combinations, neither can an option with inventory Y be
// added nor the inventory of an option change; deleting one deletes all combinations. If
// the tracking of a product is O, its amount is the sum of the amounts of its
// combinations.
//
// # Orders
//
// [Options.Resolve] returns names, modifiers and combinations for the selections in the
// lines of an order, in a fixed number of reads. [Options.AddAmount] changes the stock of
// a combination.
//
// # Products
//
// Options belong to the company of their product (§11). The company is read from the
// product each time, so that it is right after a product changes its company. If the
// entity products is not the library's, it is looked up by name in the API, and the
// package reads company_id of a product. If no such entity is registered, every product
// id is valid (§12), and vendors see no options.
package options
