package shop

import (
	"slices"

	"github.com/shopapi/shopapi/callrequests"
	"github.com/shopapi/shopapi/categories"
	"github.com/shopapi/shopapi/discussions"
	"github.com/shopapi/shopapi/exceptions"
	"github.com/shopapi/shopapi/products"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/users"
)

// Schemas are the tables of a shop, for copying it from one store to another.
func Schemas() []*store.Schema {
	return slices.Concat(users.Schemas(), categories.Schemas(), products.Schemas(), exceptions.Schemas(),
		discussions.Schemas(), callrequests.Schemas())
}
