package categories

import (
	"context"

	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// A Filter selects and sorts the categories of a list. Its zero value selects all that the
// user may see, in tree order.
type Filter struct {
	resource.ListOptions

	ParentID  *int64 `json:"parent_id" match:"equal"` // children of this category, 0 for the top
	Status    string `json:"status" bind:"codes" rule:"oneof=A D H" match:"equal"`
	CompanyID *int64 `json:"company_id" match:"equal"`
	Name      string `json:"category" match:"contains"` // part of the name, in either case

	UpdatedFrom string `json:"updated_at_from" match:"since=updated_at"` // seconds since 1970, or a date
	UpdatedTo   string `json:"updated_at_to" match:"until=updated_at"`
}

// selectPage reads a page. The children of one category are read through the index by
// position, which equals tree order for them.
func selectPage(_ context.Context, tx store.Tx, f resource.Filter, q store.Query) ([]Summary, int64, error) {
	if f.(*Filter).ParentID != nil && q.Order[0].Column == "tree_order" {
		q.Order[0].Column = "position"
	}
	return summaries.Page(tx, q)
}
