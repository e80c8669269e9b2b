package blocks

import "github.com/shopapi/shopapi/resource"

// A Filter selects and sorts the blocks of a list. Its zero value selects all that the
// user may see, by id.
type Filter struct {
	resource.ListOptions

	Type      string `json:"type" bind:"codes"`
	CompanyID *int64 `json:"company_id"`
}

// Where implements [resource.Filter].
func (f *Filter) Where(w *resource.Where) {
	w.Code("type", f.Type)
	w.Int("company_id", f.CompanyID)
}
