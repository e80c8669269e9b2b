package discussions_test

import (
	"testing"
	"time"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/discussions"
	"github.com/shopapi/shopapi/store/memory"
)

// TestDiscussions_OnlyPeriodsAskTheClock: a response that depends on the time cannot be
// cached, so that other lists do not read the clock.
func TestDiscussions_OnlyPeriodsAskTheClock(t *testing.T) {
	asked := 0
	api := shopapi.New(&shopapi.Options{Clock: func() time.Time { asked++; return time.Unix(1700000000, 0) }})
	d, err := discussions.Register(t.Context(), api, memory.New())
	if err != nil {
		t.Fatal(err)
	}
	for period, want := range map[string]int{"": 0, "A": 0, "C": 0, "D": 1, "HH": 1} {
		asked = 0
		if _, _, err := d.Find(t.Context(), discussions.Filter{Period: period, TimeFrom: "2023-01-02"}); err != nil {
			t.Fatal(err)
		}
		if asked != want {
			t.Errorf("period %q asked the clock %d times, want %d", period, asked, want)
		}
	}
}
