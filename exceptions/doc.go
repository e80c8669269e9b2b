// Package exceptions is the entity exceptions: the combinations of a product's
// options that alone may be ordered, or that may not be (specification,
// exceptions; decisions §8). [Register] adds it to an API; the [Exceptions] that
// it returns give Go code the same rules.
//
//	list, err := exceptions.Register(ctx, api, st)
//	…
//	_, err = list.Create(ctx, exceptions.Exception{
//		ProductID:   mug,
//		Combination: exceptions.Combination{colour: red, gift: exceptions.AnyVariant},
//	})
//
// A storefront asks [MayOrder] whether what a customer chose may be ordered.
//
// # References
//
// Products and options are looked up by name in the API, so that a host's own
// entities count too. Of a product the package reads company_id; of an option it
// reads product_id, option_type and the keys of variants. Where one of the two
// entities is not registered, its ids are taken as they are (§12).
//
// An exception belongs to the company of its product: vendors, and addresses that
// lead through a storefront, reach those of products that are visible to them
// (§11). This is asked of the product each time, so that it holds for a product
// that went to another company. Where no products are registered, they reach none.
package exceptions
