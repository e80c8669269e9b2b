package users

import (
	"slices"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// A Filter says which users a list holds, and in which order. Its zero value is
// all that the user may see, by id.
//
// The interface also knows the filters address, zipcode, country, state and city.
// They look into profiles, which users here do not have, and are ignored as
// unknown parameters are (decisions §4).
type Filter struct {
	resource.ListOptions

	UserIDs          []int64      `json:"user_ids"`
	Company          *int64       `json:"company"`      // the company's id
	Name             string       `json:"name"`         // part of first and last name
	UserLogin        string       `json:"user_login"`   // part of it
	Email            string       `json:"email"`        // part of it
	UsergroupID      *int64       `json:"usergroup_id"` // for users who may view groups
	Status           string       `json:"status"`
	UserType         string       `json:"user_type"`
	UserTypes        []string     `json:"user_types"`
	ExcludeUserTypes []string     `json:"exclude_user_types"`
	Compact          shopapi.Flag `json:"compact"` // one of the above suffices
}

var sorts = []resource.Sort{
	{Key: "id", Column: "user_id"},
	{Key: "email", Column: "email"},
	{Key: "name", Column: "name"},
	{Key: "user_login", Column: "user_login"},
	{Key: "user_type", Column: "user_type"},
	{Key: "status", Column: "status"},
	{Key: "timestamp", Column: "timestamp"},
	{Key: "company_id", Column: "company_id"},
}

// Where implements [resource.Filter].
func (f *Filter) Where(w *resource.Where) {
	if f.UsergroupID != nil {
		w.NeedsView("usergroups") // the list tells who their members are
	}
	if f.Compact {
		w.AnyOf(func() { f.where(w) })
		return
	}
	f.where(w)
}

func (f *Filter) where(w *resource.Where) {
	w.Ints("user_id", f.UserIDs)
	w.Contains("name", f.Name)
	w.Contains("user_login", f.UserLogin)
	w.Contains("email", f.Email)
	w.Code("status", f.Status, Active, Disabled, Hidden)
	w.Int("company_id", f.Company)
	if f.UsergroupID != nil {
		w.Add(inGroup(*f.UsergroupID))
	}
	w.Code("user_type", f.UserType, userTypes...)
	if f.UserTypes != nil {
		w.Add(ofTypes(w, "user_types", f.UserTypes))
	}
	if f.ExcludeUserTypes != nil {
		w.Add(store.Not(ofTypes(w, "exclude_user_types", f.ExcludeUserTypes)))
	}
}

// ofTypes matches the users of the types that a parameter lists.
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
