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
