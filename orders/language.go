package orders

import (
	"cmp"
	"context"

	"github.com/shopapi/shopapi"
)

// inLanguage returns the context in which an order takes the names of products, options,
// methods and taxes: that of the language that ctx names or, where it names none, of the
// order's own.
func inLanguage(ctx context.Context, order *Order) context.Context {
	return shopapi.WithLanguage(ctx, cmp.Or(shopapi.LanguageFrom(ctx), order.LangCode))
}

// chooseLanguage is inLanguage for a new order. Its language defaults to that of the
// customer, then to that of the shop, and is written into the order.
func (o *Orders) chooseLanguage(ctx context.Context, order *Order) (context.Context, error) {
	ctx = inLanguage(ctx, order)
	var err error
	order.LangCode, err = o.rows.Language(ctx)
	return ctx, err
}
