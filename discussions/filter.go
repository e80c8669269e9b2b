package discussions

import (
	"cmp"
	"context"
	"time"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/internal/period"
	"github.com/shopapi/shopapi/store"
)

// Sorts returns what lists can be sorted by, the default first. Ties are broken by
// id.
func Sorts() []string { return []string{"timestamp", "name", "ip_address", "status"} }

// A Filter says which posts a list holds, and in which order. Its zero value is
// all that the user may see, newest first.
type Filter struct {
	Status      string `json:"status"`
	Name        string `json:"name"`    // part of the author's name, in either case
	Message     string `json:"message"` // part of the message, in either case
	Type        string `json:"type"`
	IPAddress   string `json:"ip_address"`
	RatingValue Rating `json:"rating_value"`
	ObjectType  string `json:"object_type"`
	ObjectID    *int64 `json:"object_id"`
	UserID      *int64 `json:"user_id"`

	// Period is a code of the specification, such as W for this week, in the time
	// zone of the API. C is from TimeFrom to TimeTo, both inclusive, each in
	// seconds since 1970, a date such as 2006-01-02, or "" for an open end.
	Period   string `json:"period"`
	TimeFrom string `json:"time_from"`
	TimeTo   string `json:"time_to"`

	SortBy    string `json:"-"` // one of [Sorts]; "" is timestamp
	Ascending bool   `json:"-"` // lists descend by themselves: the newest come first
	Limit     int    `json:"-"` // at most so many; 0 means all
	Offset    int    `json:"-"`
}

// query is the filter as the store reads it.
func (f *Filter) query(ctx context.Context, api *shopapi.API) (q store.Query, err error) {
	var problems shopapi.Problems
	text := func(column, value string, allowed ...string) {
		if value == "" {
			return
		}
		if len(allowed) > 0 {
			problems.OneOf(column, value, allowed...)
		}
		q.Where = append(q.Where, store.Equal(column, store.String(value)))
	}
	number := func(column string, value *int64) {
		if value != nil {
			q.Where = append(q.Where, store.Equal(column, store.Int(*value)))
		}
	}
	part := func(column, value string) {
		if value != "" {
			q.Where = append(q.Where, store.Contains(column, value))
		}
	}
	text("object_type", f.ObjectType, objectTypes...)
	number("object_id", f.ObjectID)
	text("status", f.Status, Approved, Disapproved)
	text("type", f.Type, threadTypes...)
	text("ip_address", f.IPAddress)
	number("user_id", f.UserID)
	if f.RatingValue != NoRating {
		problems.Range("rating_value", int64(f.RatingValue), 1, int64(MaxRating))
		q.Where = append(q.Where, store.Equal("rating_value", store.Int(int64(f.RatingValue))))
	}
	part("name", f.Name)
	part("message", f.Message)
	var now time.Time // asked for only where it matters: what depends on it cannot be remembered
	if f.Period != "" && f.Period != period.All && f.Period != period.Custom {
		now = api.Now(ctx)
	}
	within, err := period.Parse(f.Period, f.TimeFrom, f.TimeTo, now.In(api.Location()))
	problems.Merge(err)
	q.Where = append(q.Where, within.Conds("timestamp")...)
	sort := cmp.Or(f.SortBy, Sorts()[0])
	problems.OneOf("sort_by", sort, Sorts()...)
	q.Order = []store.Order{{Column: sort, Desc: !f.Ascending}}
	q.Limit, q.Offset = f.Limit, f.Offset
	return q, problems.Err()
}
