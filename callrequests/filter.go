package callrequests

import (
	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/resource"
)

// A Filter says which call requests a list holds, and in which order. Its zero
// value is all that the user may see, newest first.
type Filter struct {
	resource.ListOptions

	Status      string        `json:"status"`
	Name        string        `json:"name"`  // part of it, in either case
	Phone       string        `json:"phone"` // part of it
	CompanyID   *int64        `json:"company_id"`
	UserID      *int64        `json:"user_id"`      // the administrator in charge, 0 for none
	OrderStatus string        `json:"order_status"` // that of the linked order
	OrderExists *shopapi.Flag `json:"order_exists"` // whether the linked order does
}

// sorts are those of decisions §9. The keys without a column are those of linked
// objects.
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

// Where implements [resource.Filter] for the conditions on the rows themselves.
func (f *Filter) Where(w *resource.Where) {
	w.Code("status", f.Status, statuses...)
	w.Contains("name", f.Name)
	w.Contains("phone", f.Phone)
	w.Int("company_id", f.CompanyID)
	w.Int("user_id", f.UserID)
	if f.SortBy == "user" {
		w.NeedsView("users") // the order tells the names
	}
}

// sortsLinked reports whether the list is sorted by linked objects.
func (f *Filter) sortsLinked() bool { return f.SortBy == "user" || f.SortBy == "order_status" }

func (f *Filter) asksOrders() bool { return f.OrderStatus != "" || f.OrderExists != nil }
