package ratelimit_test

import (
	"testing"
	"time"

	"github.com/shopapi/shopapi/internal/ratelimit"
)

func TestE10_RateWindow(t *testing.T) {
	start := time.Date(2024, time.January, 1, 0, 0, 0, 0, time.UTC)
	l := ratelimit.New[string](3, 10)
	for i, test := range []struct {
		user  string
		n     int
		after time.Duration
		ok    bool
		limit string
	}{
		{"ann", 1, 0, true, `"default";r=2;t=10`},
		{"ann", 1, 4500 * time.Millisecond, true, `"default";r=1;t=6`},
		{"bob", 3, 5 * time.Second, true, `"default";r=0;t=10`},
		{"ann", 2, 6 * time.Second, false, `"default";r=1;t=4`}, // all or none
		{"ann", 1, 9 * time.Second, true, `"default";r=0;t=1`},
		{"ann", 1, 9900 * time.Millisecond, false, `"default";r=0;t=1`},
		{"ann", 1, 10 * time.Second, true, `"default";r=2;t=10`},
		{"bob", 1, 14 * time.Second, false, `"default";r=0;t=1`},
		{"ann", 3, -time.Hour, true, `"default";r=0;t=10`}, // a clock that was set back
	} {
		got := l.Take(test.user, test.n, start.Add(test.after))
		if got.OK != test.ok || got.Limit() != test.limit {
			t.Errorf("step %d: %t %s, want %t %s", i, got.OK, got.Limit(), test.ok, test.limit)
		}
		if policy := got.Policy(); len(policy) != 1 || policy[0] != `"default";q=3;w=10` {
			t.Errorf("the policy is %q", policy)
		}
	}
}

func TestNew_WithoutLimit(t *testing.T) {
	if ratelimit.New[int](0, 10) != nil || ratelimit.New[int](10, 0) != nil {
		t.Error("there is a limiter without a limit")
	}
}

// A user whose window runs keeps it, however many other users come and go.
func TestLimiter_ManyUsers(t *testing.T) {
	now := time.Date(2024, time.January, 1, 0, 0, 0, 0, time.UTC)
	l := ratelimit.New[int](1, 10)
	l.Take(-1, 1, now.Add(5*time.Second))
	for user := range 10_000 {
		if !l.Take(user, 1, now.Add(time.Duration(user)*time.Millisecond)).OK {
			t.Fatalf("user %d is refused", user)
		}
	}
	if l.Take(-1, 1, now.Add(12*time.Second)).OK {
		t.Error("the window of a user was deleted before its end")
	}
}
