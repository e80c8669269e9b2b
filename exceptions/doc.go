// Package exceptions is the entity exceptions: the combinations of a product's options
// that may not be ordered, or the only ones that may (specification, exceptions;
// decisions §8). Combinations with a stock and a code of their own are in package
// options.
//
// [Register] adds the entity to an API; the [Exceptions] that it returns give Go code
// the same rules.
//
//	list, err := exceptions.Register(ctx, api, st)
//	…
//	_, err = list.Create(ctx, exceptions.Exception{
//		ProductID:   mug,
//		Combination: exceptions.Combination{colour: red, gift: exceptions.AnyVariant},
//	})
//
// [MayOrder] reports to a storefront whether a customer's selection may be ordered.
//
// # References
//
// The API looks up products and options by the entity's name, so that a host's own
// entities work too. The package reads company_id of a product, and product_id,
// option_type and the keys of variants of an option. If one of the two entities is not
// registered, its ids are not checked (§12).
//
// An exception belongs to the company of its product: vendors, and addresses below a
// storefront, reach the exceptions of the products that are visible there (§11). The
// product is read each time, so that this holds after a product moved to another
// company. Without an entity of products they reach none.
package exceptions
