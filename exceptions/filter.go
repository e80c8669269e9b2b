package exceptions

import (
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// A Filter says of which product a list holds the exceptions.
type Filter struct {
	resource.ListOptions

	ProductID *int64 `json:"product_id"` // required, unless the address leads through the product
}

// Where implements [resource.Filter]. For a user who is confined to a company the
// list is of a product that is visible, or empty: an exception itself belongs to no
// company.
func (f *Filter) Where(w *resource.Where) {
	product := f.ProductID
	if product == nil && w.Above != nil && w.Above.Entity == "products" {
		product = &w.Above.ID
	}
	if product == nil {
		w.Problems.Add("product_id", "is required: the id of the product whose exceptions are asked for")
		return
	}
	w.Int("product_id", f.ProductID)
	visible, err := visible(w.Context, w.API, *product)
	w.Fail(err)
	if !visible {
		w.Add(store.InInts("product_id"))
	}
}
