package webhooks

import (
	"context"
	"errors"
	"time"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/extensions/changes"
	"github.com/shopapi/shopapi/store"
)

// fillBatch is how many changes become deliveries in one transaction.
const fillBatch = 250

// fill makes deliveries of the changes after the position of a webhook, and reports whether
// the log has more.
func (s *sender) fill(ctx context.Context, t *state) (more bool, err error) {
	w := s.worker.hooks
	user := shopapi.WithUser(shopapi.AsHost(ctx), t.owner)
	sight := sightOf(t.owner)
	limit := min(fillBatch, maxOpen-t.waiting())
	page, err := w.log.Page(user, t.progress.Position, t.hook.Events.filter(), limit)
	var gone *changes.GoneError
	var list []delivery
	switch {
	case errors.As(err, &gone):
		if page, err = w.log.Page(user, changes.Oldest, changes.Filter{}, 0); err != nil {
			return false, err
		}
		list = []delivery{lost(s.id, w.api.Now(ctx).Unix(), page.LastSeq, sight)}
	case err != nil:
		return false, err
	}
	for i := range page.Changes {
		if c := &page.Changes[i]; t.hook.Events.match(c) {
			list = append(list, newDelivery(s.id, c, w.log.Path(c), sight))
		}
	}
	more = page.LastSeq != t.progress.Position && page.Pending > 0
	if page.LastSeq == t.progress.Position || len(list) == 0 && !more && time.Since(s.moved) < idleEvery {
		return more, nil // the position is stored with the next delivery, or after a while
	}
	s.moved = time.Now()
	err = w.st.Update(ctx, func(ctx context.Context, tx store.Tx) error {
		p, err := s.current(tx, t)
		if err != nil || p == nil {
			return err
		}
		if err := s.add(ctx, tx, t, list); err != nil {
			return err
		}
		p.Position = page.LastSeq
		return progresses.Update(tx, p)
	})
	return more, err
}

// current returns the progress as the transaction sees it, nil if the webhook was disabled or
// begins elsewhere since the state was read.
func (s *sender) current(tx store.Tx, t *state) (*progress, error) {
	if err := s.worker.checkLease(tx); err != nil {
		return nil, err
	}
	hook, err := hooks.Get(tx, s.id)
	if err != nil {
		return nil, gone(err)
	}
	p, err := progresses.Get(tx, s.id)
	if err != nil {
		return nil, gone(err)
	}
	if hook.Status != Active || p.Position != t.progress.Position {
		return nil, nil
	}
	return &p, nil
}

// gone is errIdle for a webhook that was deleted.
func gone(err error) error {
	if errors.Is(err, store.ErrNotFound) {
		return errIdle
	}
	return err
}

// add stores deliveries. An update becomes one with the last delivery of its object, if that
// is an update too and waits for its first attempt.
func (s *sender) add(ctx context.Context, tx store.Tx, t *state, list []delivery) error {
	type last struct {
		fresh *delivery // nil: a stored one
		id    int64
	}
	now := s.worker.hooks.api.Now(ctx).UnixMilli()
	lasts := map[object]last{}
	for i := range t.open {
		if o := &t.open[i]; !o.Once {
			lasts[o.object()] = last{id: o.DeliveryID}
		}
	}
	var fresh []*delivery
	for i := range list {
		d := &list[i]
		d.Due = now
		prior := lasts[d.object()]
		united := false
		switch {
		case prior.fresh != nil:
			if united = d.Op == changes.Updated && prior.fresh.Op == changes.Updated; united {
				prior.fresh.unite(d)
			}
		case prior.id != 0 && d.Op == changes.Updated:
			stored, err := deliveries.Get(tx, prior.id)
			if err != nil && !errors.Is(err, store.ErrNotFound) {
				return err
			}
			if united = err == nil && stored.Open && stored.Attempt == 0 && stored.Op == changes.Updated; united {
				stored.unite(d)
				if err := deliveries.Update(tx, &stored); err != nil {
					return err
				}
			}
		}
		if !united {
			fresh = append(fresh, d)
			lasts[d.object()] = last{fresh: d}
		}
	}
	for _, d := range fresh {
		if err := deliveries.Insert(tx, d); err != nil {
			return err
		}
	}
	return nil
}

// passOver moves a webhook on whose user is disabled or gone: what happens meanwhile is not
// sent later.
func (s *sender) passOver(ctx context.Context, t *state) error {
	w := s.worker.hooks
	at, err := w.log.Position(shopapi.AsHost(ctx))
	if err != nil || at == t.progress.Position && len(t.open) == 0 && !t.progress.Once {
		return err
	}
	const why = "the user who made the webhook is disabled or gone"
	return w.st.Update(ctx, func(_ context.Context, tx store.Tx) error {
		if err := s.worker.checkLease(tx); err != nil {
			return err
		}
		p, err := progresses.Get(tx, s.id)
		if err != nil {
			return gone(err)
		}
		if err := giveUpAll(tx, s.id, why); err != nil {
			return err
		}
		p.Position, p.FailingSince = at, 0
		for i := range t.open {
			if !t.open[i].Once {
				continue
			}
			d, err := deliveries.Get(tx, t.open[i].DeliveryID)
			if err != nil {
				return err
			}
			d.giveUp(why)
			if err := deliveries.Update(tx, &d); err != nil {
				return err
			}
		}
		if p.Once, err = hasOnce(tx, s.id); err != nil {
			return err
		}
		return progresses.Update(tx, &p)
	})
}

// hasOnce reports whether a webhook has pings or redeliveries to send.
func hasOnce(tx store.Tx, id int64) (bool, error) {
	n, err := deliveries.Count(tx, append(openOf(id), store.Equal("once", store.Bool(true)))...)
	return n > 0, err
}
