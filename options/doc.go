// Package options is the entities options and combinations: what a customer chooses
// of a product, and the stock of each combination of what can be chosen (decisions
// §17). [Register] adds them to an API; the [Options] that it returns, and their
// [Options.Combinations], give Go code the same rules.
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
// A select box and radio buttons have the variants that they are given. A checkbox
// has two by itself, "No" and "Yes", which can be renamed and priced. Texts and
// files have none. The variants of an update are the full set: those with an id
// that the option has are changed, those without are made, and those left out are
// removed, with the combinations and exceptions that name them.
//
// # Combinations
//
// A combination names one variant of each option of the product whose inventory is
// Y, and has a stock of its own. While a product has combinations, the set of its
// options with inventory Y stays as it is; deleting such an option removes all
// combinations. Where the tracking of a product is O its amount is the sum of those
// of its combinations.
//
// # Orders
//
// [Options.Resolve] tells what the selections of the lines of an order mean: names,
// modifiers and combinations, in a fixed number of reads. [Options.AddAmount] takes
// from the stock of a combination and gives back to it.
//
// # Products
//
// Options belong to the company of their product (§11). This is asked of the product
// each time, so that it holds for a product that went to another company. Where the
// entity products is not the library's, it is looked up by name in the API: of a
// product the package reads company_id. Where none is registered, every id will do
// (§12), and vendors reach no options.
package options
