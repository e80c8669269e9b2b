package blocks

import "github.com/shopapi/shopapi/resource"

// A Filter selects and sorts the blocks of a list. Its zero value selects all that the
// user may see, by id.
type Filter struct {
	resource.ListOptions

	Type      string `json:"type" bind:"codes" match:"equal"`
	CompanyID *int64 `json:"company_id" match:"equal"`
}
