package categories

import (
	"errors"

	"github.com/shopapi/shopapi/store"
)

// The following functions serve packages whose rows refer to categories, in their
// transactions. They check no rights: their callers do.

// Schema returns the table of categories, for reads of other tables through it
// ([store.ProjectVia]).
func Schema() *store.Schema { return table.Schema() }

// ByID returns the existing categories among the ids.
func ByID(tx store.Tx, ids ...int64) (map[int64]Summary, error) {
	list, err := summaries.Select(tx, store.Query{Where: []store.Cond{store.InInts("category_id", ids...)}})
	byID := make(map[int64]Summary, len(list))
	for _, c := range list {
		byID[c.CategoryID] = c
	}
	return byID, err
}

// FirstRoot returns the id of the first category of a company at the top level, by
// position, or 0 if it has none.
func FirstRoot(tx store.Tx, company int64) (int64, error) {
	c, err := summaries.First(tx, store.Query{
		Where: []store.Cond{store.Equal("parent_id", store.Int(0)), store.Equal("company_id", store.Int(company))},
		Order: []store.Order{store.Asc("position"), store.Asc("category_id")},
	})
	if errors.Is(err, store.ErrNotFound) {
		return 0, nil
	}
	return c.CategoryID, err
}

// Within returns the condition that a column contains the id of the category or of a
// descendant. It matches no row if the category does not exist.
func Within(tx store.Tx, column string, id int64) (store.Cond, error) {
	c, err := table.Get(tx, id)
	if errors.Is(err, store.ErrNotFound) {
		return store.Any(), nil
	}
	return store.InQuery(column, table.Schema(), "category_id", c.below()), err
}

// AddProducts adds number to the count of products linked to a category, in the
// transaction that changes the links. It returns [store.ErrNotFound].
func AddProducts(tx store.Tx, id, number int64) error {
	c, err := table.Get(tx, id)
	if err != nil {
		return err
	}
	c.ProductCount += number
	return table.Update(tx, &c)
}
