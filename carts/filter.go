package carts

import (
	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// The kinds of owners.
const (
	Registered = "R"
	Guest      = "G"
)

// A Filter selects and sorts the carts of a list. Its zero value selects all that the
// user may see, by the name of the owner, descending. The sort keys are customer,
// date and updated_at, the time of the last change, as date is.
type Filter struct {
	resource.ListOptions

	Name      string           `json:"cname" match:"contains=name"` // part of first and last name
	Email     string           `json:"email" match:"contains"`      // part of it
	UserID    *int64           `json:"user_id" match:"equal"`
	CompanyID *int64           `json:"company_id" match:"equal"`
	WithInfo  shopapi.Flag     `json:"with_info_only"`                           // only of owners with contact data
	UsersType string           `json:"users_type" bind:"codes" rule:"oneof=R G"` // Registered, Guest or both
	TotalFrom *decimal.Decimal `json:"total_from"`                               // at today's prices
	TotalTo   *decimal.Decimal `json:"total_to"`
	InCart    shopapi.Flag     `json:"product_type_c"` // carts with products: all have some
	InWishes  shopapi.Flag     `json:"product_type_w"` // carts with a wish list: none has one
	Period    string           `json:"period" rule:"oneof=A D LD W LW M LM Y LY HH HW HM HD HC C"`
	TimeFrom  string           `json:"time_from"`
	TimeTo    string           `json:"time_to"`
	LastDays  *int64           `json:"last_days"` // with the period HC: the number of days up to now

	UpdatedFrom string `json:"updated_at_from"` // of the last change: seconds since 1970, or a date
	UpdatedTo   string `json:"updated_at_to"`

	Products []int64 `json:"p_ids"`   // with one of these products
	ViewID   string  `json:"view_id"` // a stored search: no search is stored, so the list is empty
}

var sorts = []resource.Sort{
	{Key: "customer", Column: "sort_name"},
	{Key: "date", Column: "date"},
	{Key: "updated_at", Column: "date"},
}

// Where implements [resource.Filter] for all conditions except the totals.
func (f *Filter) Where(w *resource.Where) {
	if f.WithInfo {
		w.Add(store.Any(store.NotEqual("email", store.String("")), store.NotEqual("phone", store.String(""))))
	}
	if types := w.Codes("users_type", f.UsersType); len(types) == 1 { // both are all
		switch types[0] {
		case Registered:
			w.Add(store.Less("user_id", store.Int(FirstGuest)))
		case Guest:
			w.Add(store.AtLeast("user_id", store.Int(FirstGuest)))
		}
	}
	if f.TotalFrom != nil && f.TotalTo != nil && f.TotalTo.Less(*f.TotalFrom) {
		w.Problems.Add("total_from", "must not be more than total_to")
	}
	w.Period("date", resource.Period{Code: f.Period, From: f.TimeFrom, To: f.TimeTo, Days: f.LastDays})
	w.Times("date", "updated_at_from", f.UpdatedFrom, "updated_at_to", f.UpdatedTo)
	if w.For("p_ids").FitsList(len(f.Products)) && f.Products != nil {
		w.Add(store.InQuery("user_id", lineTable.Schema(), "user_id", store.InInts("product_id", f.Products...)))
	}
	if bool(f.InWishes) && !bool(f.InCart) || f.ViewID != "" {
		w.Add(store.In("user_id"))
	}
}

// fits reports whether a total is in the range of the filter.
func (f *Filter) fits(total decimal.Decimal) bool {
	return (f.TotalFrom == nil || total.Cmp(*f.TotalFrom) >= 0) && (f.TotalTo == nil || total.Cmp(*f.TotalTo) <= 0)
}
