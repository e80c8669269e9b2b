package taxes

import "github.com/shopapi/shopapi/store"

// ByID reads taxes in one read, by their priority. Ids of none are left out.
func ByID(tx store.Tx, ids ...int64) ([]Tax, error) {
	return table.Select(tx, store.Query{
		Where: []store.Cond{store.InInts("tax_id", ids...)},
		Order: []store.Order{store.Asc("priority")},
	})
}
