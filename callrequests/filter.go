package callrequests

import (
	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/store"
)

// A Filter says which call requests a list holds, and in which order. Its zero
// value is all that the user may see, newest first.
type Filter struct {
	Status      string        `json:"status"`
	Name        string        `json:"name"`  // part of it, in either case
	Phone       string        `json:"phone"` // part of it
	CompanyID   *int64        `json:"company_id"`
	UserID      *int64        `json:"user_id"`      // the administrator in charge, 0 for none
	OrderStatus string        `json:"order_status"` // that of the linked order
	OrderExists *shopapi.Flag `json:"order_exists"` // whether the linked order does

	SortBy    string `json:"-"` // one of [Sorts]; "" is date
	Ascending bool   `json:"-"` // lists descend by themselves: the newest come first
	Limit     int    `json:"-"` // at most so many; 0 means all
	Offset    int    `json:"-"`
}

// Sorts returns what lists can be sorted by, the default first (decisions §9). Ties
// are broken by id.
func Sorts() []string {
	return []string{"date", "id", "status", "name", "phone", "user_id", "user", "order", "order_status"}
}

// columnOf returns the column that a sort key stands for, "" where it stands for
// something of the linked objects.
func columnOf(sortBy string) string {
	switch sortBy {
	case "", "date":
		return "timestamp"
	case "id":
		return "request_id"
	case "order":
		return "order_id"
	case "status", "name", "phone", "user_id":
		return sortBy
	}
	return ""
}

// conds are the conditions on the rows by themselves.
func (f *Filter) conds() (conds []store.Cond, err error) {
	var problems shopapi.Problems
	if f.SortBy != "" {
		problems.OneOf("sort_by", f.SortBy, Sorts()...)
	}
	if f.Status != "" {
		problems.OneOf("status", f.Status, statuses...)
		conds = append(conds, store.Equal("status", store.String(f.Status)))
	}
	if f.Name != "" {
		conds = append(conds, store.Contains("name", f.Name))
	}
	if f.Phone != "" {
		conds = append(conds, store.Contains("phone", f.Phone))
	}
	if f.CompanyID != nil {
		conds = append(conds, store.Equal("company_id", store.Int(*f.CompanyID)))
	}
	if f.UserID != nil {
		conds = append(conds, store.Equal("user_id", store.Int(*f.UserID)))
	}
	return conds, problems.Err()
}

// asksLinked reports whether the linked objects have a say in the list.
func (f *Filter) asksLinked() bool {
	return f.asksOrders() || columnOf(f.SortBy) == ""
}

func (f *Filter) asksOrders() bool { return f.OrderStatus != "" || f.OrderExists != nil }

// order is the order of rows. That of linked objects comes on top of it, so that
// the id breaks its ties.
func (f *Filter) order() []store.Order {
	column := columnOf(f.SortBy)
	if column == "" {
		column = table.Schema().Key()
	}
	return []store.Order{{Column: column, Desc: !f.Ascending}}
}
