package options

import (
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// A Filter says of which product a list holds the options.
type Filter struct {
	resource.ListOptions

	ProductID *int64 `json:"product_id" rule:"required"` // required, unless the address leads through the product

	products *productReader
}

// Where implements [resource.Filter].
func (f *Filter) Where(w *resource.Where) { f.products.confine(w, f.ProductID, "options") }

// A CombinationFilter says of which product a list holds the combinations.
type CombinationFilter struct {
	resource.ListOptions

	ProductID *int64 `json:"product_id" rule:"required"` // required, unless the address leads through the product

	products *productReader
}

// Where implements [resource.Filter].
func (f *CombinationFilter) Where(w *resource.Where) {
	f.products.confine(w, f.ProductID, "combinations")
}

// confine adds the condition that rows belong to a product that the user may see; what
// names the rows in messages.
func (p *productReader) confine(w *resource.Where, id *int64, what string) {
	product := id
	if product == nil && w.Above != nil && w.Above.Entity == "products" {
		product = &w.Above.ID
	}
	if product == nil && w.Export {
		return
	}
	if product == nil {
		w.Problems.Add("product_id", "is required: the id of the product whose %s are asked for", what)
		return
	}
	w.Int("product_id", id)
	visible, err := p.visible(w.Context, w.Tx, *product)
	w.SetError(err)
	if !visible {
		w.Add(store.InInts("product_id"))
	}
}
