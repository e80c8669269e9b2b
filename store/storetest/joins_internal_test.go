package storetest

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/memory"
)

// A locked store wraps another one, and does not join.
type locked struct {
	store.Store
	mu sync.Mutex
}

func (s *locked) Update(ctx context.Context, fn func(context.Context, store.Tx) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.Store.Update(ctx, fn)
}

// A store that does not join a transaction within another one is found, and does not hang the tests.
func TestJoins_NoticeAStoreThatHangs(t *testing.T) {
	st := memory.New()
	if err := joins(t.Context(), st, hangTimeout); err != nil {
		t.Error(err)
	}
	err := joins(t.Context(), &locked{Store: st}, 50*time.Millisecond)
	if err == nil || !strings.Contains(err.Error(), "hangs in Update within Update: a store begins View and Update with driver.Join") {
		t.Errorf("the error is %v", err)
	}
}
