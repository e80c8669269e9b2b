package discussions

import "github.com/shopapi/shopapi/resource"

// A Filter selects and sorts the posts of a list. Its zero value selects all that the
// user may see, newest first.
type Filter struct {
	resource.ListOptions

	Status      string `json:"status" bind:"codes" rule:"oneof=A D"`
	Name        string `json:"name"`    // part of the author's name, in either case
	Message     string `json:"message"` // part of the message, in either case
	Type        string `json:"type" bind:"codes" rule:"oneof=C R B"`
	IPAddress   string `json:"ip_address"`
	RatingValue Rating `json:"rating_value"`
	ObjectType  string `json:"object_type" bind:"codes" rule:"oneof=P C A O E"`
	ObjectID    *int64 `json:"object_id" match:"equal"`
	UserID      *int64 `json:"user_id" match:"equal"`

	// Period is a code of the specification, such as W for this week, in the time zone of
	// the API. With C, TimeFrom and TimeTo are the bounds, both inclusive, each in
	// seconds since 1970, a date such as 2006-01-02, or "" for an open end.
	Period   string `json:"period" rule:"oneof=A D LD W LW M LM Y LY HH HW HM HD HC C"`
	TimeFrom string `json:"time_from"`
	TimeTo   string `json:"time_to"`
	LastDays *int64 `json:"last_days"` // with the period HC: the number of days up to now

	UpdatedFrom string `json:"updated_at_from"` // seconds since 1970, or a date
	UpdatedTo   string `json:"updated_at_to"`
}

var sorts = []resource.Sort{
	{Key: "timestamp", Column: "timestamp"},
	{Key: "name", Column: "name"},
	{Key: "ip_address", Column: "ip_address"},
	{Key: "status", Column: "status"},
	{Key: "updated_at", Column: "updated_at"},
}

// Where implements [resource.Filter].
func (f *Filter) Where(w *resource.Where) {
	w.Code("object_type", f.ObjectType)
	w.Code("status", f.Status)
	w.Code("type", f.Type)
	w.Text("ip_address", f.IPAddress)
	if f.RatingValue != NoRating {
		rating := int64(f.RatingValue)
		w.Problems.Range("rating_value", rating, 1, int64(MaxRating))
		w.Int("rating_value", &rating)
	}
	w.Contains("name", f.Name)
	w.Contains("message", f.Message)
	w.Times("updated_at", "updated_at_from", f.UpdatedFrom, "updated_at_to", f.UpdatedTo)
	w.Period("timestamp", resource.Period{Code: f.Period, From: f.TimeFrom, To: f.TimeTo, Days: f.LastDays})
}
