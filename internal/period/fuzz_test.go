package period_test

import (
	"testing"
	"time"

	"github.com/shopapi/shopapi/internal/period"
)

// zones have clocks that change at midnight, over midnight, by half an hour, and
// over the date line.
var zones = []string{
	"UTC", "Europe/Berlin", "America/New_York", "America/Sao_Paulo", "America/Havana",
	"America/St_Johns", "Australia/Lord_Howe", "Pacific/Apia", "Pacific/Kwajalein", "Asia/Beirut",
}

// FuzzParse checks the rules of a calendar for every period, in every zone: it contains
// now, and the period before it ends where it begins.
func FuzzParse(f *testing.F) {
	for _, second := range []int64{0, 1_700_000_000, 1541300399, 1541300400, 1289097000, 1325239200, 4102444799} {
		for zone := range zones {
			f.Add(second, uint8(zone))
		}
	}
	f.Fuzz(func(t *testing.T, second int64, zone uint8) {
		if second < -2_208_988_800 || second > 4_102_444_800 { // 1900 to 2100
			return
		}
		name := zones[int(zone)%len(zones)]
		now := time.Unix(second, 0).In(location(t, name))
		parse := func(code string, now time.Time) period.Range {
			r, err := period.Parse(period.Sent{Code: code}, now)
			if err != nil {
				t.Fatalf("%s at %s in %s: %v", code, now, name, err)
			}
			return r
		}
		for _, pair := range [][2]string{{"D", "LD"}, {"W", "LW"}, {"M", "LM"}, {"Y", "LY"}} {
			this, last := parse(pair[0], now), parse(pair[1], now)
			if !this.Contains(second) {
				t.Errorf("%s at %s in %s is %v, without now", pair[0], now, name, this)
			}
			if last.To+1 != this.From {
				t.Errorf("at %s in %s, %s is %v and %s is %v: they do not touch", now, name, pair[1], last, pair[0], this)
			}
			if before := parse(pair[0], time.Unix(this.From-1, 0).In(now.Location())); before.To+1 != this.From {
				t.Errorf("%s a second before %v in %s is %v: they do not touch", pair[0], this, name, before)
			}
			if again := parse(pair[0], time.Unix(this.To, 0).In(now.Location())); again != this {
				t.Errorf("%s at the last second of %v in %s is %v", pair[0], this, name, again)
			}
		}
		for _, code := range []string{"HH", "HW", "HM"} {
			if r := parse(code, now); !r.Contains(second) || r.To != second || r.From >= r.To {
				t.Errorf("%s at %s in %s is %v", code, now, name, r)
			}
		}
	})
}

// FuzzParse_Custom has ends of any text either refused or read as a range that
// goes forward.
func FuzzParse_Custom(f *testing.F) {
	for _, s := range [][2]string{{"", ""}, {"0", "1"}, {"2024-02-29", "2024-03-01"}, {"2024-02-30", "-5"}, {"٣", "0x10"}, {"9999-12-31", "9999-12-31"}} {
		f.Add(s[0], s[1])
	}
	now := time.Unix(1_700_000_000, 0).UTC()
	f.Fuzz(func(t *testing.T, from, to string) {
		r, err := period.Parse(period.Sent{Code: "C", From: from, To: to}, now)
		if err == nil && r.From > r.To {
			t.Errorf("from %q to %q is %v", from, to, r)
		}
	})
}
