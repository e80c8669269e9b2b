package callrequests

import (
	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/resource"
)

// A Filter selects and sorts the call requests of a list. Its zero value selects all
// that the user may see, newest first.
type Filter struct {
	resource.ListOptions

	Status      string        `json:"status" bind:"codes" rule:"oneof=new in_progress completed no_answer"`
	Name        string        `json:"name"`  // part of it, in either case
	Phone       string        `json:"phone"` // part of it
	CompanyID   *int64        `json:"company_id"`
	UserID      *int64        `json:"user_id"`      // the administrator in charge, 0 for none
	OrderStatus string        `json:"order_status"` // status of the linked order
	OrderExists *shopapi.Flag `json:"order_exists"` // whether the linked order exists
}

// sorts are the sort keys of decisions §9. Keys without a column sort by linked objects.
var sorts = []resource.Sort{
	{Key: "date", Column: "timestamp"},
	{Key: "id", Column: "request_id"},
	{Key: "status", Column: "status"},
	{Key: "name", Column: "name"},
	{Key: "phone", Column: "phone"},
	{Key: "user_id", Column: "user_id"},
	{Key: "user"},
	{Key: "order", Column: "order_id"},
	{Key: "order_status"},
}

// Where implements [resource.Filter] for the conditions on columns.
func (f *Filter) Where(w *resource.Where) {
	w.Code("status", f.Status)
	w.Contains("name", f.Name)
	w.Contains("phone", f.Phone)
	w.Int("company_id", f.CompanyID)
	w.Int("user_id", f.UserID)
	if f.SortBy == "user" {
		w.RequireView("users") // the sort order reveals the names
	}
}

// sortsLinked reports whether the list is sorted by linked objects.
func (f *Filter) sortsLinked() bool { return f.SortBy == "user" || f.SortBy == "order_status" }

func (f *Filter) asksOrders() bool { return f.OrderStatus != "" || f.OrderExists != nil }
