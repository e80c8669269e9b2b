package users

import (
	"context"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/internal/scope"
	"github.com/shopapi/shopapi/store"
)

// A Filter says which users a list holds, and in which order. Its zero value is
// all that may be seen, by id.
//
// The interface also knows the filters address, zipcode, country, state and city.
// They look into profiles, which users here do not have, and are ignored as
// unknown parameters are (decisions §4).
type Filter struct {
	UserIDs          []int64      `json:"user_ids"`
	Company          *int64       `json:"company"`    // the company's id
	Name             string       `json:"name"`       // part of first and last name
	UserLogin        string       `json:"user_login"` // part of it
	Email            string       `json:"email"`      // part of it
	UsergroupID      *int64       `json:"usergroup_id"`
	Status           string       `json:"status"`
	UserType         string       `json:"user_type"`
	UserTypes        []string     `json:"user_types"`
	ExcludeUserTypes []string     `json:"exclude_user_types"`
	Compact          shopapi.Flag `json:"compact"` // one of the above suffices

	SortBy     string `json:"-"` // one of [Sorts]; "" is id
	Descending bool   `json:"-"`
	Limit      int    `json:"-"` // at most so many; 0 means all
	Offset     int    `json:"-"`
}

// Sorts returns what lists can be sorted by, the default first. Ties are broken by
// id.
func Sorts() []string {
	return []string{"id", "email", "name", "user_login", "user_type", "status", "timestamp", "company_id"}
}

// query turns the filter into what the store is asked.
func (f *Filter) query(ctx context.Context) (store.Query, error) {
	conds, err := f.conds()
	if err != nil {
		return store.Query{}, err
	}
	if f.Compact && len(conds) > 0 {
		conds = []store.Cond{store.Any(conds...)}
	}
	column := f.SortBy
	if column == "" || column == "id" {
		column = "user_id"
	}
	return store.Query{
		Where: append(scope.Conds(ctx), conds...),
		Order: []store.Order{{Column: column, Desc: f.Descending}},
		Limit: f.Limit, Offset: f.Offset,
	}, nil
}

func (f *Filter) conds() (conds []store.Cond, err error) {
	var problems shopapi.Problems
	add := func(given bool, c store.Cond) {
		if given {
			conds = append(conds, c)
		}
	}
	types := func(field string, given ...string) store.Cond {
		values := make([]store.Value, len(given))
		for i, t := range given {
			problems.OneOf(field, t, userTypes...)
			values[i] = store.String(t)
		}
		return store.In("user_type", values...)
	}
	if f.SortBy != "" {
		problems.OneOf("sort_by", f.SortBy, Sorts()...)
	}
	if f.Status != "" {
		problems.OneOf("status", f.Status, Active, Disabled, Hidden)
	}
	add(f.UserIDs != nil, store.InInts("user_id", f.UserIDs...))
	add(f.Name != "", store.Contains("name", f.Name))
	add(f.UserLogin != "", store.Contains("user_login", f.UserLogin))
	add(f.Email != "", store.Contains("email", f.Email))
	add(f.Status != "", store.Equal("status", store.String(f.Status)))
	if f.Company != nil {
		add(true, store.Equal("company_id", store.Int(*f.Company)))
	}
	if f.UsergroupID != nil {
		add(true, inGroup(*f.UsergroupID))
	}
	if f.UserType != "" {
		add(true, types("user_type", f.UserType))
	}
	if f.UserTypes != nil {
		add(true, types("user_types", f.UserTypes...))
	}
	if f.ExcludeUserTypes != nil {
		add(true, store.Not(types("exclude_user_types", f.ExcludeUserTypes...)))
	}
	return conds, problems.Err()
}
