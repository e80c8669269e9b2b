package users

import (
	"slices"
	"strings"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/address"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// A Filter selects and sorts the users of a list. Its zero value selects all users that
// the user of the request may see, by id. The filters by address match the billing or
// the shipping address.
type Filter struct {
	resource.ListOptions

	UserIDs          []int64      `json:"user_ids"`
	Company          *int64       `json:"company"`      // the company's id
	Name             string       `json:"name"`         // part of first and last name
	UserLogin        string       `json:"user_login"`   // part of it
	Email            string       `json:"email"`        // part of it
	Address          string       `json:"address"`      // part of it
	Zipcode          string       `json:"zipcode"`      // part of it
	Country          string       `json:"country"`      // two letters
	State            string       `json:"state"`        // in either case
	City             string       `json:"city"`         // part of it
	UsergroupID      *int64       `json:"usergroup_id"` // for users who may view groups
	Status           string       `json:"status" bind:"codes" rule:"oneof=A D H"`
	UserType         string       `json:"user_type" bind:"codes" rule:"oneof=A V C"`
	UserTypes        []string     `json:"user_types"`
	ExcludeUserTypes []string     `json:"exclude_user_types"`
	Compact          shopapi.Flag `json:"compact"` // one of the filters above suffices

	UpdatedFrom string `json:"updated_at_from"` // seconds since 1970, or a date; counts with compact too
	UpdatedTo   string `json:"updated_at_to"`
}

var sorts = []resource.Sort{
	{Key: "id", Column: "user_id"},
	{Key: "email", Column: "email"},
	{Key: "name", Column: "sort_name"},
	{Key: "date", Column: "timestamp"},
	{Key: "user_login", Column: "user_login"},
	{Key: "user_type", Column: "user_type"},
	{Key: "status", Column: "status"},
	{Key: "timestamp", Column: "timestamp"},
	{Key: "updated_at", Column: "updated_at"},
	{Key: "company_id", Column: "company_id"},
}

// Where implements [resource.Filter].
func (f *Filter) Where(w *resource.Where) {
	w.Times("updated_at", "updated_at_from", f.UpdatedFrom, "updated_at_to", f.UpdatedTo)
	if f.UsergroupID != nil {
		w.RequireView("usergroups") // the filter reveals the members of groups
	}
	if f.Compact {
		w.AnyOf(func() { f.where(w) })
		return
	}
	f.where(w)
}

func (f *Filter) where(w *resource.Where) {
	w.For("user_ids").Ints("user_id", f.UserIDs)
	w.Contains("name", f.Name)
	w.Contains("user_login", f.UserLogin)
	w.Contains("email", f.Email)
	f.whereAddress(w)
	w.Code("status", f.Status)
	w.Int("company_id", f.Company)
	if f.UsergroupID != nil {
		w.Add(inGroup(*f.UsergroupID))
	}
	w.Code("user_type", f.UserType)
	if f.UserTypes != nil {
		w.Add(ofTypes(w, "user_types", f.UserTypes))
	}
	if f.ExcludeUserTypes != nil {
		w.Add(store.Not(ofTypes(w, "exclude_user_types", f.ExcludeUserTypes)))
	}
}

// whereAddress adds the conditions on the billing and shipping addresses.
func (f *Filter) whereAddress(w *resource.Where) {
	for _, part := range []struct{ field, value string }{{"address", f.Address}, {"zipcode", f.Zipcode}, {"city", f.City}} {
		either(w, part.field, part.value, store.Contains)
	}
	either(w, "state", f.State, store.EqualFold)
	if f.Country != "" && !address.IsCountry(f.Country) {
		w.Problems.Add("country", "must be the two letters of a country, such as NO")
		return
	}
	either(w, "country", strings.ToUpper(f.Country), func(column, code string) store.Cond {
		return store.Equal(column, store.String(code))
	})
}

// either adds the condition that the field of one of the two addresses meets is.
func either(w *resource.Where, field, value string, is func(column, value string) store.Cond) {
	if w.For(field).CheckLength(value) && value != "" {
		w.Add(store.Any(is("b_"+field, value), is("s_"+field, value)))
	}
}

// ofTypes adds the condition that a user has one of the types that a parameter lists.
func ofTypes(w *resource.Where, field string, given []string) store.Cond {
	var values []store.Value
	for _, t := range given {
		w.Problems.OneOf(field, t, userTypes...)
	}
	for _, t := range userTypes {
		if slices.Contains(given, t) {
			values = append(values, store.String(t))
		}
	}
	return store.In("user_type", values...)
}
