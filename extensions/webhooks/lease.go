package webhooks

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"github.com/shopapi/shopapi/store"
)

// A lease says which process sends the messages. Of several processes over one database one
// has it. It expires unless that process renews it.
type lease struct {
	LeaseID int64  `json:"lease_id" store:"key"`
	Holder  string `json:"holder"`
	Until   int64  `json:"until"` // milliseconds since 1970
}

var leases = store.MustTable[lease]("webhook_lease")

const (
	leaseID    = 1
	leaseTime  = 30 * time.Second
	renewEvery = 10 * time.Second
	tryEvery   = 2 * time.Second // another process looks whether the lease has expired
)

// errLost ends the work of a process that no longer has the lease.
var errLost = errors.New("webhooks: another process sends the messages")

// newHolder returns a name for this process.
func newHolder() string { return rand.Text() }

// take takes or renews the lease, and reports whether this process has it.
func (w *worker) take(ctx context.Context) (has bool, err error) {
	now := w.hooks.api.Now(ctx)
	free := func(tx store.Tx) (lease, bool, error) {
		l, err := leases.Get(tx, leaseID)
		if errors.Is(err, store.ErrNotFound) {
			return lease{}, true, nil
		}
		return l, l.Holder == w.holder || l.Until <= now.UnixMilli(), err
	}
	err = w.hooks.st.View(ctx, func(_ context.Context, tx store.Tx) error {
		_, has, err = free(tx)
		return err
	})
	if err != nil || !has {
		return false, err
	}
	err = w.hooks.st.Update(ctx, func(_ context.Context, tx store.Tx) error {
		var l lease
		if l, has, err = free(tx); err != nil || !has {
			return err
		}
		isNew := l.LeaseID == 0
		l = lease{LeaseID: leaseID, Holder: w.holder, Until: now.Add(leaseTime).UnixMilli()}
		if isNew {
			return leases.Insert(tx, &l)
		}
		return leases.Update(tx, &l)
	})
	if errors.Is(err, store.ErrConflict) { // another process was first
		return false, nil
	}
	return has && err == nil, err
}

// keep renews the lease until ctx ends, or calls lost when it cannot.
func (w *worker) keep(ctx context.Context, lost func()) {
	renewed := time.Now()
	ticker := time.NewTicker(renewEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		has, err := w.take(ctx)
		if err == nil && has {
			renewed = time.Now()
			continue
		}
		if err == nil || time.Since(renewed) > leaseTime-renewEvery {
			lost()
			return
		}
	}
}

// release lets another process go on at once.
func (w *worker) release() {
	ctx, cancel := context.WithTimeout(context.Background(), tryEvery)
	defer cancel()
	_ = w.hooks.st.Update(ctx, func(_ context.Context, tx store.Tx) error { // else it expires
		l, err := leases.Get(tx, leaseID)
		if err != nil || l.Holder != w.holder {
			return err
		}
		l.Until = 0
		return leases.Update(tx, &l)
	})
}

// checkLease returns errLost unless this process has the lease as the transaction sees it: a
// process that was stopped for a while must not undo what another has done meanwhile.
func (w *worker) checkLease(tx store.Tx) error {
	l, err := leases.Get(tx, leaseID)
	if err == nil && l.Holder != w.holder {
		return errLost
	}
	return err
}
