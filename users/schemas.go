package users

import "github.com/shopapi/shopapi/store"

// Schemas returns the tables of this package, for programs that copy a shop to another
// store.
func Schemas() []*store.Schema {
	return []*store.Schema{table.Schema(), groups.Schema(), memberships.Schema(), links.Schema(), keys.Schema(), uses.Schema()}
}
