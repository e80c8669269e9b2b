package driver

import (
	"fmt"

	"github.com/shopapi/shopapi/store"
)

var schemaNumber = func() *store.Projection {
	p, err := store.SchemaChanges().Project("number")
	if err != nil {
		panic(err)
	}
	return p
}()

// SchemaNumber is the projection by which the row [store.SchemaNumberKey] is read: its
// one column is the schema number of the database. The table may be missing.
func SchemaNumber() *store.Projection { return schemaNumber }

// CheckSchemaNumber returns [store.ErrNewerSchema] for a database with a number that
// this version of the library does not know. A store checks it before an Update changes
// anything, in the same snapshot, and before a View reads, at the latest a second after
// the number has changed.
func CheckSchemaNumber(n int64) error {
	if n <= store.SchemaNumber {
		return nil
	}
	return fmt.Errorf("%w: it has the schema number %d, this version knows %d", store.ErrNewerSchema, n, store.SchemaNumber)
}
