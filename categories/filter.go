package categories

import "github.com/shopapi/shopapi/resource"

// A Filter says which categories a list holds. Its zero value is all that the
// user may see, in the order of the tree, which is the only one.
type Filter struct {
	resource.ListOptions

	ParentID  *int64 `json:"parent_id"` // children of this one, 0 for the top
	Status    string `json:"status"`
	CompanyID *int64 `json:"company_id"`
	Name      string `json:"category"` // part of the name, in either case
}

// Where implements [resource.Filter].
func (f *Filter) Where(w *resource.Where) {
	w.Int("parent_id", f.ParentID)
	w.Int("company_id", f.CompanyID)
	w.Code("status", f.Status, Active, Disabled, Hidden)
	w.Contains("category", f.Name)
}
