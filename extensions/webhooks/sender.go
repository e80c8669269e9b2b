package webhooks

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/store"
)

const (
	parallel   = 8                // messages that are sent to one receiver at once
	batch      = 128              // messages that are sent before their results are stored together
	maxOpen    = 1000             // deliveries of a webhook that wait; further changes wait in the change log
	longestNap = 30 * time.Second // after errors of the database
)

// A sender sends the messages of one webhook.
type sender struct {
	worker *worker
	id     int64
	woken  chan struct{}
	events Events // as they were seen last, under the mutex of the worker

	moved time.Time // when the position was stored last
}

// run sends messages until ctx ends, the lease is lost, or the webhook has nothing to do.
func (s *sender) run(ctx context.Context) {
	nap := time.Duration(0)
	for ctx.Err() == nil {
		next, err := s.step(ctx)
		switch {
		case errors.Is(err, errLost), errors.Is(err, errIdle):
			return
		case err != nil && ctx.Err() == nil:
			s.worker.warn(ctx, "a webhook cannot go on", err, slog.Int64("webhook", s.id))
			nap = min(max(time.Second, 2*nap), longestNap)
			wait(ctx, nap, nil)
			continue
		}
		nap = 0
		if next > 0 {
			wait(ctx, next, s.woken)
		}
	}
}

// errIdle ends the sender of a webhook that is disabled or gone.
var errIdle = errors.New("webhooks: nothing to do")

// step makes deliveries of the new changes in the change log, and sends the due deliveries. It
// returns how long to wait for the next step.
func (s *sender) step(ctx context.Context) (next time.Duration, err error) {
	t, err := s.read(ctx)
	if err != nil {
		return 0, err
	}
	if t.owner, err = s.worker.hooks.owner(ctx, &t.hook); errors.Is(err, shopapi.ErrNotFound) {
		return lookEvery, s.passOver(ctx, t)
	}
	if err != nil {
		return 0, err
	}
	more := false
	if t.hook.Status == Active && t.waiting() < maxOpen {
		if more, err = s.fill(ctx, t); err != nil {
			return 0, err
		}
		if t, err = s.reread(ctx, t); err != nil {
			return 0, err
		}
	}
	now := s.worker.hooks.api.Now(ctx)
	ids, due := t.next(now)
	if len(ids) == 0 {
		if more && t.waiting() < maxOpen {
			return 0, nil
		}
		return due, nil
	}
	results, err := s.send(ctx, t, ids)
	if err != nil {
		return 0, err
	}
	return 0, s.store(ctx, t, results)
}

// A state is what the database has of a webhook.
type state struct {
	hook     row
	owner    *shopapi.User // nil: the program
	progress progress
	open     []outline
}

// read reads the state. It returns errIdle where there is nothing to do, and errLost where another
// process sends: that one may have made the deliveries.
func (s *sender) read(ctx context.Context) (*state, error) {
	t := &state{}
	err := s.worker.hooks.st.View(ctx, func(_ context.Context, tx store.Tx) (err error) {
		if err = s.worker.checkLease(tx); err != nil {
			return err
		}
		if t.hook, err = hooks.Get(tx, s.id); err != nil {
			return err
		}
		if t.progress, err = progresses.Get(tx, s.id); err != nil {
			return err
		}
		t.open, err = outlines.Select(tx, store.Query{Where: openOf(s.id), Order: []store.Order{store.Asc("delivery_id")}})
		return err
	})
	switch {
	case errors.Is(err, store.ErrNotFound):
		return nil, errIdle
	case err == nil && t.hook.Status != Active && len(t.open) == 0 && !t.progress.Once:
		return nil, errIdle
	}
	return t, err
}

func (s *sender) reread(ctx context.Context, t *state) (*state, error) {
	again, err := s.read(ctx)
	if err == nil {
		again.owner = t.owner
	}
	return again, err
}

// waiting is how many deliveries wait, apart from pings and redeliveries.
func (t *state) waiting() (n int) {
	for i := range t.open {
		if !t.open[i].Once {
			n++
		}
	}
	return n
}

// next returns the ids of the deliveries to send now: for each object the first. While the
// receiver fails it gets one message at a time. Without any, next returns the time until the
// next is due.
func (t *state) next(now time.Time) (ids []int64, due time.Duration) {
	due = idleEvery
	most := batch
	if t.progress.FailingSince != 0 {
		most = 1
	}
	behind := map[object]bool{}
	n := 0
	for i := range t.open {
		o := &t.open[i]
		if !o.Once {
			if behind[o.object()] {
				continue
			}
			behind[o.object()] = true
			if n >= most {
				continue
			}
		}
		if left := time.UnixMilli(o.Due).Sub(now); left > 0 {
			due = min(due, left)
			continue
		}
		if !o.Once {
			n++
		}
		if ids = append(ids, o.DeliveryID); len(ids) == batch {
			break
		}
	}
	return ids, max(due, time.Millisecond)
}

// An outcome is a delivery with the result of an attempt.
type outcome struct {
	delivery
	result result
}

// send attempts deliveries, several at once, and returns their outcomes in the order in which
// they ended. After a failure no further delivery is begun, but for pings and redeliveries.
func (s *sender) send(ctx context.Context, t *state, ids []int64) (list []outcome, err error) {
	var todo []delivery
	err = s.worker.hooks.st.View(ctx, func(_ context.Context, tx store.Tx) error {
		todo, err = deliveries.Select(tx, store.Query{Where: []store.Cond{store.InInts("delivery_id", ids...)}, Order: []store.Order{store.Asc("delivery_id")}})
		return err
	})
	if err != nil {
		return nil, err
	}
	var mu sync.Mutex
	failed := false
	begin := func() (d *delivery) {
		mu.Lock()
		defer mu.Unlock()
		for d == nil && len(todo) > 0 {
			if ctx.Err() == nil && (!failed || todo[0].Once) {
				d = &todo[0]
			}
			todo = todo[1:]
		}
		return d
	}
	var running sync.WaitGroup
	for range min(parallel, len(ids)) {
		running.Go(func() {
			for d := begin(); d != nil; d = begin() {
				var o outcome
				if o.delivery = *d; s.maySend(t, d) {
					o.result = s.worker.hooks.client.send(ctx, &t.hook, d, s.worker.hooks.api.Now(ctx))
				}
				mu.Lock()
				if !o.result.stopped {
					list = append(list, o)
				}
				failed = failed || !o.result.ok()
				mu.Unlock()
			}
		})
	}
	running.Wait()
	return list, nil
}

// maySend reports whether the user of the webhook may still see the object of the delivery.
func (s *sender) maySend(t *state, d *delivery) bool {
	if d.Entity == "" || t.owner == nil {
		return true
	}
	seesAll := d.Entity == "*"
	return d.Sight == sightOf(t.owner) && (seesAll || s.worker.hooks.api.MayView(t.owner, d.Entity, d.ParentEntity))
}

// sightOf describes which rows a user sees, apart from privileges.
func sightOf(user *shopapi.User) string {
	if user == nil {
		return ""
	}
	return fmt.Sprintf("%s %d %t %t", user.Type, user.CompanyID, user.Root, user.IsConfined())
}

// owner returns the user whom a webhook acts for, nil for the program.
func (w *Webhooks) owner(ctx context.Context, hook *row) (*shopapi.User, error) {
	if hook.UserID == 0 {
		return nil, nil
	}
	return w.api.UserByID(ctx, hook.UserID)
}
