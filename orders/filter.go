package orders

import (
	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/internal/period"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// A Filter says which orders a list holds, and in which order. Its zero value is all
// that the user may see, the newest first. The sort keys are date, order_id, status,
// customer (last name, first name), email, total and updated_at.
type Filter struct {
	resource.ListOptions

	Status       string  `json:"status" bind:"codes"` // letters, separated by commas
	OrderIDs     []int64 `json:"order_id"`
	Query        string  `json:"q"` // the id, or how the phone, e-mail address, first, last or whole name begins
	UserID       *int64  `json:"user_id" match:"equal"`
	Name         string  `json:"cname"` // part of first and last name
	Email        string  `json:"email"` // part of it
	Phone        string  `json:"phone"` // part of it
	InvoiceID    string  `json:"invoice_id"`
	CreditMemoID string  `json:"credit_memo_id"`
	CompanyID    *int64  `json:"company_id" match:"equal"`         // storefront or vendor
	Company      *int64  `json:"company" match:"equal=company_id"` // the same

	Period   string `json:"period" rule:"oneof=A D LD W LW M LM Y LY HH HW HM HD HC C"` // of Timestamp; see decisions §10
	TimeFrom string `json:"time_from"`
	TimeTo   string `json:"time_to"`
	LastDays *int64 `json:"last_days"` // with the period HC: the number of days up to now

	UpdatedFrom string `json:"updated_at_from"` // seconds since 1970, or a date
	UpdatedTo   string `json:"updated_at_to"`

	// IncludeParents has the list hold the summaries of orders of several vendors,
	// beside these orders themselves.
	IncludeParents shopapi.Flag `json:"include_parent_orders"`

	ParentOrderID *int64 `json:"parent_order_id" match:"equal"` // the parts of one order
}

var sorts = []resource.Sort{
	{Key: "date", Column: "timestamp"},
	{Key: "order_id", Column: "order_id"},
	{Key: "status", Column: "status"},
	{Key: "customer", Column: "customer"},
	{Key: "email", Column: "email"},
	{Key: "total", Column: "total"},
	{Key: "updated_at", Column: "updated_at"},
}

// Where implements [resource.Filter].
func (f *Filter) Where(w *resource.Where) {
	if !f.IncludeParents {
		w.Add(store.Equal("is_parent_order", store.Bool(false)))
	}
	letters := w.Codes("status", f.Status)
	w.SetError(checkLetters(w.Tx, "status", letters, &w.Problems))
	w.AnyText("status", letters)
	w.For("order_id").Ints("order_id", f.OrderIDs)
	f.search(w)
	w.For("cname").Contains("cname", f.Name)
	w.Contains("phone", f.Phone)
	w.Contains("email", f.Email)
	w.Text("invoice_id", f.InvoiceID)
	w.Text("credit_memo_id", f.CreditMemoID)
	code := f.Period
	if code == "" && (f.TimeFrom != "" || f.TimeTo != "") {
		code = period.Custom
	}
	w.Period("timestamp", resource.Period{Code: code, From: f.TimeFrom, To: f.TimeTo, Days: f.LastDays})
	w.Times("updated_at", "updated_at_from", f.UpdatedFrom, "updated_at_to", f.UpdatedTo)
}
