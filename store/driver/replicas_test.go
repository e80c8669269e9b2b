package driver_test

import (
	"context"
	"errors"
	"testing"

	"github.com/shopapi/shopapi/store/driver"
)

// A read that lost its replica runs again, on the primary; others run once.
func TestOnReplicas(t *testing.T) {
	if driver.MayUseReplicas(t.Context()) {
		t.Error("any context may use replicas")
	}
	errRead := errors.New("read")
	for _, fails := range []bool{false, true} {
		var allowed []bool
		var under context.Context
		err := driver.OnReplicas(t.Context(), func(ctx context.Context) error {
			allowed = append(allowed, driver.MayUseReplicas(ctx))
			under = ctx
			if fails {
				driver.FailReplicas(ctx)
				if len(allowed) == 2 {
					return nil
				}
			}
			return errRead
		})
		want, wantErr := []bool{true}, errRead
		if fails {
			want, wantErr = []bool{true, false}, nil
		}
		if len(allowed) != len(want) || allowed[0] != want[0] || allowed[len(want)-1] != want[len(want)-1] || err != wantErr {
			t.Errorf("fails: %v: the runs may use replicas: %v, want %v; %v", fails, allowed, want, err)
		}
		if driver.MayUseReplicas(under) {
			t.Error("a View after the read may use replicas")
		}
	}
}
