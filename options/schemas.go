package options

import "github.com/shopapi/shopapi/store"

// Schemas are the tables of this package, for programs that copy a shop from one
// store to another.
func Schemas() []*store.Schema {
	return store.WithTexts(table.Schema(), variants.Schema(), combinations.Schema())
}
