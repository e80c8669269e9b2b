package exceptions

import (
	"context"

	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// A Filter selects the product of a list of exceptions.
type Filter struct {
	resource.ListOptions

	ProductID *int64 `json:"product_id" rule:"required"` // required, unless the address contains the product
}

// Where implements [resource.Filter]. For a user confined to a company the list is empty
// unless the product is visible: an exception has no company of its own.
func (f *Filter) Where(w *resource.Where) {
	ofProduct := resource.OneParent{
		Entity: "products", Column: "product_id",
		Required: "is required: the id of the product whose exceptions are asked for",
		Visible: func(ctx context.Context, _ store.Tx, product int64) (bool, error) {
			return visible(ctx, w.API, product)
		},
	}
	ofProduct.Confine(w, f.ProductID)
}
