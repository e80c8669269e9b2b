package shop

import (
	"slices"

	"github.com/shopapi/shopapi/categories"
	"github.com/shopapi/shopapi/companies"
	"github.com/shopapi/shopapi/features"
	"github.com/shopapi/shopapi/products"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/users"
)

// conversions change the rows that older versions of the library wrote (§24), in the
// order in which they run: the second place, beside entities, where an entity whose rows
// came to mean something else is added. Those of one entity are named in its definition
// too ([resource.Definition]), for programs that call its Register themselves.
func conversions(without []string) []store.Conversion {
	var list []store.Conversion
	for _, e := range []struct {
		entity      string
		conversions func() []store.Conversion
	}{
		{"users", users.Conversions},
		{"features", features.Conversions},
		{"categories", categories.Conversions},
		{"products", products.Conversions},
		{"companies", func() []store.Conversion { return []store.Conversion{companies.Conversion(Schemas())} }},
	} {
		if !slices.Contains(without, e.entity) {
			list = append(list, e.conversions()...)
		}
	}
	return list
}
