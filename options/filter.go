package options

import (
	"github.com/shopapi/shopapi/resource"
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
	ofProduct := resource.OneParent{
		Entity: "products", Column: "product_id",
		Required: "is required: the id of the product whose " + what + " are asked for",
		Visible:  p.visible,
	}
	ofProduct.Confine(w, id)
}
