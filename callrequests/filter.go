package callrequests

import (
	"errors"
	"net/http"
	"net/url"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/internal/rules"
	"github.com/shopapi/shopapi/resource"
)

// A Filter selects and sorts the call requests of a list. Its zero value selects all
// that the user may see, newest first.
type Filter struct {
	resource.ListOptions

	Status      string        `json:"status" bind:"codes" rule:"oneof=new in_progress completed no_answer" match:"equal"`
	Name        string        `json:"name" match:"contains"`  // part of it, in either case
	Phone       string        `json:"phone" match:"contains"` // part of it
	CompanyID   *int64        `json:"company_id" match:"equal"`
	UserID      *int64        `json:"user_id" match:"equal"`     // the administrator in charge, 0 for none
	OrderStatus string        `json:"order_status" bind:"codes"` // statuses of the linked order: letters, separated by commas
	OrderExists *shopapi.Flag `json:"order_exists"`              // whether the linked order exists
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
	if letters := w.Codes("order_status", f.OrderStatus); len(letters) > 0 {
		w.SetError(checkOrderStatus(w, f.OrderStatus))
	}
	if f.SortBy == "user" {
		w.RequireView("users") // the sort order reveals the names
	}
}

// sortsLinked reports whether the list is sorted by linked objects.
func (f *Filter) sortsLinked() bool { return f.SortBy == "user" || f.SortBy == "order_status" }

func (f *Filter) asksOrders() bool {
	return len(rules.Codes(f.OrderStatus)) > 0 || f.OrderExists != nil
}

// checkOrderStatus notes the problem that the list of orders has with the letters. It accepts
// every letter if no entity orders has a list, or its list does not check them.
func checkOrderStatus(w *resource.Where, letters string) error {
	_, err := w.API.LookupList(w.Context, "orders", &shopapi.Request{Filter: url.Values{
		"status": {letters}, "order_id": {"0"}, // no order has this id: nothing is read
	}})
	var e *shopapi.Error
	switch {
	case err == nil || errors.Is(err, shopapi.ErrNotRegistered):
		return nil
	case !errors.As(err, &e) || e.Status >= http.StatusInternalServerError:
		return err
	}
	if problem := e.Fields["status"]; problem != "" {
		w.Problems.Add("order_status", "%s", problem)
	}
	return nil
}
