package products

import (
	"slices"

	"github.com/shopapi/shopapi"
)

// loggedApart removes from a change of a product the fields that the change log records
// as changes of product_features.
func (p *Products) loggedApart(_, _ *Product, c shopapi.Change) []shopapi.Change {
	if c.Operation != shopapi.OpUpdate || !p.uses(featuresPart) {
		return []shopapi.Change{c}
	}
	c.Fields = slices.DeleteFunc(slices.Clone(c.Fields), func(name string) bool { return name == "product_features" })
	if len(c.Fields) == 0 {
		return nil
	}
	return []shopapi.Change{c}
}
