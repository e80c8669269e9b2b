package exceptions

import (
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
	product := f.ProductID
	if product == nil && w.Above != nil && w.Above.Entity == "products" {
		product = &w.Above.ID
	}
	if product == nil && w.Export {
		return
	}
	if product == nil {
		w.Problems.Add("product_id", "is required: the id of the product whose exceptions are asked for")
		return
	}
	w.Int("product_id", f.ProductID)
	visible, err := visible(w.Context, w.API, *product)
	w.SetError(err)
	if !visible {
		w.Add(store.InInts("product_id"))
	}
}
