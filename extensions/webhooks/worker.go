package webhooks

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/extensions/changes"
	"github.com/shopapi/shopapi/store"
)

const (
	lookEvery = time.Second      // at the table of webhooks, for what other processes changed
	idleEvery = 30 * time.Second // a webhook without deliveries moves its position on
)

// A worker sends the messages of all webhooks while its process has the lease: each webhook in
// a goroutine of its own, so that no receiver delays another.
type worker struct {
	hooks  *Webhooks
	holder string
	logger *slog.Logger
	poked  chan struct{}

	mu      sync.Mutex
	senders map[int64]*sender
}

func newWorker(w *Webhooks) *worker {
	return &worker{
		hooks: w, holder: newHolder(), logger: w.api.Logger(),
		poked: make(chan struct{}, 1), senders: map[int64]*sender{},
	}
}

// poke has the worker look at the webhooks now.
func (w *worker) poke() { signal(w.poked) }

// signal wakes the reader of a channel with room for one signal.
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// run sends messages until ctx ends.
func (w *worker) run(ctx context.Context) {
	for ctx.Err() == nil {
		has, err := w.take(ctx)
		if err != nil && ctx.Err() == nil {
			w.warn(ctx, "the lease of the webhooks cannot be read", err)
		}
		if has {
			w.lead(ctx)
			w.hooks.client.http.CloseIdleConnections()
			w.release()
		}
		wait(ctx, tryEvery, w.poked)
	}
}

// wait waits for a time, a signal, or the end of ctx.
func wait(ctx context.Context, d time.Duration, woken <-chan struct{}) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-woken:
	case <-ctx.Done():
	}
}

// lead sends messages until ctx ends or the lease is lost. It returns after everything that it
// started has ended.
func (w *worker) lead(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	defer running.Wait()
	defer cancel()
	running.Go(func() { w.keep(ctx, cancel) })
	running.Go(func() { w.follow(ctx) })
	for ctx.Err() == nil {
		if err := w.look(ctx, &running); err != nil && ctx.Err() == nil {
			w.warn(ctx, "the webhooks cannot be read", err)
		}
		wait(ctx, lookEvery, w.poked)
	}
}

// look starts the webhooks that are active or have pings or redeliveries to send.
func (w *worker) look(ctx context.Context, running *sync.WaitGroup) error {
	var active []Webhook
	var once []progress
	err := w.hooks.st.View(ctx, func(_ context.Context, tx store.Tx) (err error) {
		if active, err = visible.Select(tx, store.Query{Where: []store.Cond{store.Equal("status", store.String(Active))}}); err != nil {
			return err
		}
		once, err = progresses.Select(tx, store.Query{Where: []store.Cond{store.Equal("once", store.Bool(true))}})
		return err
	})
	if err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	start := func(id int64) *sender {
		s, known := w.senders[id]
		if !known {
			s = &sender{worker: w, id: id, woken: make(chan struct{}, 1)}
			w.senders[id] = s
			running.Go(func() {
				defer w.ended(s)
				s.run(ctx)
			})
		}
		return s
	}
	for i := range active {
		s := start(active[i].WebhookID)
		if s.events != active[i].Events {
			s.events = active[i].Events
			signal(s.woken)
		}
	}
	for i := range once {
		signal(start(once[i].WebhookID).woken)
	}
	return nil
}

func (w *worker) ended(s *sender) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.senders, s.id)
}

// follow wakes webhooks whose events name an entity that changed.
func (w *worker) follow(ctx context.Context) {
	ctx = shopapi.AsHost(ctx)
	for ctx.Err() == nil {
		at, err := w.hooks.log.Position(ctx)
		w.wake(changes.Every) // for the changes before the position
		for c, failed := range w.hooks.log.Follow(ctx, at, changes.Filter{}) {
			if err = failed; err != nil {
				break
			}
			w.wake(c.Entity)
		}
		var gone *changes.GoneError
		if err != nil && ctx.Err() == nil && !errors.As(err, &gone) { // another log began
			w.warn(ctx, "the change log cannot be read", err)
		}
		wait(ctx, lookEvery, nil)
	}
}

func (w *worker) wake(entity string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, s := range w.senders {
		if entity == changes.Every || s.events.names(entity) {
			signal(s.woken)
		}
	}
}

// warn logs an error, unless the program ends.
func (w *worker) warn(ctx context.Context, what string, err error, attrs ...slog.Attr) {
	if errors.Is(err, context.Canceled) {
		return
	}
	w.logger.LogAttrs(ctx, slog.LevelWarn, what, append(attrs, slog.String("error", err.Error()))...)
}
