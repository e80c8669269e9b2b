package driver_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi/store/driver"
)

// A read that lost its replica runs again, on the primary; others run once.
func TestOnReplicas(t *testing.T) {
	if driver.MayUseReplicas(t.Context()) {
		t.Error("any context may use replicas")
	}
	for _, fails := range []bool{false, true} {
		var allowed []bool
		var contexts []context.Context
		for read := driver.OnReplicas(t.Context()); read.Next(); {
			ctx := read.Context()
			contexts = append(contexts, ctx)
			allowed = append(allowed, driver.MayUseReplicas(ctx))
			if fails {
				driver.FailReplicas(ctx)
			}
		}
		want := []bool{true}
		if fails {
			want = []bool{true, false}
		}
		if diff := cmp.Diff(want, allowed); diff != "" {
			t.Errorf("fails: %t: whether the runs may use replicas (-want, +got):\n%s", fails, diff)
		}
		for _, ctx := range contexts {
			if driver.MayUseReplicas(ctx) {
				t.Error("a View after the read may use replicas")
			}
		}
	}
}

// A read does not run again under a context that has ended.
func TestOnReplicas_Canceled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	runs := 0
	for read := driver.OnReplicas(ctx); read.Next(); runs++ {
		driver.FailReplicas(read.Context())
		cancel()
	}
	if runs != 1 {
		t.Errorf("%d runs, want 1", runs)
	}
}
