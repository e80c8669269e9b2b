package period_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/internal/period"
)

func location(t testing.TB, name string) *time.Location {
	t.Helper()
	loc, err := time.LoadLocation(name)
	if err != nil {
		t.Skipf("the time zone %s is not on this machine: %v", name, err)
	}
	return loc
}

// instant reads a time of day with its offset from UTC, so that it is one instant
// also where clocks show it twice.
func instant(t testing.TB, text string) time.Time {
	t.Helper()
	at, err := time.Parse("2006-01-02 15:04:05 -07:00", text)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// decisions §10: periods are calendar periods in the API's time zone, weeks start
// on Monday, and both ends are inclusive.
func TestParse(t *testing.T) {
	for _, test := range []struct {
		name     string
		zone     string
		now      string
		code     string
		from, to string
	}{
		{"today", "UTC", "2024-05-15 13:14:15 +00:00", "D", "2024-05-15 00:00:00 +00:00", "2024-05-15 23:59:59 +00:00"},
		{"today at midnight", "UTC", "2024-05-15 00:00:00 +00:00", "D", "2024-05-15 00:00:00 +00:00", "2024-05-15 23:59:59 +00:00"},
		{"today, a second before midnight", "UTC", "2024-05-15 23:59:59 +00:00", "D", "2024-05-15 00:00:00 +00:00", "2024-05-15 23:59:59 +00:00"},
		{"today is another day elsewhere", "Asia/Tokyo", "2024-05-15 23:00:00 +00:00", "D", "2024-05-16 00:00:00 +09:00", "2024-05-16 23:59:59 +09:00"},
		{"today is still yesterday elsewhere", "America/New_York", "2024-05-15 03:59:59 +00:00", "D", "2024-05-14 00:00:00 -04:00", "2024-05-14 23:59:59 -04:00"},
		{"yesterday", "UTC", "2024-05-15 13:14:15 +00:00", "LD", "2024-05-14 00:00:00 +00:00", "2024-05-14 23:59:59 +00:00"},
		{"yesterday was last month", "UTC", "2024-05-01 00:00:00 +00:00", "LD", "2024-04-30 00:00:00 +00:00", "2024-04-30 23:59:59 +00:00"},
		{"yesterday was the leap day", "UTC", "2024-03-01 08:00:00 +00:00", "LD", "2024-02-29 00:00:00 +00:00", "2024-02-29 23:59:59 +00:00"},
		{"yesterday in a year without one", "UTC", "2023-03-01 08:00:00 +00:00", "LD", "2023-02-28 00:00:00 +00:00", "2023-02-28 23:59:59 +00:00"},
		{"yesterday was last year", "UTC", "2024-01-01 08:00:00 +00:00", "LD", "2023-12-31 00:00:00 +00:00", "2023-12-31 23:59:59 +00:00"},
		{"this week, on a Wednesday", "UTC", "2024-05-15 13:14:15 +00:00", "W", "2024-05-13 00:00:00 +00:00", "2024-05-19 23:59:59 +00:00"},
		{"this week, on a Monday", "UTC", "2024-05-13 00:00:00 +00:00", "W", "2024-05-13 00:00:00 +00:00", "2024-05-19 23:59:59 +00:00"},
		{"this week, on a Sunday", "UTC", "2024-05-19 23:59:59 +00:00", "W", "2024-05-13 00:00:00 +00:00", "2024-05-19 23:59:59 +00:00"},
		{"this week, over the end of the year", "UTC", "2025-01-01 12:00:00 +00:00", "W", "2024-12-30 00:00:00 +00:00", "2025-01-05 23:59:59 +00:00"},
		{"last week", "UTC", "2024-05-15 13:14:15 +00:00", "LW", "2024-05-06 00:00:00 +00:00", "2024-05-12 23:59:59 +00:00"},
		{"last week, on a Sunday", "UTC", "2024-05-19 12:00:00 +00:00", "LW", "2024-05-06 00:00:00 +00:00", "2024-05-12 23:59:59 +00:00"},
		{"last week was last month", "UTC", "2024-03-04 12:00:00 +00:00", "LW", "2024-02-26 00:00:00 +00:00", "2024-03-03 23:59:59 +00:00"},
		{"this month", "UTC", "2024-05-15 13:14:15 +00:00", "M", "2024-05-01 00:00:00 +00:00", "2024-05-31 23:59:59 +00:00"},
		{"this month, its last second", "UTC", "2024-04-30 23:59:59 +00:00", "M", "2024-04-01 00:00:00 +00:00", "2024-04-30 23:59:59 +00:00"},
		{"this month, February of a leap year", "UTC", "2024-02-10 12:00:00 +00:00", "M", "2024-02-01 00:00:00 +00:00", "2024-02-29 23:59:59 +00:00"},
		{"this month, February of 1900", "UTC", "1900-02-10 12:00:00 +00:00", "M", "1900-02-01 00:00:00 +00:00", "1900-02-28 23:59:59 +00:00"},
		{"this month, December", "UTC", "2024-12-31 12:00:00 +00:00", "M", "2024-12-01 00:00:00 +00:00", "2024-12-31 23:59:59 +00:00"},
		{"last month", "UTC", "2024-05-31 12:00:00 +00:00", "LM", "2024-04-01 00:00:00 +00:00", "2024-04-30 23:59:59 +00:00"},
		{"last month, in January", "UTC", "2024-01-31 12:00:00 +00:00", "LM", "2023-12-01 00:00:00 +00:00", "2023-12-31 23:59:59 +00:00"},
		{"last month, on March 31", "UTC", "2024-03-31 12:00:00 +00:00", "LM", "2024-02-01 00:00:00 +00:00", "2024-02-29 23:59:59 +00:00"},
		{"this year", "UTC", "2024-05-15 13:14:15 +00:00", "Y", "2024-01-01 00:00:00 +00:00", "2024-12-31 23:59:59 +00:00"},
		{"this year, on leap day", "UTC", "2024-02-29 13:14:15 +00:00", "Y", "2024-01-01 00:00:00 +00:00", "2024-12-31 23:59:59 +00:00"},
		{"this year, its last second in its zone", "Europe/Berlin", "2024-12-31 22:59:59 +00:00", "Y", "2024-01-01 00:00:00 +01:00", "2024-12-31 23:59:59 +01:00"},
		{"this year has begun in its zone", "Europe/Berlin", "2024-12-31 23:00:00 +00:00", "Y", "2025-01-01 00:00:00 +01:00", "2025-12-31 23:59:59 +01:00"},
		{"last year", "UTC", "2024-02-29 13:14:15 +00:00", "LY", "2023-01-01 00:00:00 +00:00", "2023-12-31 23:59:59 +00:00"},
		{"the last 24 hours", "UTC", "2024-05-15 13:14:15 +00:00", "HH", "2024-05-14 13:14:15 +00:00", "2024-05-15 13:14:15 +00:00"},
		{"the last 7 days", "UTC", "2024-03-03 13:14:15 +00:00", "HW", "2024-02-25 13:14:15 +00:00", "2024-03-03 13:14:15 +00:00"},
		{"the last 30 days", "UTC", "2024-03-03 13:14:15 +00:00", "HM", "2024-02-02 13:14:15 +00:00", "2024-03-03 13:14:15 +00:00"},

		{"the day clocks go forward", "Europe/Berlin", "2024-03-31 12:00:00 +02:00", "D", "2024-03-31 00:00:00 +01:00", "2024-03-31 23:59:59 +02:00"},
		{"the day after clocks went forward", "Europe/Berlin", "2024-04-01 00:30:00 +02:00", "LD", "2024-03-31 00:00:00 +01:00", "2024-03-31 23:59:59 +02:00"},
		{"the day clocks go back", "Europe/Berlin", "2024-10-27 02:30:00 +01:00", "D", "2024-10-27 00:00:00 +02:00", "2024-10-27 23:59:59 +01:00"},
		{"the week clocks go back", "Europe/Berlin", "2024-10-23 12:00:00 +02:00", "W", "2024-10-21 00:00:00 +02:00", "2024-10-27 23:59:59 +01:00"},
		{"the month clocks go forward", "Europe/Berlin", "2024-03-15 12:00:00 +01:00", "M", "2024-03-01 00:00:00 +01:00", "2024-03-31 23:59:59 +02:00"},
		{"24 hours over clocks that go forward", "Europe/Berlin", "2024-03-31 12:00:00 +02:00", "HH", "2024-03-30 11:00:00 +01:00", "2024-03-31 12:00:00 +02:00"},
		{"7 days over clocks that go forward", "Europe/Berlin", "2024-04-01 12:00:00 +02:00", "HW", "2024-03-25 12:00:00 +01:00", "2024-04-01 12:00:00 +02:00"},
		{"30 days over clocks that go back", "Europe/Berlin", "2024-11-10 12:00:00 +01:00", "HM", "2024-10-11 12:00:00 +02:00", "2024-11-10 12:00:00 +01:00"},
		{"clocks go forward in New York", "America/New_York", "2024-03-10 23:00:00 -04:00", "D", "2024-03-10 00:00:00 -05:00", "2024-03-10 23:59:59 -04:00"},
		{"clocks go back in New York", "America/New_York", "2024-11-03 01:30:00 -05:00", "D", "2024-11-03 00:00:00 -04:00", "2024-11-03 23:59:59 -05:00"},
		{"a day without midnight", "America/Sao_Paulo", "2018-11-04 12:00:00 -02:00", "D", "2018-11-04 01:00:00 -02:00", "2018-11-04 23:59:59 -02:00"},
		{"the first second of a day without midnight", "America/Sao_Paulo", "2018-11-04 01:00:00 -02:00", "D", "2018-11-04 01:00:00 -02:00", "2018-11-04 23:59:59 -02:00"},
		{"the day before one without midnight", "America/Sao_Paulo", "2018-11-03 23:59:59 -03:00", "D", "2018-11-03 00:00:00 -03:00", "2018-11-03 23:59:59 -03:00"},
		{"a day whose last hour comes twice", "America/Sao_Paulo", "2018-02-17 23:30:00 -03:00", "D", "2018-02-17 00:00:00 -02:00", "2018-02-17 23:59:59 -03:00"},
		{"a day whose midnight comes twice", "America/Havana", "2024-11-03 00:30:00 -05:00", "D", "2024-11-03 00:00:00 -04:00", "2024-11-03 23:59:59 -05:00"},
		{"clocks that go back to the day before", "America/St_Johns", "2010-11-06 23:30:00 -03:30", "D", "2010-11-07 00:00:00 -02:30", "2010-11-07 23:59:59 -03:30"},
		{"the day before a day that was skipped", "Pacific/Apia", "2011-12-29 12:00:00 -10:00", "D", "2011-12-29 00:00:00 -10:00", "2011-12-29 23:59:59 -10:00"},
		{"the day after a day that was skipped", "Pacific/Apia", "2011-12-31 12:00:00 +14:00", "D", "2011-12-31 00:00:00 +14:00", "2011-12-31 23:59:59 +14:00"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := period.Parse(period.Sent{Code: test.code, From: "ignored", To: "ignored"}, instant(t, test.now).In(location(t, test.zone)))
			if err != nil {
				t.Fatal(err)
			}
			want := period.Range{From: instant(t, test.from).Unix(), To: instant(t, test.to).Unix()}
			if got != want {
				show := func(r period.Range) [2]time.Time {
					return [2]time.Time{time.Unix(r.From, 0).UTC(), time.Unix(r.To, 0).UTC()}
				}
				t.Errorf("got %v, want %v", show(got), show(want))
			}
		})
	}
}

// All time is what a list without a period covers.
func TestParse_AllTime(t *testing.T) {
	for _, code := range []string{"", "A"} {
		got, err := period.Parse(period.Sent{Code: code, From: "5", To: "4"}, time.Unix(1_700_000_000, 0))
		if err != nil || got != period.Always {
			t.Errorf("period %q: %v, %v", code, got, err)
		}
	}
}

// A day that the calendar skipped holds no instant.
func TestParse_SkippedDay(t *testing.T) {
	now := instant(t, "2011-12-31 12:00:00 +14:00").In(location(t, "Pacific/Apia"))
	got, err := period.Parse(period.Sent{Code: period.Yesterday}, now)
	if err != nil || got.From != got.To+1 {
		t.Errorf("%v, %v: not empty", got, err)
	}
}

// decisions §10: time_from and time_to are Unix seconds or a date in the API's
// time zone; the last second of the second date belongs to the period.
func TestParse_Custom(t *testing.T) {
	berlin := location(t, "Europe/Berlin")
	for _, test := range []struct {
		name     string
		from, to string
		want     period.Range
	}{
		{"open", "", "", period.Always},
		{"seconds", "1700000000", "1700000001", period.Range{From: 1700000000, To: 1700000001}},
		{"one second", "1700000000", "1700000000", period.Range{From: 1700000000, To: 1700000000}},
		{"the beginning of the count", "0", "0", period.Range{}},
		{"open end", "1700000000", "", period.Range{From: 1700000000, To: period.Forever}},
		{"open beginning", "", "1700000000", period.Range{From: period.Beginning, To: 1700000000}},
		{"one date", "2024-03-31", "2024-03-31", period.Range{
			From: instant(t, "2024-03-31 00:00:00 +01:00").Unix(), To: instant(t, "2024-03-31 23:59:59 +02:00").Unix()}},
		{"dates", "2023-12-31", "2024-02-29", period.Range{
			From: instant(t, "2023-12-31 00:00:00 +01:00").Unix(), To: instant(t, "2024-02-29 23:59:59 +01:00").Unix()}},
		{"a date and a second of it", "2024-02-29", "1709200000", period.Range{
			From: instant(t, "2024-02-29 00:00:00 +01:00").Unix(), To: 1709200000}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := period.Parse(period.Sent{Code: "C", From: test.from, To: test.to}, time.Unix(1_700_000_000, 0).In(berlin))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestParse_Problems(t *testing.T) {
	for _, test := range []struct {
		code, from, to string
		want           map[string]string
	}{
		{"Q", "", "", map[string]string{"period": `must be one of A, D, LD, W, LW, M, LM, Y, LY, HH, HW, HM, HD, HC, C, not "Q"`}},
		{"d", "", "", map[string]string{"period": `must be one of A, D, LD, W, LW, M, LM, Y, LY, HH, HW, HM, HD, HC, C, not "d"`}},
		{"C", "2", "1", map[string]string{"time_from": "must not be after time_to"}},
		{"C", "2024-01-02", "2024-01-01", map[string]string{"time_from": "must not be after time_to"}},
		{"C", "2023-02-29", "2024-13-01", map[string]string{
			"time_from": `must be seconds since 1970 or a date such as 2006-01-02, not "2023-02-29"`,
			"time_to":   `must be seconds since 1970 or a date such as 2006-01-02, not "2024-13-01"`}},
		{"C", "-1", "", map[string]string{"time_from": `must be seconds since 1970 or a date such as 2006-01-02, not "-1"`}},
		{"C", "", "99999999999999999999", map[string]string{"time_to": `must be seconds since 1970 or a date such as 2006-01-02, not "99999999999999999999"`}},
		{"C", "", "1.5", map[string]string{"time_to": `must be seconds since 1970 or a date such as 2006-01-02, not "1.5"`}},
	} {
		_, err := period.Parse(period.Sent{Code: test.code, From: test.from, To: test.to}, time.Unix(1_700_000_000, 0).UTC())
		var e *shopapi.Error
		if !errors.As(err, &e) || e.Status != 400 {
			t.Errorf("%+v: error %v, want a 400", test, err)
			continue
		}
		if diff := cmp.Diff(test.want, e.Fields); diff != "" {
			t.Errorf("%+v: %s", test, diff)
		}
	}
}

// decisions §27: HD is HH, and HC the last last_days days.
func TestParse_LastDays(t *testing.T) {
	now := instant(t, "2024-03-03 13:14:15 +00:00")
	day, err := period.Parse(period.Sent{Code: "HD"}, now)
	if err != nil || day != (period.Range{From: now.Unix() - 24*60*60, To: now.Unix()}) {
		t.Errorf("HD is %v, %v", day, err)
	}
	for _, days := range []int64{1, 45, period.MaxDays} {
		got, err := period.Parse(period.Sent{Code: "HC", Days: &days}, now)
		if want := (period.Range{From: now.Unix() - days*24*60*60, To: now.Unix()}); err != nil || got != want {
			t.Errorf("the last %d days are %v, %v, want %v", days, got, err, want)
		}
	}
	wrong := []*int64{nil, new(int64)}
	tooMany := int64(period.MaxDays + 1)
	for _, days := range append(wrong, &tooMany) {
		var e *shopapi.Error
		if _, err := period.Parse(period.Sent{Code: "HC", Days: days}, now); !errors.As(err, &e) || e.Status != 400 || e.Fields["last_days"] == "" {
			t.Errorf("error %v, want a 400 about last_days", err)
		}
	}
}
