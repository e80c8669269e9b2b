package companies

import (
	"github.com/shopapi/shopapi/resource"
)

// A Filter says which companies a list holds, and in which order. Its zero value is
// all that the user may see, by name, the last one first.
type Filter struct {
	resource.ListOptions

	Name      string `json:"company" match:"contains"` // part of it, in either case
	Timestamp *int64 `json:"timestamp" match:"equal"`
	Email     string `json:"email" match:"contains"` // of vendors; part of it
	Status    string `json:"status" bind:"codes" match:"equal"`
}

var sorts = []resource.Sort{
	{Key: "name", Column: "company"},
	{Key: "timestamp", Column: "timestamp"},
	{Key: "email", Column: "email"},
	{Key: "status", Column: "status"},
	{Key: "id", Column: "company_id"},
}
