package orders

import "github.com/shopapi/shopapi/store"

// Schemas are the tables of this package, for programs that copy a shop from one
// store to another.
func Schemas() []*store.Schema {
	return store.WithTexts(table.Schema(), statuses.Schema(), shipments.Schema(), history.Schema(), keptTables.Schema(), documents.Schema(), counters.Schema(), sales.Schema())
}
