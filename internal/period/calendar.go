package period

import "time"

// A day of the calendar. Its fields may be out of their usual ranges, as in
// [time.Date].
type day struct {
	year  int
	month time.Month
	day   int
}

// start is the instant at which the clocks of the location first show midnight of
// the day or later. Not every day has a midnight: clocks that are put forward at
// 24:00 go on at 1:00, and a country that crosses the date line skips a day, which
// then starts where the next one does.
func (d day) start(loc *time.Location) time.Time {
	midnight := time.Date(d.year, d.month, d.day, 0, 0, 0, 0, time.UTC)
	// No clock is further than this from UTC. From there on, one offset after the
	// other is tried, until midnight comes before the clocks change again.
	at := midnight.Add(-36 * time.Hour).In(loc)
	for {
		_, offset := at.Zone()
		start := midnight.Add(-time.Duration(offset) * time.Second).In(loc)
		if start.Before(at) {
			start = at
		}
		_, change := at.ZoneBounds()
		if change.IsZero() || start.Before(change) {
			return start
		}
		at = change
	}
}

// to is the range from the start of d to the last second before the start of
// next.
func (d day) to(next day, loc *time.Location) Range {
	return Range{From: d.start(loc).Unix(), To: next.start(loc).Unix() - 1}
}

// dayOf returns the day of an instant: the last day that has started. Where clocks are
// set back over midnight, the date on the clock returns to a day that has ended.
func dayOf(t time.Time) day {
	var d day
	d.year, d.month, d.day = t.Date()
	for !t.Before(d.plus(1).start(t.Location())) {
		d = d.plus(1)
	}
	return d
}

// plus is the day n days later.
func (d day) plus(n int) day { return day{d.year, d.month, d.day + n} }

// monday is the day on which the week of d starts.
func (d day) monday() day {
	weekday := time.Date(d.year, d.month, d.day, 0, 0, 0, 0, time.UTC).Weekday()
	return d.plus(-(int(weekday) + 6) % 7)
}
