package period

import (
	"strconv"
	"strings"
	"time"

	"github.com/shopapi/shopapi"
)

// The codes of periods. Calendar periods run to their last second, also when that
// is still to come.
const (
	All         = "A"  // all time
	Today       = "D"  // from midnight to midnight
	Yesterday   = "LD" //
	ThisWeek    = "W"  // from Monday to Sunday
	LastWeek    = "LW" //
	ThisMonth   = "M"  //
	LastMonth   = "LM" //
	ThisYear    = "Y"  //
	LastYear    = "LY" //
	Last24Hours = "HH" // up to now
	Last7Days   = "HW" // from this time of day seven days ago up to now
	Last30Days  = "HM" // from this time of day 30 days ago up to now
	LastDay     = "HD" // the same as HH
	LastDays    = "HC" // from this time of day a number of days ago up to now
	Custom      = "C"  // from time_from to time_to
)

// codes in the order of the specification.
var codes = []string{All, Today, Yesterday, ThisWeek, LastWeek, ThisMonth, LastMonth, ThisYear, LastYear, Last24Hours, Last7Days, Last30Days, LastDay, LastDays, Custom}

// MaxDays is the highest number of days of [LastDays].
const MaxDays = 3650

// EndsNow reports whether a period ends at the instant at which it is asked for.
func EndsNow(code string) bool {
	switch code {
	case Last24Hours, Last7Days, Last30Days, LastDay, LastDays:
		return true
	}
	return false
}

// A Sent is the parameters of a list that name a period.
type Sent struct {
	Code     string // period
	From, To string // time_from and time_to
	Days     *int64 // last_days, nil where it is not sent
}

// IsCalendar reports whether a period is one of whole days, which depends on the date.
func IsCalendar(code string) bool {
	switch code {
	case Today, Yesterday, ThisWeek, LastWeek, ThisMonth, LastMonth, ThisYear, LastYear:
		return true
	}
	return false
}

// Parse returns the range of the parameters at the instant now, in now's time zone.
// Without a code, the range is all time. The two times count only in a custom period:
// each is in seconds since 1970, or a date such as 2006-01-02, which is included whole;
// an empty time leaves its end open. [LastDays] needs the number of days.
//
// Parse returns a 400 [*shopapi.Error] that names the invalid parameters.
func Parse(sent Sent, now time.Time) (Range, error) {
	var problems shopapi.Problems
	switch sent.Code {
	case "":
		return Always, nil
	case Custom:
		return Between("time_from", sent.From, "time_to", sent.To, now.Location())
	case LastDays:
		return lastDays(sent.Days, now)
	}
	problems.OneOf("period", sent.Code, codes...)
	return of(sent.Code, now), problems.Err()
}

// lastDays is the range from this time of day a number of days ago up to now.
func lastDays(days *int64, now time.Time) (Range, error) {
	if days == nil {
		return Always, shopapi.Invalid("last_days", "is required with the period %s: a number of days from 1 to %d", LastDays, MaxDays)
	}
	var problems shopapi.Problems
	if problems.Range("last_days", *days, 1, MaxDays); problems.Has("last_days") {
		return Always, problems.Err()
	}
	return Range{From: now.AddDate(0, 0, -int(*days)).Unix(), To: now.Unix()}, nil
}

// of is the range of a period other than [Custom] and [LastDays].
func of(code string, now time.Time) Range {
	loc := now.Location()
	today := dayOf(now)
	month := day{today.year, today.month, 1}
	year := day{today.year, time.January, 1}
	switch code {
	case Today:
		return today.to(today.plus(1), loc)
	case Yesterday:
		return today.plus(-1).to(today, loc)
	case ThisWeek:
		return today.monday().to(today.monday().plus(7), loc)
	case LastWeek:
		return today.monday().plus(-7).to(today.monday(), loc)
	case ThisMonth:
		return month.to(day{month.year, month.month + 1, 1}, loc)
	case LastMonth:
		return day{month.year, month.month - 1, 1}.to(month, loc)
	case ThisYear:
		return year.to(day{year.year + 1, time.January, 1}, loc)
	case LastYear:
		return day{year.year - 1, time.January, 1}.to(year, loc)
	case Last24Hours, LastDay:
		return Range{From: now.Add(-24 * time.Hour).Unix(), To: now.Unix()}
	case Last7Days:
		return Range{From: now.AddDate(0, 0, -7).Unix(), To: now.Unix()}
	case Last30Days:
		return Range{From: now.AddDate(0, 0, -30).Unix(), To: now.Unix()}
	}
	return Always
}

// Between returns the range between two ends, each the name and the value of a
// parameter, which are read as the two times of a custom period are.
func Between(fromName, timeFrom, toName, timeTo string, loc *time.Location) (Range, error) {
	var problems shopapi.Problems
	r := Always
	if from, ok := parseEnd(fromName, timeFrom, loc, &problems); ok {
		r.From = from.From
	}
	if to, ok := parseEnd(toName, timeTo, loc, &problems); ok {
		r.To = to.To
	}
	if r.From > r.To {
		problems.Add(fromName, "must not be after %s", toName)
	}
	return r, problems.Err()
}

// parseEnd reads one end: a second, or the whole day of a date. ok is false if it is
// missing or invalid.
func parseEnd(field, text string, loc *time.Location, problems *shopapi.Problems) (r Range, ok bool) {
	if text == "" {
		return r, false
	}
	if strings.Trim(text, "0123456789") == "" {
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			return Range{From: n, To: n}, true
		}
	}
	date, err := time.Parse(time.DateOnly, text)
	if err != nil {
		problems.Add(field, "must be seconds since 1970 or a date such as 2006-01-02, not %q", cut(text))
		return r, false
	}
	d := day{date.Year(), date.Month(), date.Day()}
	return d.to(d.plus(1), loc), true
}

// cut shortens what a message shows of a client's text.
func cut(text string) string {
	const most = 60
	if r := []rune(text); len(r) > most {
		return string(r[:most]) + "…"
	}
	return text
}
