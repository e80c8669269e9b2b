package driver

import "github.com/shopapi/shopapi/store"

// InsertEach adds rows one by one, as [store.Inserter] says: it writes the key of each row
// to its first value, and ends at the first error.
func InsertEach(tx store.Tx, s *store.Schema, rows [][]store.Value) error {
	for _, row := range rows {
		key, err := tx.Insert(s, row)
		if err != nil {
			return err
		}
		row[0] = store.Int(key)
	}
	return nil
}
