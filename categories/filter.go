package categories

import (
	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/store"
)

// A Filter says which categories a list holds. Its zero value is all that the
// user may see.
type Filter struct {
	ParentID  *int64 `json:"parent_id"` // children of this one, 0 for the top
	Status    string `json:"status"`
	CompanyID *int64 `json:"company_id"`
	Name      string `json:"category"` // part of the name, in either case

	Descending bool `json:"-"` // the order of the tree backwards
	Limit      int  `json:"-"` // at most so many; 0 means all
	Offset     int  `json:"-"`
}

// conds are the conditions on the rows of a list.
func (f *Filter) conds() (conds []store.Cond, err error) {
	if f.ParentID != nil {
		conds = append(conds, store.Equal("parent_id", store.Int(*f.ParentID)))
	}
	if f.CompanyID != nil {
		conds = append(conds, store.Equal("company_id", store.Int(*f.CompanyID)))
	}
	var problems shopapi.Problems
	if f.Status != "" {
		problems.OneOf("status", f.Status, Active, Disabled, Hidden)
		conds = append(conds, store.Equal("status", store.String(f.Status)))
	}
	if f.Name != "" {
		conds = append(conds, store.Contains("category", f.Name))
	}
	return conds, problems.Err()
}
